/** The features of every block of a page, as one matrix: blocks × `BLOCK_FEATURES`, row by row. */
import { candidateFeatures } from "./candidate-features.ts";
import { classFeatures } from "./class-features.ts";
import { containerFeatures } from "./container-features.ts";
import type { FeatureGroup } from "./feature-group.ts";
import { headFeatures } from "./head-features.ts";
import { linkFeatures } from "./link-features.ts";
import { neighbourFeatures } from "./neighbour-features.ts";
import type { PageMeasures } from "./page-measures.ts";
import { pageFeatures } from "./page-features.ts";
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
  linkFeatures,
  headFeatures,
  pageFeatures,
];

/** Names of the columns; the model refers to features by these. */
export const BLOCK_FEATURES: readonly string[] = GROUPS.flatMap(({ names }) => names);

export function computeBlockFeatures(page: PageMeasures, odds: WordOdds): Float32Array {
  const width = BLOCK_FEATURES.length;
  const count = page.outline.blocks.length;
  const matrix = new Float32Array(count * width);
  let column = 0;
  for (const group of GROUPS) {
    const write = group.prepare(page, odds);
    for (let block = 0; block < count; block++) write(block, matrix, block * width + column);
    column += group.names.length;
  }
  return matrix;
}
