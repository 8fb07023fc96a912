/** Scores of pages as tables: by source, by page type and by language. */
import type { PageScore, SegmentScore } from "./evaluate.ts";
import { mean, meanOverlap, sumSegments } from "./metrics.ts";
import { PAGE_TYPES, type Reference, REFERENCES } from "./references.ts";

const NAME_WIDTH = 34;
/** Languages of fewer pages are one line. */
const MIN_PAGES = 4;

/** One table for a way of reading pages. */
export function formatScores(title: string, scores: readonly PageScore[], segments: readonly SegmentScore[]): string {
  const own = scores.filter(({ source }) => source === "wcxb");
  const heads = ["pages", "word F1", "prec.", "recall", "4-word F1", "prec.", "recall", "empty"];
  return [
    row(title, heads),
    ...groups(scores, ({ source }) => source).map(([name, group]) => scoreRow(name, group)),
    ...(segments.length === 0 ? [] : [segmentRow(segments)]),
    "",
    row("WCXB by type", heads),
    ...PAGE_TYPES.map((type) =>
      scoreRow(
        type,
        own.filter((score) => score.type === type),
      ),
    ),
    "",
    row("all sources by language", heads),
    ...groups(scores, ({ language }) => language, MIN_PAGES).map(([name, group]) => scoreRow(name, group)),
  ].join("\n");
}

/** The published scores of others on WCXB. */
export function formatReferences(): string {
  return [row("published, development / test", ["", "test, by type"]), ...REFERENCES.map(formatReference)].join("\n");
}

function scoreRow(name: string, scores: readonly PageScore[]): string {
  const sequences = meanOverlap(scores.map(({ overlap }) => overlap));
  const values = [
    ...(["f1", "precision", "recall"] as const).map((measure) => mean(scores.map((score) => score[measure]))),
    sequences.f1,
    sequences.precision,
    sequences.recall,
  ];
  const empty = scores.filter(({ isEmpty }) => isEmpty).length;
  return row(name, [`${scores.length}`, ...values.map((value) => value.toFixed(4)), `${empty}`]);
}

function segmentRow(segments: readonly SegmentScore[]): string {
  const { f1, precision, recall } = sumSegments(segments);
  const empty = segments.filter(({ isEmpty }) => isEmpty).length;
  const values = [f1, precision, recall].map((value) => value.toFixed(4));
  return row("segments (F1, precision, recall)", [`${segments.length}`, ...values, "", "", "", `${empty}`]);
}

/** Groups scores by a key, larger groups first; those of few pages together, as the last one. */
function groups(
  scores: readonly PageScore[],
  keyOf: (score: PageScore) => string,
  least = 1,
): [name: string, scores: PageScore[]][] {
  const byKey = Map.groupBy(scores, keyOf);
  const large = [...byKey].filter(([, group]) => group.length >= least);
  const rest = [...byKey.values()].filter((group) => group.length < least).flat();
  const sorted = large.toSorted(([, left], [, right]) => right.length - left.length);
  return rest.length === 0 ? sorted : [...sorted, ["others", rest]];
}

export function meanF1(scores: readonly PageScore[]): number {
  return mean(scores.map(({ f1 }) => f1));
}

export function f1ByType(scores: readonly PageScore[]): Record<string, number> {
  const entries = PAGE_TYPES.map(
    (type) => [type, round(meanF1(scores.filter((score) => score.type === type)))] as const,
  );
  return Object.fromEntries(entries);
}

export const round = (value: number) => Math.round(value * 10_000) / 10_000;

function formatReference({ name, development, test, testByType }: Reference): string {
  const show = (value: number | undefined) => value?.toFixed(3) ?? "-";
  return row(`${name}: ${show(development)} / ${show(test)}`, ["", ...testByType.map(show)]);
}

function row(name: string, cells: string[]): string {
  return (
    name.padEnd(NAME_WIDTH) +
    cells
      .map((cell) => cell.padEnd(9))
      .join(" ")
      .trimEnd()
  );
}
