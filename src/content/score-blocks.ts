/** The probability of each block to be main content: two passes of boosted trees, the second one in sight of the first. */
import { BLOCK_FEATURES, computeBlockFeatures } from "./features/block-features.ts";
import { computeContextFeatures, CONTEXT_FEATURES } from "./features/context-features.ts";
import type { PageMeasures } from "./features/page-measures.ts";
import { predictRows } from "./model/boosted-trees.ts";
import { loadModel } from "./model/load-model.ts";

/** The columns of the second pass: the context's features, then the block's own. */
export const SECOND_PASS_FEATURES: readonly string[] = [...CONTEXT_FEATURES, ...BLOCK_FEATURES];

export function scoreBlocks(page: PageMeasures): Float32Array {
  const { odds, firstPass, secondPass } = loadModel();
  const features = computeBlockFeatures(page, odds);
  const first = predictRows(firstPass, features, BLOCK_FEATURES.length);
  const context = computeContextFeatures(page, first);
  return predictRows(
    secondPass,
    joinColumns(context, features, page.outline.blocks.length),
    SECOND_PASS_FEATURES.length,
  );
}

/** Puts two matrices of `rows` rows side by side. */
export function joinColumns(left: Float32Array, right: Float32Array, rows: number): Float32Array {
  const leftWidth = rows === 0 ? 0 : left.length / rows;
  const rightWidth = rows === 0 ? 0 : right.length / rows;
  const joined = new Float32Array(left.length + right.length);
  for (let row = 0; row < rows; row++) {
    const offset = row * (leftWidth + rightWidth);
    joined.set(left.subarray(row * leftWidth, (row + 1) * leftWidth), offset);
    joined.set(right.subarray(row * rightWidth, (row + 1) * rightWidth), offset + leftWidth);
  }
  return joined;
}
