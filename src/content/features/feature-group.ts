import type { PageMeasures } from "./page-measures.ts";
import type { WordOdds } from "./word-odds.ts";

/** Writes the group's values for one block into the matrix, from `offset` on, in the order of the group's names. */
export type FeatureWriter = (block: number, matrix: Float32Array, offset: number) => void;

/** Features that share their preparation: what is computed once per page, and then read for each block. */
export interface FeatureGroup {
  names: readonly string[];
  prepare(page: PageMeasures, odds: WordOdds): FeatureWriter;
}
