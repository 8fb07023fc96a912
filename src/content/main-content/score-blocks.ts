/**
 * The probability of each block to be main content: two passes of boosted trees, the second one with the results of the
 * first, and a correction for rows of like items.
 */
import { CASCADE } from "./cascade.ts";
import { BLOCK_FEATURES, prepareBlockFeatures } from "./features/block-features.ts";
import { CONTEXT_FEATURES, prepareContextFeatures } from "./features/context-features.ts";
import { writeRows } from "./features/feature-group.ts";
import type { PageMeasures } from "./features/page-measures.ts";
import { judgeRows } from "./like-items.ts";
import { predictRows } from "./model/boosted-trees.ts";
import { loadModel, type MainContentModel } from "./model/load-model.ts";

/** Columns before the block features: the trees of the first pass do not use them. */
const CONTEXT_WIDTH = CONTEXT_FEATURES.length;
const WIDTH = CONTEXT_WIDTH + BLOCK_FEATURES.length;
/** Rows that are held at a time, 1.7 MB of them: pages of 100,000 blocks exist, and a Worker has 128 MB. */
const MAX_ROWS = 2048;

/** Memory for the rows, reused from page to page: arrays per page would wait long for the garbage collector. */
let held = new Float32Array(0);

function roomFor(rows: number): Float32Array {
  if (held.length < rows * WIDTH) held = new Float32Array(Math.min(MAX_ROWS, 2 * rows) * WIDTH);
  return held;
}

/** Work per block and pass: its features, and the path through the trees. */
const STEPS_PER_ROW = 64;

/** @throws AppError `SCRAPE_WORK_LIMIT` when the page's budget is spent. */
export function scoreBlocks(page: PageMeasures, model: MainContentModel = loadModel()): Float32Array {
  const { odds, firstPass, secondPass } = model;
  const count = page.outline.blocks.length;
  const matrix = roomFor(Math.min(count, MAX_ROWS));
  const block = prepareBlockFeatures(page, odds).map(({ write, column }) => ({
    write,
    column: CONTEXT_WIDTH + column,
  }));
  const first = new Float32Array(count);
  eachBatch(count, matrix, (start, rows, part) => {
    spendRows(page, start, rows);
    writeRows(block, { matrix, width: WIDTH, start, rows });
    first.set(predictRows(firstPass, { matrix: part, width: WIDTH, earlyExit: CASCADE.earlyExit }), start);
  });
  const context = { write: prepareContextFeatures(page, first), column: 0 };
  const doubtful = new Uint8Array(count);
  for (let index = 0; index < count; index++) if (isInDoubt(first[index]!)) doubtful[index] = 1;
  const result = first.slice();
  eachBatch(count, matrix, (start, rows, part) => {
    spendRows(page, start, rows);
    const wanted = doubtful.subarray(start, start + rows);
    // When all rows fit, the block features of the first pass are still in place.
    if (count > MAX_ROWS) writeRows(block, { matrix, width: WIDTH, start, rows, wanted });
    writeRows([context], { matrix, width: WIDTH, start, rows, wanted });
    const corrected = predictRows(secondPass, { matrix: part, width: WIDTH, wanted });
    for (let row = 0; row < rows; row++) if (wanted[row] === 1) result[start + row] = corrected[row]!;
  });
  return judgeRows(page, result);
}

/** Counts the work: some features examine all elements around a block. */
function spendRows({ outline, budget }: PageMeasures, start: number, rows: number): void {
  for (let block = start; block < start + rows; block++) {
    budget.spend(STEPS_PER_ROW + outline.depths[outline.blocks[block]!.element]!);
  }
}

function isInDoubt(probability: number): boolean {
  return probability >= CASCADE.doubt.from && probability <= CASCADE.doubt.to;
}

function eachBatch(
  count: number,
  matrix: Float32Array,
  handle: (start: number, rows: number, part: Float32Array) => void,
): void {
  for (let start = 0; start < count; start += MAX_ROWS) {
    const rows = Math.min(MAX_ROWS, count - start);
    handle(start, rows, matrix.subarray(0, rows * WIDTH));
  }
}
