/** Lines between headings and their texts, such as the dates of the entries of a blog. */
import { levelOf } from "../blocks.ts";
import type { ChoiceToComplete } from "./completion.ts";

/** Words. Longer lines are texts of their own, on which the classifier decides. */
const MAX_SIZE = 12;
/** Below this a line is of another kind than the kept ones of its shape. */
const MIN_PROBABILITY = 0.2;
/** Minimum number and share of kept lines of one shape from which the others are kept. */
const MIN_KEPT = 2;
const KEPT_SHARE = 0.5;

interface Lines {
  kept: number;
  /** Blocks. */
  left: number[];
}

/** Keeps the short line between a kept heading and kept text where most lines of the same shape are kept. */
export function keepHeadingLines({ page, probabilities, kept }: ChoiceToComplete): void {
  const { outline, text, repetition } = page;
  const byShapes = new Map<number, Lines>();
  for (let block = 1; block < kept.length - 1; block++) {
    if (kept[block - 1] === 0 || kept[block + 1] === 0 || text.sizes[block]! > MAX_SIZE) continue;
    if (levelOf(outline, block - 1) < 2 || levelOf(outline, block) > 0) continue;
    const key = repetition.shapeOf[block - 1]! * repetition.shapes.length + repetition.shapeOf[block]!;
    let lines = byShapes.get(key);
    if (lines === undefined) byShapes.set(key, (lines = { kept: 0, left: [] }));
    if (kept[block] === 1) lines.kept++;
    else lines.left.push(block);
  }
  for (const { kept: count, left } of byShapes.values()) {
    if (count < MIN_KEPT || count < KEPT_SHARE * (count + left.length)) continue;
    for (const block of left) if (probabilities[block]! >= MIN_PROBABILITY) kept[block] = 1;
  }
}
