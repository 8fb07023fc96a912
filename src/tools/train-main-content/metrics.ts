/** The measures of the sets besides word F1: sequences of four words, and segments that must or must not be there. */
import { tokensOf } from "./word-f1.ts";

/** Overlap of a page's prediction with its gold text, by sequences of four words, as shares that sum up to 1. */
export interface Overlap {
  both: number;
  onlyPredicted: number;
  onlyGold: number;
}

export interface Rates {
  f1: number;
  precision: number;
  recall: number;
}

const SEQUENCE = 4;

/** Measure of the article extraction benchmark (Scrapinghub, 2020). */
export function overlapOf(prediction: string, gold: string): Overlap {
  const predicted = countSequences(tokensOf(prediction));
  const wanted = countSequences(tokensOf(gold));
  let [both, onlyPredicted, onlyGold] = [0, 0, 0];
  for (const [key, count] of wanted) {
    const shared = Math.min(count, predicted.get(key) ?? 0);
    both += shared;
    onlyGold += count - shared;
  }
  for (const [key, count] of predicted) onlyPredicted += Math.max(0, count - (wanted.get(key) ?? 0));
  const all = both + onlyPredicted + onlyGold || 1;
  return { both: both / all, onlyPredicted: onlyPredicted / all, onlyGold: onlyGold / all };
}

function countSequences(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  if (words.length === 0) return counts;
  for (let at = 0; at < Math.max(1, words.length - SEQUENCE + 1); at++) {
    const key = words.slice(at, at + SEQUENCE).join("\u0001");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Means of precision and recall over pages, and the F1 of these means. */
export function meanOverlap(overlaps: readonly Overlap[]): Rates {
  const precision = mean(
    overlaps
      .filter(({ both, onlyPredicted }) => both + onlyPredicted > 0)
      .map(({ both, onlyPredicted }) => both / (both + onlyPredicted)),
  );
  const recall = mean(
    overlaps.filter(({ both, onlyGold }) => both + onlyGold > 0).map(({ both, onlyGold }) => both / (both + onlyGold)),
  );
  return { f1: harmonic(precision, recall), precision, recall };
}

export interface SegmentCounts {
  hits: number;
  misses: number;
  intruders: number;
}

/** Counts segments as in Trafilatura's evaluation: white space does not matter. */
export function countSegments(text: string, wanted: readonly string[], unwanted: readonly string[]): SegmentCounts {
  const squashed = squash(text);
  const has = (segment: string) => text.includes(segment) || squashed.includes(squash(segment));
  const hits = wanted.filter(has).length;
  return { hits, misses: wanted.length - hits, intruders: unwanted.filter(has).length };
}

export function sumSegments(counts: readonly SegmentCounts[]): Rates {
  const sum = (of: keyof SegmentCounts) => counts.reduce((total, count) => total + count[of], 0);
  const precision = sum("hits") / (sum("hits") + sum("intruders") || 1);
  const recall = sum("hits") / (sum("hits") + sum("misses") || 1);
  return { f1: harmonic(precision, recall), precision, recall };
}

/** Returns the text of markdown without its signs, so that texts and markdown are measured alike. */
export function textOfMarkdown(markdown: string): string {
  return markdown
    .replace(/^(?:`{3,}|~{3,})[^\n]*$/gm, "")
    .replace(/!\[[^\]]*\]\((?:[^()\\]|\\.|\([^()]*\))*\)/g, " ")
    .replace(/\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]\((?:[^()\\]|\\.|\([^()]*\))*\)/g, "$1")
    .replace(/<https?:[^>\s]+>/g, " ")
    .replace(/<\/?[a-z][^>]*>/gi, " ")
    .replace(/\\([\\`*_{}[\]()#+\-.!|<>~])/g, "$1")
    .replace(/^\s{0,3}(?:#{1,6}|>|[-*+]|\d+\.)\s+/gm, "")
    .replace(/\*\*|__|~~|\*|`/g, "")
    .replace(/(?<![\p{L}\p{N}_])_(?=\S)([^_\n]*[^_\s])_(?![\p{L}\p{N}_])/gu, "$1");
}

function squash(text: string): string {
  return text.replace(/\s+/g, " ");
}

function harmonic(precision: number, recall: number): number {
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / (values.length || 1);
}
