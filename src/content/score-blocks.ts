/** The probability of each block to be main content: two passes of boosted trees, the second one in sight of the first. */
import { BLOCK_FEATURES, prepareBlockFeatures } from "./features/block-features.ts";
import { CONTEXT_FEATURES, prepareContextFeatures } from "./features/context-features.ts";
import { type Columns, writeRows } from "./features/feature-group.ts";
import type { PageMeasures } from "./features/page-measures.ts";
import { type BoostedTrees, predictRows } from "./model/boosted-trees.ts";
import { loadModel } from "./model/load-model.ts";

/** Columns before the block features: the first pass leaves them empty. */
const CONTEXT_WIDTH = CONTEXT_FEATURES.length;
const WIDTH = CONTEXT_WIDTH + BLOCK_FEATURES.length;
/** Rows that are held at a time, 3.5 MB of them: pages of 100,000 blocks exist, and a Worker has 128 MB. */
const MAX_ROWS = 4096;

export function scoreBlocks(page: PageMeasures): Float32Array {
  const { odds, firstPass, secondPass } = loadModel();
  const count = page.outline.blocks.length;
  const matrix = new Float32Array(Math.min(count, MAX_ROWS) * WIDTH);
  const block = prepareBlockFeatures(page, odds).map(({ write, column }) => ({
    write,
    column: CONTEXT_WIDTH + column,
  }));
  const first = predictAll(firstPass, { matrix, count, columns: block });
  const context = { write: prepareContextFeatures(page, first), column: 0 };
  // When all rows fit, the block features of the first pass are still in place.
  const columns = count <= MAX_ROWS ? [context] : [context, ...block];
  return predictAll(secondPass, { matrix, count, columns });
}

interface Rows {
  matrix: Float32Array;
  count: number;
  columns: Columns[];
}

function predictAll(trees: BoostedTrees, { matrix, count, columns }: Rows): Float32Array {
  const probabilities = new Float32Array(count);
  for (let start = 0; start < count; start += MAX_ROWS) {
    const rows = Math.min(MAX_ROWS, count - start);
    writeRows(columns, { matrix, width: WIDTH, start, rows });
    probabilities.set(predictRows(trees, matrix.subarray(0, rows * WIDTH), WIDTH), start);
  }
  return probabilities;
}
