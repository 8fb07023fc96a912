/** The metric of the Web Content Extraction Benchmark: F1 over bags of lower-case words. */

const WORD = /[\p{L}\p{N}_]+/gu;

export interface WordScore {
  precision: number;
  recall: number;
  f1: number;
}

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const UNSPACED_PARTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu;

/** Returns the words of a text; of scripts without spaces between words, the characters. */
export function tokensOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => (UNSPACED.test(word) ? (word.match(UNSPACED_PARTS) ?? []) : [word]));
}

/** Compares a prediction with the gold text; two empty texts agree fully. */
export function wordF1(prediction: string, gold: string, split: (text: string) => string[] = wordsOf): WordScore {
  const predicted = split(prediction);
  const wanted = split(gold);
  if (wanted.length === 0 && predicted.length === 0) return { precision: 1, recall: 1, f1: 1 };
  if (wanted.length === 0 || predicted.length === 0) return { precision: 0, recall: 0, f1: 0 };
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of predicted) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    shared++;
    left.set(word, count - 1);
  }
  const precision = shared / predicted.length;
  const recall = shared / wanted.length;
  return { precision, recall, f1: shared === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}
