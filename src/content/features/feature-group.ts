import type { PageMeasures } from "./page-measures.ts";
import type { WordOdds } from "./word-odds.ts";

/** Writes the group's values for one block into a matrix, from `offset` on, in the order of the group's names. */
export type FeatureWriter = (block: number, matrix: Float32Array, offset: number) => void;

/** Features that share their preparation: what is computed once per page, and then read for each block. */
export interface FeatureGroup {
  names: readonly string[];
  prepare(page: PageMeasures, odds: WordOdds): FeatureWriter;
}

/** A writer of values that depend on the block's element alone; neighbours of one element share them. */
export function writePerElement(
  { outline }: PageMeasures,
  describe: (element: number) => ArrayLike<number>,
): FeatureWriter {
  let known = -1;
  let values: ArrayLike<number> = [];
  return (block, matrix, offset) => {
    const { element } = outline.blocks[block]!;
    if (element !== known) {
      values = describe(element);
      known = element;
    }
    matrix.set(values, offset);
  };
}

/** One matrix of all blocks, row by row. */
export function fillMatrix(write: FeatureWriter, rows: number, width: number): Float32Array {
  const matrix = new Float32Array(rows * width);
  for (let block = 0; block < rows; block++) write(block, matrix, block * width);
  return matrix;
}
