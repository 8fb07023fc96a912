import type { WorkBudget } from "../../../core/work-budget.ts";
import { splitColumns } from "./split-columns.ts";
import type { Line, Segment, TextRun } from "./text-run.ts";
import { splitAtGaps, textOfRuns, toSegment } from "./text-run.ts";

/** A raised or lowered text with more letters is a line of its own. */
const MAX_SCRIPT_LETTERS = 6;

/** Orders the text of a page: regions in reading order, their lines from top to bottom. */
export function readingOrder(runs: TextRun[], budget: WorkBudget): Line[][] {
  return splitColumns(toSegments(runs), budget)
    .map(toLines)
    .filter((lines) => lines.length > 0);
}

function toSegments(runs: TextRun[]): Segment[] {
  const rows: TextRun[][] = [];
  for (const run of runs.toSorted((a, b) => a.baseline - b.baseline)) {
    const row = rows.at(-1);
    const first = row?.[0];
    const isSameRow = first !== undefined && run.baseline - first.baseline < Math.min(run.size, first.size) * 0.2;
    if (row !== undefined && isSameRow) row.push(run);
    else rows.push([run]);
  }
  return rows.flatMap((row) => splitAtGaps(row.toSorted((a, b) => a.left - b.left)));
}

function toLines(segments: Segment[]): Line[] {
  const rows: Segment[][] = [];
  for (const segment of segments.toSorted((a, b) => a.top - b.top || a.left - b.left)) {
    const row = rows.findLast((candidate, at) => at >= rows.length - 2 && sharesLine(candidate, segment));
    if (row === undefined) rows.push([segment]);
    else row.push(segment);
  }
  return rows.map(toLine);
}

/** Reports whether a segment is in a line. Superscripts are: they are higher, but overlap with their line. */
function sharesLine(row: Segment[], segment: Segment): boolean {
  return row.some((other) => {
    const overlap = Math.min(other.bottom, segment.bottom) - Math.max(other.top, segment.top);
    return (
      overlap >
      Math.min(other.bottom - other.top, segment.bottom - segment.top) * (isScript(segment, other) ? 0.2 : 0.55)
    );
  });
}

/** Reports whether one of two segments is a small raised or lowered letter of the other, as in a fraction. */
function isScript(one: Segment, other: Segment): boolean {
  const isSmall = Math.min(one.size, other.size) < Math.max(one.size, other.size) * 0.8;
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  const gap = Math.max(one.left, other.left) - Math.min(one.right, other.right);
  if (!isSmall || Math.abs(gap) >= large.size * 0.3 || small.runs.length > MAX_SCRIPT_LETTERS) return false;
  return small.runs.reduce((sum, run) => sum + run.text.trim().length, 0) <= MAX_SCRIPT_LETTERS;
}

function toLine(row: Segment[]): Line {
  const runs = row.flatMap((segment) => segment.runs).toSorted((a, b) => a.left - b.left);
  const isRightToLeft = runs.filter((run) => run.isRightToLeft).length * 2 > runs.length;
  const ordered = splitAtGaps(runs).map((segment) => (isRightToLeft ? toSegment(segment.runs.toReversed()) : segment));
  const segments = isRightToLeft ? ordered.toReversed() : ordered;
  const { left, right, top, bottom, baseline, size } =
    segments.length === 1 && segments[0] ? segments[0] : toSegment(runs);
  const letters = runs.filter((run) => /[\p{L}\p{N}]/u.test(run.text));
  return {
    left,
    right,
    top,
    bottom,
    baseline,
    size,
    segments,
    isBold: letters.length > 0 && letters.every((run) => run.isBold),
    isItalic: letters.length > 0 && letters.every((run) => run.isItalic),
    isMonospaced: isMostlyMonospaced(runs),
    text: segments.map((segment) => textOfRuns(segment.runs)).join(" "),
  };
}

/** Reports whether most runs have a fixed-width font: a letter that it lacks comes from another one. */
function isMostlyMonospaced(runs: TextRun[]): boolean {
  const length = (some: TextRun[]): number => some.reduce((sum, run) => sum + run.text.length, 0);
  return length(runs.filter((run) => run.isMonospaced)) > length(runs) * 0.8;
}
