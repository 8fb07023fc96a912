const MAX_CHARS = 200;
const MAX_WORDS = 24;
/** Longer than words of any language that parts its words; encoded data and keys are. */
const MAX_WORD_CHARS = 40;
const MAX_UNPARTED_CHARS = 80;
const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/\S*/gi;
const MAIL = /\S+@\S+\.\S+/g;
const KEY = /\bfc-[0-9a-f-]{8,}\b/gi;

/**
 * What a language model's search may carry to search providers: a few words, as a person would type them. Addresses,
 * mail addresses, keys and long strings of letters and digits are left out, since a page may have told the model to put
 * there what other pages or the user have said.
 */
export function boundQuery(text: string): string {
  const words = text
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, " ")
    .replaceAll(ADDRESS, " ")
    .replaceAll(MAIL, " ")
    .replaceAll(KEY, " ")
    .split(/\s+/u)
    .filter((word) => word !== "" && word.length <= (isUnparted(word) ? MAX_UNPARTED_CHARS : MAX_WORD_CHARS));
  return words.slice(0, MAX_WORDS).join(" ").slice(0, MAX_CHARS).trim();
}

/** Chinese, Japanese and Thai are written without spaces. */
function isUnparted(word: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word);
}
