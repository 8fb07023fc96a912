import { foldText } from "../../core/search/words.ts";

/** Reports whether a folded text mentions a folded word, in any of its usual endings. */
export function mentionsWord(folded: string, word: string): boolean {
  const stem = stemOf(word);
  for (let at = folded.indexOf(stem); at >= 0; at = folded.indexOf(stem, at + 1)) {
    const before = folded.slice(Math.max(0, at - 1), at);
    const after = /^[\p{L}\p{N}]*/u.exec(folded.slice(at + stem.length, at + stem.length + 8))?.[0] ?? "";
    const isWhole = !/[\p{L}\p{N}]/u.test(before) || !/^[a-z]/.test(stem);
    if (isWhole && (after.length <= 4 || !/^[a-z]/.test(stem))) return true;
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
