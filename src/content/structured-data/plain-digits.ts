// oxlint-disable-next-line no-control-regex -- ASCII needs no conversion
const ASCII = /^[\x00-\x7f]*$/;
/** Signs of a number or a date between digits of full width. */
const WIDE_SIGN = /(?<=[０-９])[，．：／－](?=[０-９])|－(?=[０-９])/g;
/** U+FF01 to U+FF5E are the signs of ASCII from U+0021 on. */
const WIDTH_DISTANCE = 0xfee0;
const ARABIC_MARKS: Record<string, string> = { "٫": ".", "٬": "," };

/**
 * Returns a text with the digits of all scripts as those of ASCII, and with the marks that belong to them. It keeps its length.
 * Superscripts and fractions are no digits.
 */
export function withPlainDigits(text: string): string {
  if (ASCII.test(text)) return text;
  return text
    .replace(WIDE_SIGN, (sign) => String.fromCharCode(sign.charCodeAt(0) - WIDTH_DISTANCE))
    .replace(/(?<=\p{Nd})[٫٬](?=\p{Nd})/gu, (mark) => ARABIC_MARKS[mark] ?? mark)
    .replace(/\p{Nd}/gu, digitOf);
}

/** Returns the digit of ASCII. The digits of a script begin at a multiple of 16, or 6 behind one. */
function digitOf(sign: string): string {
  if (sign.length > 1) return sign;
  const code = sign.charCodeAt(0);
  const place = code & 0xf;
  return String(/\p{Nd}/u.test(String.fromCharCode(code - place)) ? place : place - 6);
}
