/** What the learned odds say of the words in class, id, role and similar attributes of the block's ancestors. */
import { type FeatureGroup, writePerElement } from "./feature-group.ts";
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
    const summaryOf = rememberSummaries(page, classes);
    return writePerElement(page, (element) => describeAncestors(page, summaryOf, element));
  },
};

/** Each element is summed up when it is first asked for, and elements of one name only once. */
function rememberSummaries({ outline }: PageMeasures, table: OddsTable): (index: number) => OddsSummary {
  const known: (OddsSummary | undefined)[] = [];
  const byName = new Map<string, OddsSummary>();
  return (index) => {
    let summary = known[index];
    if (summary !== undefined) return summary;
    const key = nameKey(outline.elements[index]!);
    summary = byName.get(key);
    if (summary === undefined) byName.set(key, (summary = summarizeOdds(classWords(key), table)));
    known[index] = summary;
    return summary;
  };
}

function describeAncestors(
  { outline }: PageMeasures,
  summaryOf: (index: number) => OddsSummary,
  element: number,
): number[] {
  let [high, low, sum, near, far, top, known] = [0, 0, 0, 0, 0, 0, 0];
  for (let index = element, steps = 0; index >= 0 && steps < ODDS_ANCESTORS; index = outline.parents[index]!, steps++) {
    const summary = summaryOf(index);
    high = Math.max(high, summary.highest);
    low = Math.min(low, summary.lowest);
    sum += summary.sum / (1 + steps * 0.3);
    known += summary.known;
    if (steps < 3) near += summary.sum;
    else far += summary.sum / (1 + (steps - 3) * 0.3);
    if (summary.sum !== 0) top = summary.sum;
  }
  return [high, low, sum, summaryOf(element).sum, near, far, top, known];
}
