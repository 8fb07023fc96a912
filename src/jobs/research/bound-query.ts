/** Characters of a text that are read. */
const MAX_READ_CHARS = 1_000;
const MAX_CHARS = 200;
const MAX_WORDS = 24;
/** Longer than the words of any language that separates words; encoded data and keys are longer. */
const MAX_WORD_CHARS = 40;
const MAX_UNSPACED_CHARS = 80;
/** A character of a script without spaces: Chinese, Japanese, Thai, Lao, Khmer or Burmese. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** A URL, with brackets and quotation marks before it, up to the next space or, in a text without spaces, to the next character of its script. */
const URL_PART = new RegExp(String.raw`[([<"']*[a-z][a-z0-9+.-]*://(?:(?!${UNSPACED.source})\S)*`, "giu");
const KEY = /\bfc-[0-9a-f-]{8,}\b/gi;

/**
 * Limits what a language model's search sends to search providers: a few words, as a person would type them. Removes
 * URLs, e-mail addresses, keys and long strings, since a page may have instructed the model to put text of other pages
 * or of the user there.
 */
export function boundQuery(text: string): string {
  const words = text
    .slice(0, MAX_READ_CHARS)
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, " ")
    .replaceAll(KEY, " ")
    .replaceAll(URL_PART, " ")
    .split(/\s+/u)
    .filter((word) => word !== "" && !isAddress(word))
    .filter((word) => word.length <= (UNSPACED.test(word) ? MAX_UNSPACED_CHARS : MAX_WORD_CHARS));
  return words.slice(0, MAX_WORDS).join(" ").slice(0, MAX_CHARS).trim();
}

/** Reports whether a word holds a URL, or an e-mail address: `@` after the first character, and a dot after that. */
function isAddress(word: string): boolean {
  if (/[a-z0-9+.-]:\/\//i.test(word)) return true;
  const at = word.indexOf("@", 1);
  return at > 0 && word.slice(at + 2, -1).includes(".");
}
