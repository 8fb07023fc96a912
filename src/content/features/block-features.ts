/** The features of a page's blocks: all groups side by side. */
import { candidateFeatures } from "./candidate-features.ts";
import { classFeatures } from "./class-features.ts";
import { containerFeatures } from "./container-features.ts";
import { type FeatureGroup, type FeatureWriter, fillMatrix } from "./feature-group.ts";
import { neighbourFeatures } from "./neighbour-features.ts";
import { pageFeatures } from "./page-features.ts";
import type { PageMeasures } from "./page-measures.ts";
import { placeFeatures } from "./place-features.ts";
import { positionFeatures } from "./position-features.ts";
import { repetitionFeatures } from "./repetition-features.ts";
import { textFeatures } from "./text-features.ts";
import type { WordOdds } from "./word-odds.ts";

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

export function prepareBlockFeatures(page: PageMeasures, odds: WordOdds): FeatureWriter {
  const writers = GROUPS.map((group) => ({ write: group.prepare(page, odds), width: group.names.length }));
  return (block, matrix, offset) => {
    let at = offset;
    for (const { write, width } of writers) {
      write(block, matrix, at);
      at += width;
    }
  };
}

/** One row of `BLOCK_FEATURES` per block. */
export function computeBlockFeatures(page: PageMeasures, odds: WordOdds): Float32Array {
  return fillMatrix(prepareBlockFeatures(page, odds), page.outline.blocks.length, BLOCK_FEATURES.length);
}
