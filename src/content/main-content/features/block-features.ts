/** The features of a page's blocks: all groups side by side. */
import { candidateFeatures } from "./candidate-features.ts";
import { classFeatures } from "./class-features.ts";
import { containerFeatures } from "./container-features.ts";
import { type Columns, type FeatureGroup, writeRows } from "./feature-group.ts";
import { neighbourFeatures } from "./neighbour-features.ts";
import { pageFeatures } from "./page-features.ts";
import type { PageMeasures } from "./page-measures.ts";
import { placeFeatures } from "./place-features.ts";
import { positionFeatures } from "./position-features.ts";
import { repetitionFeatures } from "./repetition-features.ts";
import { textFeatures } from "./text-features.ts";
import type { WordOdds } from "./words/word-odds.ts";

const GROUPS: FeatureGroup[] = [
  textFeatures,
  placeFeatures,
  containerFeatures,
  candidateFeatures,
  classFeatures,
  repetitionFeatures,
  neighbourFeatures,
  positionFeatures,
  pageFeatures,
];

/** Names of the columns; the model refers to features by these. */
export const BLOCK_FEATURES: readonly string[] = GROUPS.flatMap(({ names }) => names);

/**
 * Returns a writer for each group, and the column where it starts. Group after group is faster than block after block.
 */
export function prepareBlockFeatures(page: PageMeasures, odds: WordOdds): Columns[] {
  let column = 0;
  return GROUPS.map((group) => {
    const columns = { write: group.prepare(page, odds), column };
    column += group.names.length;
    return columns;
  });
}

/** Returns one row of `BLOCK_FEATURES` per block. */
export function computeBlockFeatures(page: PageMeasures, odds: WordOdds): Float32Array {
  const rows = page.outline.blocks.length;
  const width = BLOCK_FEATURES.length;
  const matrix = new Float32Array(rows * width);
  writeRows(prepareBlockFeatures(page, odds), { matrix, width, start: 0, rows });
  return matrix;
}
