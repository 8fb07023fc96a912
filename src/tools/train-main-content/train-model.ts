/** Trains the two passes, once for each held-out fold of sites and once on everything. */
import { BLOCK_FEATURES } from "../../content/main-content/features/block-features.ts";
import { CONTEXT_FEATURES } from "../../content/main-content/features/context-features.ts";
import type { PackedModel } from "../../content/main-content/model/load-model.ts";
import { packOdds } from "../../content/main-content/model/packed-odds.ts";
import { CASCADE } from "../../content/main-content/cascade.ts";
import { FOLDS } from "./corpus.ts";
import type { Dataset } from "./dataset.ts";
import { learnOdds } from "./learn-odds.ts";
import { nameSplits, packTrees } from "./pack-model.ts";
import { blockMatrix, contextMatrix, readRows, type TrainingRows } from "./training-rows.ts";
import { type BinnedColumns, binColumns, joinColumns } from "./trees/bin-columns.ts";
import type { BoostParameters } from "./trees/boost-trees.ts";
import { fitAll } from "./trees/fit-all.ts";
import type { FitResult } from "./trees/fit-job.ts";

export interface PassParameters extends BoostParameters {
  maxBins: number;
}

export const PARAMETERS: Record<"first" | "second", PassParameters> = {
  first: {
    trees: 200,
    maxLeaves: 20,
    learningRate: 0.07,
    columnShare: 0.2,
    rowShare: 0.25,
    minLeafWeight: 80,
    lambda: 5,
    maxBins: 96,
  },
  second: {
    trees: 240,
    maxLeaves: 20,
    learningRate: 0.05,
    columnShare: 0.2,
    rowShare: 0.25,
    minLeafWeight: 100,
    lambda: 5,
    maxBins: 96,
  },
};

/**
 * The second pass learns from more blocks than it judges, by their probability after the first one: held-out scores are
 * the same when it judges half as many, and fall when it learns from half as many.
 */
export const LEARNED_DOUBT = { from: 0.01, to: 0.99 };

export type UnnamedModel = Omit<PackedModel, "provenance">;

export interface TrainedModels {
  /** The model that has not seen the sites of a fold, for each fold. */
  byFold: UnnamedModel[];
  /** The model that has seen every site. */
  whole: UnnamedModel;
}

/** A number of no fold: nothing is held out. */
const NO_FOLD = -1;
const FITS = [...Array(FOLDS).keys(), NO_FOLD];

export async function trainModels(
  dataset: Dataset,
  { threads, log }: { threads: number; log: (line: string) => void },
): Promise<TrainedModels> {
  const rows = readRows(dataset);
  const blocks = binColumns([blockMatrix(dataset)], rows.weights, PARAMETERS.first.maxBins);
  log(`${BLOCK_FEATURES.length} features of ${dataset.rowCount} blocks`);
  const first = await fitPass({ data: blocks, rows, parameters: PARAMETERS.first, threads });
  log(`first pass trained, ${rows.weights.filter((weight) => weight > 0).length} rows`);
  const probabilities = heldOutProbabilities(first, rows);
  const context = binColumns([contextMatrix(dataset, probabilities)], rows.weights, PARAMETERS.second.maxBins);
  const data = joinColumns(context, blocks);
  const weights = rows.weights.map((weight, row) => (isToLearnFrom(probabilities[row]!) ? weight : 0));
  const second = await fitPass({ data, rows: { ...rows, weights }, parameters: PARAMETERS.second, threads });
  log("second pass trained");
  const models = FITS.map((fold, index) => ({
    firstPass: packTrees(nameSplits(first[index]!.trees, blocks, BLOCK_FEATURES)),
    secondPass: packTrees(nameSplits(second[index]!.trees, data, [...CONTEXT_FEATURES, ...BLOCK_FEATURES])),
    odds: packOdds(learnOdds(dataset.tallies.values(), fold)),
  }));
  return { byFold: models.slice(0, FOLDS), whole: models[FOLDS]! };
}

interface Pass {
  data: BinnedColumns;
  rows: TrainingRows;
  parameters: BoostParameters;
  threads: number;
}

function fitPass({ data, rows, parameters, threads }: Pass): Promise<FitResult[]> {
  const earlyTrees = CASCADE.earlyExit.trees;
  const jobOf = (fold: number) => ({ data, ...rows, heldOut: [fold], parameters, earlyTrees });
  return fitAll(FITS.map(jobOf), threads);
}

/** Returns what the classifier says of each block when it has not seen the block's site: clear ones are settled early. */
function heldOutProbabilities(results: readonly FitResult[], { folds }: TrainingRows): Float32Array {
  return Float32Array.from(folds, (fold, row) => {
    const { logOdds, earlyLogOdds } = results[fold]!;
    const early = earlyLogOdds[row]!;
    return 1 / (1 + Math.exp(-(Math.abs(early) >= CASCADE.earlyExit.logOdds ? early : logOdds[row]!)));
  });
}

function isToLearnFrom(probability: number): boolean {
  return probability >= LEARNED_DOUBT.from && probability <= LEARNED_DOUBT.to;
}
