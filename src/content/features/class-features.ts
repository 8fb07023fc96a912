/** What the learned odds say of the words in class, id, role and similar attributes of the block's ancestors. */
import type { FeatureGroup } from "./feature-group.ts";
import type { PageMeasures } from "./page-measures.ts";
import { classWords, nameKey, type OddsSummary, type OddsTable, summarizeOdds } from "./word-odds.ts";

export const ODDS_ANCESTORS = 14;

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
    const { outline } = page;
    const summaries = summarizeElements(page, classes);
    const cache = new Map<number, number[]>();
    return (block, matrix, offset) => {
      const { element } = outline.blocks[block]!;
      let values = cache.get(element);
      if (values === undefined) cache.set(element, (values = describeAncestors(page, summaries, element)));
      matrix.set(values, offset);
    };
  },
};

function summarizeElements({ outline }: PageMeasures, table: OddsTable): OddsSummary[] {
  const cache = new Map<string, OddsSummary>();
  return outline.elements.map((element) => {
    const key = nameKey(element);
    let summary = cache.get(key);
    if (summary === undefined) cache.set(key, (summary = summarizeOdds(classWords(key), table)));
    return summary;
  });
}

function describeAncestors({ outline }: PageMeasures, summaries: OddsSummary[], element: number): number[] {
  let [high, low, sum, near, far, top, known] = [0, 0, 0, 0, 0, 0, 0];
  for (let index = element, steps = 0; index >= 0 && steps < ODDS_ANCESTORS; index = outline.parents[index]!, steps++) {
    const summary = summaries[index]!;
    high = Math.max(high, summary.highest);
    low = Math.min(low, summary.lowest);
    sum += summary.sum / (1 + steps * 0.3);
    known += summary.known;
    if (steps < 3) near += summary.sum;
    else far += summary.sum / (1 + (steps - 3) * 0.3);
    if (summary.sum !== 0) top = summary.sum;
  }
  return [high, low, sum, summaries[element]!.sum, near, far, top, known];
}
