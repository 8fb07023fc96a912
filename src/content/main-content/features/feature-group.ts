import type { PageMeasures } from "./page-measures.ts";
import type { WordOdds } from "./words/word-odds.ts";

/** Writes the group's values for one block into a matrix, from `offset` on, in the order of the group's names. */
export type FeatureWriter = (block: number, matrix: Float32Array, offset: number) => void;

/** Features that share their preparation, which is computed once per page and then read for each block. */
export interface FeatureGroup {
  names: readonly string[];
  prepare(page: PageMeasures, odds: WordOdds): FeatureWriter;
}

/**
 * Returns a writer of values that depend on the block's element alone; neighbours of one element share them. `describe`
 * fills all of the `width` values, in an array that is reused for the next element.
 */
export function writePerElement(
  { outline }: PageMeasures,
  width: number,
  describe: (element: number, values: Float32Array) => void,
): FeatureWriter {
  const values = new Float32Array(width);
  let known = -1;
  return (block, matrix, offset) => {
    const { element } = outline.blocks[block]!;
    if (element !== known) {
      describe(element, values);
      known = element;
    }
    for (let index = 0; index < width; index++) matrix[offset + index] = values[index]!;
  };
}

/** A writer and its first column. */
export interface Columns {
  write: FeatureWriter;
  column: number;
}

interface RowRange {
  matrix: Float32Array;
  width: number;
  start: number;
  rows: number;
  /** 1 for each row that is to be written; all are when it is missing. */
  wanted?: Uint8Array;
}

/** Writes `rows` blocks from `start` on into the first rows of a matrix. */
export function writeRows(columns: readonly Columns[], { matrix, width, start, rows, wanted }: RowRange): void {
  for (const { write, column } of columns) {
    for (let row = 0; row < rows; row++) if (wanted?.[row] !== 0) write(start + row, matrix, row * width + column);
  }
}
