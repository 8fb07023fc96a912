/** Lengths of IBANs by country (SWIFT's IBAN registry, ISO 13616). */
const IBAN_LENGTHS: Readonly<Record<string, number>> = {
  AD: 24, AE: 23, AL: 28, AT: 20, AZ: 28, BA: 20, BE: 16, BG: 22, BH: 22, BR: 29, CH: 21, CR: 22, CY: 28, CZ: 24, DE: 22,
  DK: 18, DO: 28, EE: 20, EG: 29, ES: 24, FI: 18, FO: 18, FR: 27, GB: 22, GE: 22, GI: 23, GL: 18, GR: 27, GT: 28, HR: 21,
  HU: 28, IE: 22, IL: 23, IS: 26, IT: 27, JO: 30, KW: 30, KZ: 20, LB: 28, LI: 21, LT: 20, LU: 20, LV: 21, MC: 27, MD: 24,
  ME: 22, MK: 19, MR: 27, MT: 31, MU: 30, NL: 18, NO: 15, PK: 24, PL: 28, PS: 29, PT: 25, QA: 29, RO: 24, RS: 22, SA: 24,
  SE: 24, SI: 19, SK: 24, SM: 27, TN: 24, TR: 26, UA: 29, VA: 22, XK: 20,
}; // prettier-ignore

const IBAN = /(?<!\w)[A-Z]{2}\d{2}(?:[ \u00a0-]?[A-Z0-9]){11,27}/g;
const CARD = /(?<![\w./=+-])\d{4}(?:\d{9,15}|([ \u00a0-])(?:\d{4}\1\d{4}\1\d{4}|\d{6}\1\d{4,5}))(?![\w-])/g;
/** First digits and lengths of the card networks (ISO/IEC 7812). */
const NETWORKS =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}|6(?:011|5\d\d|4[4-9]\d)\d{12})$/;

/** A stretch of a text. */
export interface Span {
  start: number;
  end: number;
}

/** Finds bank accounts and payment cards with valid check digits. */
export function findFinancial(text: string): Span[] {
  const ibans = [...text.matchAll(IBAN)].flatMap(({ 0: match, index }) => {
    const length = ibanLength(match);
    return length === undefined || /^\w/.test(text.slice(index + length))
      ? []
      : [{ start: index, end: index + length }];
  });
  const cards = [...text.matchAll(CARD)].flatMap(({ 0: match, index }) => {
    const digits = match.replaceAll(/\D/g, "");
    return NETWORKS.test(digits) && passesLuhn(digits) ? [{ start: index, end: index + match.length }] : [];
  });
  return [...ibans, ...cards];
}

/** Returns the length of the IBAN at the start of a text: words in capitals may follow it. */
function ibanLength(text: string): number | undefined {
  const wanted = IBAN_LENGTHS[text.slice(0, 2)];
  if (wanted === undefined) return undefined;
  let end = 0;
  for (let count = 0; count < wanted; end++) {
    const char = text[end];
    if (char === undefined) return undefined;
    if (/[A-Z0-9]/.test(char)) count++;
  }
  return passesMod97(text.slice(0, end).replaceAll(/[^A-Z0-9]/g, "")) ? end : undefined;
}

/** ISO 7064, MOD 97-10. */
function passesMod97(iban: string): boolean {
  let rest = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): boolean {
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
