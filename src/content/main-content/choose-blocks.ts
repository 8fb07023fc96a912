/**
 * Chooses the blocks to keep. The cut is where the expected F1 of the page, with each probability taken as the expected
 * share of the block's words that are content, is the highest: 2·Σ(p·n) / (Σn + Σ(p·n of all blocks)) over the chosen.
 */
import type { PageMeasures } from "./features/page-measures.ts";
import { dropStraysOfArticle } from "./article-container.ts";
import { dropCopies } from "./drop-copies.ts";
import { declaresArticle } from "./features/page-features.ts";
import { dropNearCopies } from "./drop-near-copies.ts";
import { orderByProbability } from "./order-by-probability.ts";

export interface Choice {
  /** 1 for each block that is kept. */
  kept: Uint8Array;
  /** Expected word F1, 0 to 1. */
  confidence: number;
  /** Share of the words that was left out because the page repeats them, often or nearly word for word; 0 to 1. */
  repeatedShare: number;
}

export interface Threshold {
  threshold: number;
  /** Expected F1 at the threshold, 0 to 1. */
  expectedF1: number;
}

/** On a clear page, an unlikely block is a stray; on a difficult one it may be all there is. */
export const CUT = {
  clearPageF1: 0.88,
  clearArticleFloor: 0.6,
  /** Of other pages, short texts such as prices and names are content. */
  clearPageFloor: 0.4,
  floor: 0.2,
};
/** The expectation takes blocks for independent and is overconfident; measured on held-out pages. */
const DOUBT_FACTOR = 1.25;

export function chooseBlocks(page: PageMeasures, probabilities: Float32Array): Choice {
  const { threshold, expectedF1 } = chooseThreshold(probabilities, page.text.sizes);
  const highest = probabilities.reduce((most, probability) => Math.max(most, probability), 0);
  const clearFloor = declaresArticle(page.head) ? CUT.clearArticleFloor : CUT.clearPageFloor;
  const floor = expectedF1 > CUT.clearPageF1 ? clearFloor : CUT.floor;
  const cut = Math.min(Math.max(threshold, floor), highest);
  const kept = new Uint8Array(probabilities.length);
  for (let block = 0; block < kept.length; block++) if (probabilities[block]! >= cut) kept[block] = 1;
  dropStraysOfArticle(page, probabilities, kept);
  const copied = dropCopies(page, kept);
  const repeatedShare = copied + (1 - copied) * dropNearCopies(page, kept);
  return { kept, confidence: Math.max(0, 1 - DOUBT_FACTOR * (1 - expectedF1)), repeatedShare };
}

/** Returns the cut by expected F1. `words` are the blocks' sizes. */
export function chooseThreshold(probabilities: Float32Array, words: Float64Array): Threshold {
  const order = orderByProbability(probabilities);
  let contentOfAll = 0;
  for (const block of order) contentOfAll += probabilities[block]! * words[block]!;
  const best: Threshold = { threshold: 0.5, expectedF1: 0 };
  let content = 0;
  let size = 0;
  for (const block of order) {
    content += probabilities[block]! * words[block]!;
    size += words[block]!;
    const expectedF1 = (2 * content) / (size + contentOfAll || 1);
    if (expectedF1 <= best.expectedF1) continue;
    best.threshold = probabilities[block]!;
    best.expectedF1 = expectedF1;
  }
  return best;
}
