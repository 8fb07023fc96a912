/**
 * Labels blocks by aligning the page's words with the gold text's words: a monotone alignment that prefers long runs, and,
 * for blocks that are in another order than in the gold text, the share of their words inside four-word sequences that
 * the gold text has too and that no block before has used up: a second copy of a text is no content when the gold text has
 * it once.
 */
import { tokensOf } from "./word-f1.ts";

export interface BlockLabels {
  /** Share of each block's words that the gold text covers. */
  coverage: Float32Array;
  wordCounts: Int32Array;
  /** 1 where a block is not covered only because blocks before it used up what it shares with the gold text. */
  copies: Uint8Array;
  /** Share of the gold text's words that the page has. */
  found: number;
}

/** Cells of the alignment's table: beyond this only the sequences are used. */
const MAX_CELLS = 4e8;
const RUN_BONUS = 2;
const MATCH = 2;
const MIN_SEQUENCE_WORDS = 6;
const COVERED = 0.5;
const UNREACHED = -1_000_000_000;

const FROM_ABOVE = 1;
const FROM_LEFT = 2;
const FROM_MATCH = 3;
const RUN_CONTINUES = 4;

export function labelBlocks(blockTexts: readonly string[], gold: string): BlockLabels {
  const numbers = new Map<string, number>();
  const numberOf = (word: string) => {
    let number = numbers.get(word);
    if (number === undefined) numbers.set(word, (number = numbers.size));
    return number;
  };
  const goldWords = Int32Array.from(tokensOf(gold), numberOf);
  const blocks = blockTexts.map((text) => Int32Array.from(tokensOf(text), numberOf));
  const wordCounts = Int32Array.from(blocks, (words) => words.length);
  const pageWords = Int32Array.from(blocks.flatMap((words) => [...words]));
  const positions = alignWords(pageWords, goldWords);
  const coverage = new Float32Array(blocks.length);
  let start = 0;
  blocks.forEach((words, index) => {
    coverage[index] = alignedShare(positions.subarray(start, start + words.length));
    start += words.length;
  });
  const all = countSequences(goldWords);
  const left = new Map(all);
  const isCovered = (index: number) => coverage[index]! >= COVERED;
  blocks.forEach((words, index) => {
    if (!isCovered(index)) return;
    coverage[index] = Math.max(coverage[index]!, sequenceShare(words, all));
    useSequences(words, left);
  });
  const copies = new Uint8Array(blocks.length);
  blocks.forEach((words, index) => {
    if (isCovered(index)) return;
    coverage[index] = Math.max(coverage[index]!, sequenceShare(words, left));
    if (isCovered(index)) useSequences(words, left);
    else if (sequenceShare(words, all) >= COVERED) copies[index] = 1;
  });
  return { coverage, wordCounts, copies, found: foundShare(pageWords, goldWords) };
}

function foundShare(page: Int32Array, gold: Int32Array): number {
  const left = new Map<number, number>();
  for (const word of page) left.set(word, (left.get(word) ?? 0) + 1);
  let found = 0;
  for (const word of gold) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    found++;
  }
  return found / (gold.length || 1);
}

/** For each page word its place in the gold text, or -1. */
function alignWords(page: Int32Array, gold: Int32Array): Int32Array {
  const positions = new Int32Array(page.length).fill(-1);
  const width = gold.length + 1;
  if (page.length === 0 || gold.length === 0 || (page.length + 1) * width > MAX_CELLS) return positions;
  const steps = fillTable(page, gold);
  let inRun = false;
  for (let i = page.length, j = gold.length; i > 0 && j > 0;) {
    const cell = steps[i * width + j]!;
    const step = cell & 3;
    if (inRun || step === FROM_MATCH) {
      positions[i - 1] = j - 1;
      inRun = (cell & RUN_CONTINUES) !== 0;
      i--;
      j--;
    } else if (step === FROM_ABOVE) i--;
    else j--;
  }
  return positions;
}

function fillTable(page: Int32Array, gold: Int32Array): Uint8Array {
  const width = gold.length + 1;
  const steps = new Uint8Array((page.length + 1) * width);
  let best = new Int32Array(width);
  let run = new Int32Array(width).fill(UNREACHED);
  let nextBest = new Int32Array(width);
  let nextRun = new Int32Array(width).fill(UNREACHED);
  for (let i = 1; i <= page.length; i++) {
    const word = page[i - 1]!;
    for (let j = 1; j < width; j++) {
      let matched = UNREACHED;
      let continues = 0;
      if (gold[j - 1] === word) {
        const fresh = best[j - 1]! + MATCH;
        const longer = run[j - 1]! + MATCH + RUN_BONUS;
        matched = Math.max(fresh, longer);
        if (longer > fresh) continues = RUN_CONTINUES;
      }
      nextRun[j] = matched;
      let score = best[j]!;
      let step = FROM_ABOVE;
      if (nextBest[j - 1]! > score) {
        score = nextBest[j - 1]!;
        step = FROM_LEFT;
      }
      if (matched > 0 && matched >= score) {
        score = matched;
        step = FROM_MATCH;
      }
      nextBest[j] = score;
      steps[i * width + j] = step | continues;
    }
    [best, nextBest] = [nextBest, best];
    [run, nextRun] = [nextRun, run];
  }
  return steps;
}

/** Short blocks whose words are matched here and there count half: such matches are mostly chance. */
function alignedShare(positions: Int32Array): number {
  const matched = positions.filter((position) => position >= 0);
  if (matched.length === 0) return 0;
  const span = (matched.at(-1) ?? 0) - (matched[0] ?? 0) + 1;
  const share = matched.length / positions.length;
  return positions.length < MIN_SEQUENCE_WORDS && span > matched.length + 2 ? share / 2 : share;
}

function sequenceKey(words: Int32Array, at: number): string {
  return `${words[at]},${words[at + 1]},${words[at + 2]},${words[at + 3]}`;
}

function countSequences(words: Int32Array): Map<string, number> {
  const counts = new Map<string, number>();
  for (let at = 0; at + 4 <= words.length; at++) {
    const key = sequenceKey(words, at);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function useSequences(words: Int32Array, left: Map<string, number>): void {
  for (let at = 0; at + 4 <= words.length; at++) {
    const key = sequenceKey(words, at);
    const count = left.get(key);
    if (count !== undefined) left.set(key, count - 1);
  }
}

function sequenceShare(words: Int32Array, left: ReadonlyMap<string, number>): number {
  if (words.length < MIN_SEQUENCE_WORDS) return 0;
  const covered = new Uint8Array(words.length);
  for (let at = 0; at + 4 <= words.length; at++) {
    if ((left.get(sequenceKey(words, at)) ?? 0) > 0) covered.fill(1, at, at + 4);
  }
  return covered.reduce((sum, bit) => sum + bit, 0) / words.length;
}
