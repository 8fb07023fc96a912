/** Learned odds of the words in class, id, role and similar attributes of the block's ancestors. */
import { type FeatureGroup, writePerElement } from "./feature-group.ts";
import type { PageMeasures } from "./page-measures.ts";
import type { HashTable } from "./words/word-hash.ts";
import { hashClassWords, type OddsSummary, summarizeOdds } from "./words/word-odds.ts";

export const ODDS_ANCESTORS = 14;
const MAX_WORDS = 64;

export const classFeatures: FeatureGroup = {
  names: [
    "classOddsHigh",
    "classOddsLow",
    "classOddsSum",
    "classOddsOwn",
    "classOddsNear",
    "classOddsFar",
    "classOddsTop",
    "classOddsKnown",
  ],
  prepare(page, { classes }) {
    const summaries = summarizeNames(page, classes);
    return writePerElement(page, classFeatures.names.length, (element, values) => {
      values.set(describeAncestors(page, summaries, element));
    });
  },
};

function summarizeNames({ names }: PageMeasures, table: HashTable): OddsSummary[] {
  const words = new Int32Array(MAX_WORDS);
  return names.examples.map((element) => summarizeOdds(words, 0, hashClassWords(element, words), table));
}

function describeAncestors({ outline, names }: PageMeasures, summaries: OddsSummary[], element: number): number[] {
  let [high, low, sum, near, far, top, known] = [0, 0, 0, 0, 0, 0, 0];
  for (let index = element, steps = 0; index >= 0 && steps < ODDS_ANCESTORS; index = outline.parents[index]!, steps++) {
    const summary = summaries[names.numbers[index]!]!;
    if (summary.known === 0) continue;
    high = Math.max(high, summary.highest);
    low = Math.min(low, summary.lowest);
    sum += summary.sum / (1 + steps * 0.3);
    known += summary.known;
    if (steps < 3) near += summary.sum;
    else far += summary.sum / (1 + (steps - 3) * 0.3);
    if (summary.sum !== 0) top = summary.sum;
  }
  return [high, low, sum, summaries[names.numbers[element]!]!.sum, near, far, top, known];
}
