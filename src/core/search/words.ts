/** Scripts that are written without spaces, so that nothing but a dictionary could tell their words apart. */
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々";
const UNSPACED_RUN = new RegExp(`[${UNSPACED}]+`, "gu");
const WORD = new RegExp(
  `[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])*`,
  "gu",
);
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
const PLAIN_ASCII = /^[\0-\x7f]*$/;

/**
 * The words of a text as searching compares them: in lower case, without diacritics. Scripts without spaces come in
 * overlapping pairs of characters, as in the bigram analysis that search engines use for Chinese, Japanese and Korean.
 */
export function wordsOf(text: string): string[] {
  const words = foldText(text).match(WORD) ?? [];
  return words.flatMap((word) => (IS_UNSPACED.test(word) ? pairsOf(word) : word));
}

/** The text, folded, with spaces between the pairs of unspaced scripts, so that an index which splits at spaces holds them. */
export function spaceOut(text: string): string {
  if (PLAIN_ASCII.test(text)) return text;
  return foldText(text).replace(UNSPACED_RUN, (run) => ` ${pairsOf(run).join(" ")} `);
}

/**
 * Lower case, compatibility forms settled, diacritics taken off letters. Marks that are part of a letter stay, such as
 * those that tell Japanese sounds apart.
 */
export function foldText(text: string): string {
  if (PLAIN_ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]+/g, "")
    .normalize("NFC")
    .toLowerCase();
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
