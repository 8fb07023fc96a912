const MAX_CHARS = 200;
const MAX_WORDS = 24;
/** Longer than the words of any language that separates words; encoded data and keys are longer. */
const MAX_WORD_CHARS = 40;
const MAX_UNSPACED_CHARS = 80;
const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/\S*/gi;
const MAIL = /\S+@\S+\.\S+/g;
const KEY = /\bfc-[0-9a-f-]{8,}\b/gi;

/**
 * Limits what a language model's search sends to search providers: a few words, as a person would type them. Removes
 * URLs, e-mail addresses, keys and long strings, since a page may have instructed the model to put text of other pages
 * or of the user there.
 */
export function boundQuery(text: string): string {
  const words = text
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, " ")
    .replaceAll(ADDRESS, " ")
    .replaceAll(MAIL, " ")
    .replaceAll(KEY, " ")
    .split(/\s+/u)
    .filter((word) => word !== "" && word.length <= (isUnspacedScript(word) ? MAX_UNSPACED_CHARS : MAX_WORD_CHARS));
  return words.slice(0, MAX_WORDS).join(" ").slice(0, MAX_CHARS).trim();
}

/** Reports whether a word is in a script without spaces: Chinese, Japanese or Thai. */
function isUnspacedScript(word: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word);
}
