/** Learned odds of the words in class, id, role and similar attributes of the block's ancestors. */
import { type FeatureGroup, writePerElement } from "./feature-group.ts";
import type { PageMeasures } from "./page-measures.ts";
import type { HashTable } from "./words/word-hash.ts";
import { hashClassWords, summarizeOdds } from "./words/word-odds.ts";

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
    return writePerElement(page, classFeatures.names.length, (element, values) =>
      describeAncestors(page, summaries, { element, values }),
    );
  },
};

/** The summary of each name, as columns: numbers in objects would be allocated one by one. */
interface NameSummaries {
  highest: Float64Array;
  lowest: Float64Array;
  sums: Float64Array;
  known: Uint8Array;
}

function summarizeNames({ names: { examples } }: PageMeasures, table: HashTable): NameSummaries {
  const count = examples.length;
  const summaries: NameSummaries = {
    highest: new Float64Array(count),
    lowest: new Float64Array(count),
    sums: new Float64Array(count),
    known: new Uint8Array(count),
  };
  const words = new Int32Array(MAX_WORDS);
  for (let name = 0; name < count; name++) {
    const summary = summarizeOdds(words, 0, hashClassWords(examples[name]!, words), table);
    summaries.highest[name] = summary.highest;
    summaries.lowest[name] = summary.lowest;
    summaries.sums[name] = summary.sum;
    summaries.known[name] = summary.known;
  }
  return summaries;
}

function describeAncestors(
  { outline: { parents }, names: { numbers } }: PageMeasures,
  { highest, lowest, sums, known: knownWords }: NameSummaries,
  { element, values }: { element: number; values: Float32Array },
): void {
  let high = 0;
  let low = 0;
  let sum = 0;
  let near = 0;
  let far = 0;
  let top = 0;
  let known = 0;
  for (let index = element, steps = 0; index >= 0 && steps < ODDS_ANCESTORS; index = parents[index]!, steps++) {
    const name = numbers[index]!;
    if (knownWords[name] === 0) continue;
    const own = sums[name]!;
    high = Math.max(high, highest[name]!);
    low = Math.min(low, lowest[name]!);
    sum += own / (1 + steps * 0.3);
    known += knownWords[name]!;
    if (steps < 3) near += own;
    else far += own / (1 + (steps - 3) * 0.3);
    if (own !== 0) top = own;
  }
  values[0] = high;
  values[1] = low;
  values[2] = sum;
  values[3] = sums[numbers[element]!]!;
  values[4] = near;
  values[5] = far;
  values[6] = top;
  values[7] = known;
}
