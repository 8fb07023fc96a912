/** Training rows of the trees: features, label, weight and fold of every block. */
import { BLOCK_FEATURES, computeBlockFeatures } from "../../content/main-content/features/block-features.ts";
import { computeContextFeatures, CONTEXT_FEATURES } from "../../content/main-content/features/context-features.ts";
import { compileOdds } from "../../content/main-content/features/words/word-odds.ts";
import { FOLDS } from "./corpus.ts";
import { type Dataset, isContent, measureTrainingPage } from "./dataset.ts";
import { learnOdds } from "./learn-odds.ts";
import type { Matrix } from "./trees/bin-columns.ts";

export interface TrainingRows {
  labels: Uint8Array;
  weights: Float32Array;
  folds: Uint8Array;
}

export function readRows({ pages, rowCount }: Dataset): TrainingRows {
  const rows = {
    labels: new Uint8Array(rowCount),
    weights: new Float32Array(rowCount),
    folds: new Uint8Array(rowCount),
  };
  for (const { labels, weights, fold, firstRow } of pages) {
    rows.weights.set(weights, firstRow);
    rows.folds.fill(fold, firstRow, firstRow + weights.length);
    for (let block = 0; block < weights.length; block++)
      rows.labels[firstRow + block] = isContent(labels, block) ? 1 : 0;
  }
  return rows;
}

/** Block features with the word odds of the other folds, so that no block is described with its own label. */
export function blockMatrix({ pages, rowCount, tallies }: Dataset): Matrix {
  const oddsByFold = Array.from({ length: FOLDS }, (_, fold) => compileOdds(learnOdds(tallies.values(), fold)));
  const width = BLOCK_FEATURES.length;
  const values = new Float32Array(rowCount * width);
  for (const page of pages) {
    values.set(computeBlockFeatures(measureTrainingPage(page), oddsByFold[page.fold]!), page.firstRow * width);
  }
  return { rows: rowCount, width, values };
}

/** Context features from the first pass's probabilities, each from trees that had not seen the page's site. */
export function contextMatrix({ pages, rowCount }: Dataset, probabilities: Float32Array): Matrix {
  const width = CONTEXT_FEATURES.length;
  const values = new Float32Array(rowCount * width);
  for (const page of pages) {
    const own = probabilities.slice(page.firstRow, page.firstRow + page.weights.length);
    values.set(computeContextFeatures(measureTrainingPage(page), own), page.firstRow * width);
  }
  return { rows: rowCount, width, values };
}
