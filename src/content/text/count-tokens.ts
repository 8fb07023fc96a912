/** Ways to count the tokens of a text. */
export type Tokenizer = "estimate" | "characters" | "bytes";

/**
 * Tokens a character by its kind, fitted to o200k_base on 452 pages in nine languages. On 452 others the median
 * deviation is 4 %, and 90 % of the pages are between -12 % and +9 %; characters / 4 deviates by 19 % and up to 66 %.
 */
const LINE_END = 0.377;
const SPACE = 0.573;
const DIGIT = 0.879;
const CAPITAL = 0.362;
const SMALL = 0.097;
const ASCII_SIGN = 0.668;
const EXTENDED_LATIN = 1.494;
/** Greek, Cyrillic, Hebrew, Arabic. */
const OTHER_LETTER = 0.228;
/** Scripts of India and South-East Asia. */
const INDIC = 0.309;
const KANA = 0.879;
const HAN = 0.7;
const HANGUL = 0.648;
const SIGN = 1.287;
const REST = 0.222;

/** Returns how many tokens a text has; an estimate is not rounded. */
export function countTokens(text: string, tokenizer: Tokenizer): number {
  if (tokenizer === "characters") return text.length;
  let sum = 0;
  const weigh = tokenizer === "bytes" ? bytesOf : tokensOf;
  for (let index = 0; index < text.length; index++) sum += weigh(text.charCodeAt(index));
  return sum;
}

/** UTF-8 bytes of a UTF-16 code unit; the halves of a surrogate pair have two each. */
function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800 || (code >= 0xd800 && code < 0xe000)) return 2;
  return 3;
}

function tokensOf(code: number): number {
  if (code < 0x80) return asciiTokensOf(code);
  if (code < 0x250) return EXTENDED_LATIN;
  if (code < 0x900) return OTHER_LETTER;
  if (code < 0x1100) return INDIC;
  if (code >= 0x3041 && code < 0x3100) return KANA;
  if (code >= 0x3400 && code < 0xa000) return HAN;
  if (code >= 0xac00 && code < 0xd7b0) return HANGUL;
  const isSign = (code >= 0x2000 && code < 0x2c00) || (code >= 0x3000 && code < 0x3041) || code >= 0xff00;
  return isSign ? SIGN : REST;
}

function asciiTokensOf(code: number): number {
  if (code === 10) return LINE_END;
  if (code <= 32) return SPACE;
  if (code >= 48 && code < 58) return DIGIT;
  if (code >= 65 && code <= 90) return CAPITAL;
  return code >= 97 && code <= 122 ? SMALL : ASCII_SIGN;
}
