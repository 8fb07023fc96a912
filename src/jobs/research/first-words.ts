/** Words that links are ranked by: later ones of a long prompt say less about the pages that it needs. */
const MAX_WORDS = 32;

/** Returns the first 32 distinct words of a prompt, by which many links are ranked. */
export function firstWords(prompt: string): string {
  const words = new Set<string>();
  for (const [word] of prompt.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    words.add(word);
    if (words.size === MAX_WORDS) break;
  }
  return [...words].join(" ");
}
