/** Unpacks the trained model on first use; later calls return the same object. */
import { BLOCK_FEATURES } from "../features/block-features.ts";
import { CONTEXT_FEATURES } from "../features/context-features.ts";
import { compileOdds, type WordOdds } from "../features/words/word-odds.ts";
import { type BoostedTrees, type PackedTrees, unpackTrees } from "./boosted-trees.ts";
import packedModel from "./main-content.json" with { type: "json" };
import { type PackedOdds, unpackOdds } from "./packed-odds.ts";

/** The model file. */
export interface PackedModel {
  /** Origin of the model: data set and licence, date, program, parameters, scores. */
  provenance: Record<string, unknown>;
  firstPass: PackedTrees;
  secondPass: PackedTrees;
  odds: PackedOdds;
}

export interface MainContentModel {
  firstPass: BoostedTrees;
  secondPass: BoostedTrees;
  odds: WordOdds;
}

/** Both passes read rows of the same shape. */
const COLUMNS = [...CONTEXT_FEATURES, ...BLOCK_FEATURES];

let loaded: MainContentModel | undefined;

export function loadModel(): MainContentModel {
  loaded ??= unpackModel(packedModel);
  return loaded;
}

/** Makes a model of the file that the training program writes. */
export function unpackModel({ firstPass, secondPass, odds }: Omit<PackedModel, "provenance">): MainContentModel {
  return {
    firstPass: unpackTrees(firstPass, COLUMNS),
    secondPass: unpackTrees(secondPass, COLUMNS),
    odds: compileOdds(unpackOdds(odds)),
  };
}
