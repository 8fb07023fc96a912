import { foldText } from "../../core/search/words.ts";

/** Letters of scripts that put spaces between words; those of others end a word that stands beside them. */
const LETTER =
  "(?:(?![\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}])[\\p{L}\\p{N}])";
const SPACED = new RegExp(LETTER, "u");
const ENDING = new RegExp(`^${LETTER}*`, "u");
const MAX_ENDING_CHARS = 4;

/** Reports whether a folded text mentions a folded word, in any of its usual endings. */
export function mentionsWord(folded: string, word: string): boolean {
  const stem = stemOf(word);
  const isSpaced = /^[a-z]/.test(stem);
  const longest = Math.max(MAX_ENDING_CHARS, word.length - stem.length);
  for (let at = folded.indexOf(stem); at >= 0; at = folded.indexOf(stem, at + 1)) {
    if (!isSpaced) return true;
    const before = folded.slice(Math.max(0, at - 1), at);
    const after = ENDING.exec(folded.slice(at + stem.length, at + stem.length + 8))?.[0] ?? "";
    if (!SPACED.test(before) && after.length <= longest) return true;
  }
  return false;
}

function stemOf(word: string): string {
  if (word.length < 5 || !/^[a-z]+$/.test(word)) return word;
  const stem = word.replace(/(?:ations?|ings?|ies|ied|es|ed|en|s|y|e)$/, "");
  return stem.length >= 4 ? stem : word;
}

/** Returns the words that a text does not mention. */
export function missingWords(text: string, words: readonly string[]): string[] {
  if (words.length === 0) return [];
  const folded = foldText(text);
  return words.filter((word) => !mentionsWord(folded, word));
}
