/** Scripts written without spaces, whose words only a dictionary could separate. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々";
const UNSPACED_RUN = new RegExp(`[${UNSPACED}]+`, "gu");
const WORD = new RegExp(
  `[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])*`,
  "gu",
);
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
const PLAIN_ASCII = /^[\0-\x7f]*$/;
/** Long runs of marks, and of the two letters that become marks in compatibility forms. */
const LONG_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/**
 * Returns the words of a text in the form that search compares: lower case, without diacritics. Scripts without spaces
 * are split into overlapping pairs of characters, as in the bigram analysis of search engines for Chinese, Japanese and
 * Korean.
 */
export function wordsOf(text: string): string[] {
  const words = foldText(text).match(WORD) ?? [];
  return words.flatMap((word) => (IS_UNSPACED.test(word) ? pairsOf(word) : word));
}

/** Folds the text and puts spaces between the pairs of unspaced scripts, for an index that splits at spaces. */
export function spaceOut(text: string): string {
  if (PLAIN_ASCII.test(text)) return text;
  return foldText(text).replace(UNSPACED_RUN, (run) => ` ${pairsOf(run).join(" ")} `);
}

/**
 * Converts to lower case, normalizes compatibility forms and removes diacritics. Retains signs that are part of a
 * letter, such as the voicing signs of Japanese.
 */
export function foldText(text: string): string {
  if (PLAIN_ASCII.test(text)) return text.toLowerCase();
  return withShortMarks(text)
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]+/g, "")
    .normalize("NFC")
    .toLowerCase();
}

/**
 * Returns the text with 30 combining marks in a row at most, as Stream-Safe Text has (UAX #15 § 13). Normalization sorts the
 * marks of a letter, which takes time by the square of their number: text of others is cut before it.
 */
export function withShortMarks(text: string): string {
  return text.replace(LONG_MARKS, "$1");
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
