/** Writes what the Python program reads: features, labels, weights and folds of every block, row by row. */
import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { BLOCK_FEATURES, computeBlockFeatures } from "../../content/main-content/features/block-features.ts";
import { computeContextFeatures, CONTEXT_FEATURES } from "../../content/main-content/features/context-features.ts";
import { compileOdds } from "../../content/main-content/features/words/word-odds.ts";
import { CASCADE } from "../../content/branding/cascade.ts";
import { FOLDS } from "./corpus.ts";
import { type Dataset, isContent, measureCorpusPage, weighBlocks } from "./dataset.ts";
import { learnOdds } from "./learn-odds.ts";

/** Parameters of the two passes, in xgboost's words. */
export const PARAMETERS = {
  first: {
    trees: 160,
    max_leaves: 16,
    eta: 0.07,
    colsample_bytree: 0.2,
    min_child_weight: 80,
    reg_lambda: 5,
    max_bin: 128,
  },
  second: {
    trees: 200,
    max_leaves: 16,
    eta: 0.05,
    colsample_bytree: 0.2,
    min_child_weight: 100,
    reg_lambda: 5,
    max_bin: 128,
  },
};

/**
 * The second pass learns from more blocks than it judges, by their probability after the first one: held-out scores are
 * the same when it judges half as many, and fall when it learns from half as many.
 */
export const LEARNED_DOUBT = { from: 0.01, to: 0.99 };

export function describeRows({ rowCount }: Dataset) {
  return {
    count: rowCount,
    folds: FOLDS,
    blockColumns: BLOCK_FEATURES,
    contextColumns: CONTEXT_FEATURES,
    cascade: CASCADE,
    learnedDoubt: LEARNED_DOUBT,
    ...PARAMETERS,
  };
}

/** Block features with the word odds of the other folds, so that no block is described with its own label. */
export function writeBlockRows({ directory, pages, tallies }: Dataset, work: string): void {
  const oddsByFold = Array.from({ length: FOLDS }, (_, fold) => compileOdds(learnOdds(tallies.values(), fold)));
  const features = openSync(join(work, "x.f32"), "w");
  for (const page of pages) {
    writeSync(features, bytesOf(computeBlockFeatures(measureCorpusPage(directory, page), oddsByFold[page.fold]!)));
  }
  closeSync(features);
  const content = pages.flatMap(({ labels }) =>
    Array.from(labels.coverage, (_, block) => (isContent(labels, block) ? 1 : 0)),
  );
  const weights = pages.flatMap(({ labels }) => [...weighBlocks(labels)]);
  const folds = pages.flatMap(({ labels, fold }) => Array.from(labels.coverage, () => fold));
  writeFileSync(join(work, "content.f32"), bytesOf(Float32Array.from(content)));
  writeFileSync(join(work, "weight.f32"), bytesOf(Float32Array.from(weights)));
  writeFileSync(join(work, "fold.u8"), Uint8Array.from(folds));
}

/** Context features of every page in every view of the first pass's probabilities. */
export function writeContextRows({ directory, pages, rowCount }: Dataset, work: string): void {
  const views = readFloats(join(work, "first-views.f32"));
  const width = CONTEXT_FEATURES.length;
  const matrices = Array.from({ length: FOLDS }, () => new Float32Array(rowCount * width));
  for (const page of pages) {
    const measures = measureCorpusPage(directory, page);
    const rows = page.labels.coverage.length;
    for (let view = 0; view < FOLDS; view++) {
      const start = view * rowCount + page.firstRow;
      const context = computeContextFeatures(measures, views.slice(start, start + rows));
      matrices[view]!.set(context, page.firstRow * width);
    }
  }
  writeFileSync(join(work, "context.f32"), "");
  for (const matrix of matrices) appendFileSync(join(work, "context.f32"), bytesOf(matrix));
}

export function readFloats(path: string): Float32Array {
  const bytes = readFileSync(path);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
