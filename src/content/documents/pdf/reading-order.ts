import type { WorkBudget } from "../../../core/work-budget.ts";
import { charactersOf, MIN_PROSE_CHARACTERS, splitColumns } from "./split-columns.ts";
import type { Block } from "./block.ts";
import { inReadingOrder, isRightToLeft, isRtlLine } from "./direction/line-direction.ts";
import { COMPARISONS_PER_STEP } from "./pdf-work.ts";
import type { RulingLine } from "./pages/ruling-lines.ts";
import { ruledTables } from "./tables/ruled-tables.ts";
import { CellBorders } from "./tables/cell-borders.ts";
import { isInFrame, partSideFrames } from "./tables/side-frames.ts";
import { partSideTables } from "./tables/side-tables.ts";
import { type Frame, framesOf, heightOf } from "./tables/table-frames.ts";
import type { Line, Segment, TextRun } from "./text-run.ts";
import { splitAtGaps, textOfRuns, toSegment, WIDE_LETTERS } from "./text-run.ts";

type Table = Extract<Block, { type: "table" }>;

/** More frames than this on one page are a drawing. */
const MAX_FRAMES = 100;
/** A table with fewer rows between drawn lines may be columns of text between two lines of the page. */
const MIN_RULED_BANDS = 2;
/** Lines of prose fill their column. */
const MIN_PROSE_FILL = 0.6;
const MIN_PROSE_LINES = 6;
/** Lines of all columns between two drawn lines of a page. */
const MIN_PAGE_LINES = 20;

/** Segments of a line that another one is compared with when the budget is spent. */
const MAX_NEAR = 16;

/** A raised or lowered text with more letters is a line of its own. */
const MAX_SCRIPT_LETTERS = 6;

/**
 * Orders the text of a page: regions in reading order, their lines from top to bottom. Columns of a table in drawn lines are
 * no columns of the page, and tables beside one another are regions of their own.
 */
export function readingOrder(runs: TextRun[], budget: WorkBudget, rules: readonly RulingLine[] = []): Line[][] {
  const isRtlPage = isRightToLeft(runs.map((run) => run.text));
  const borders = new CellBorders(rules, budget);
  const toLines = linesWith(isRtlPage, borders, budget);
  const { segments, frames } = withWholeRows(toSegments(runs, borders), { rules, borders }, budget);
  return splitColumns(segments, budget)
    .flatMap((region) => partSideFrames(region, frames, budget))
    .flatMap((region) => {
      const lines = toLines(region);
      return partSideTables(lines, rules, budget)?.map(toLines) ?? [lines];
    })
    .filter((lines) => lines.length > 0);
}

function toSegments(runs: TextRun[], borders: CellBorders): Segment[] {
  const rows: TextRun[][] = [];
  for (const run of runs.toSorted((a, b) => a.baseline - b.baseline)) {
    const row = rows.at(-1);
    const first = row?.[0];
    const isSameRow = first !== undefined && run.baseline - first.baseline < Math.min(run.size, first.size) * 0.2;
    if (row !== undefined && isSameRow) row.push(run);
    else rows.push([run]);
  }
  return rows.flatMap((row) =>
    splitAtBorders(
      row.toSorted((a, b) => a.left - b.left),
      borders,
    ),
  );
}

function splitAtBorders(runs: TextRun[], borders: CellBorders): Segment[] {
  return splitAtGaps(runs, (before, after) => borders.parts(before, after));
}

/** Joins the cells of each line of tables that drawn lines enclose. Returns the segments and the frames of these tables. */
function withWholeRows(
  segments: Segment[],
  { rules, borders }: { rules: readonly RulingLine[]; borders: CellBorders },
  budget: WorkBudget,
): { segments: Segment[]; frames: Frame[] } {
  if (rules.length < 2) return { segments, frames: [] };
  const frames = framesOf(rules, [], budget);
  if (frames.length > MAX_FRAMES) return { segments, frames: [] };
  const tables: Frame[] = [];
  const tallest = frames.toSorted((a, b) => heightOf(b) - heightOf(a));
  let whole = segments;
  for (const frame of tallest) {
    if (!budget.take((whole.length + rules.length) / COMPARISONS_PER_STEP)) break;
    const inside = whole.filter((segment) => isInFrame(segment, frame));
    const lines = linesWith(false, borders, budget)(inside);
    if (lines.length < 2 || lines.length === inside.length || isPage(frame, inside)) continue;
    const table = ruledTables(lines, rules, budget).get(0);
    if (table === undefined || table.rows.flat().length < lines.length || isProse(table, frame)) continue;
    const { left, right } = frame;
    const rows = lines.map((line): Segment => {
      const joined = toSegment(line.segments.flatMap(({ runs }) => runs));
      return { ...joined, left: Math.min(left, joined.left), right: Math.max(right, joined.right) };
    });
    tables.push(frame);
    whole = [...whole.filter((segment) => !isInFrame(segment, frame)), ...rows];
  }
  return { segments: whole, frames: tables };
}

/** Reports whether two drawn lines enclose the text of a page, as that of its running head and that above its notes do. */
function isPage({ heights }: Frame, inside: readonly Segment[]): boolean {
  if (heights.length > 2 || inside.length < MIN_PAGE_LINES) return false;
  let [all, prose] = [0, 0];
  for (const segment of inside) {
    const characters = charactersOf(segment);
    all += characters;
    if (characters >= MIN_PROSE_CHARACTERS) prose += characters;
  }
  return prose > all * MIN_PROSE_FILL;
}

/** Reports whether a table without lines between its rows is columns of prose. */
function isProse({ rows, cells, columns }: Table, { heights }: Frame): boolean {
  const lines = rows.flat().length;
  if (heights.length > MIN_RULED_BANDS && lines < heights.length * MIN_PROSE_LINES) return false;
  return Array.from({ length: columns }, (_, at) => {
    const widths = cells.flatMap((row) => row[at] ?? []).map(({ left, right }) => right - left);
    const wide = widths.filter((width) => width > Math.max(...widths) * MIN_PROSE_FILL);
    return widths.length >= MIN_PROSE_LINES && wide.length > widths.length * 0.6;
  }).every(Boolean);
}

/** Returns a function that puts the segments of a region together to lines, from top to bottom. */
function linesWith(isRtlPage: boolean, borders: CellBorders, budget: WorkBudget): (segments: Segment[]) => Line[] {
  return (segments) => {
    const rows: Segment[][] = [];
    for (const segment of segments.toSorted((a, b) => a.top - b.top || a.left - b.left)) {
      const row = [rows.at(-1), rows.at(-2)].find((candidate = []) => {
        const mayCompare = budget.take(candidate.length / COMPARISONS_PER_STEP);
        return sharesLine(mayCompare ? candidate : candidate.slice(-MAX_NEAR), segment);
      });
      if (row === undefined) rows.push([segment]);
      else row.push(segment);
    }
    return rows.map((row) => toLine(row, isRtlPage, borders));
  };
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

function toLine(row: Segment[], isRtlPage: boolean, borders: CellBorders): Line {
  const runs = row.flatMap((segment) => segment.runs).toSorted((a, b) => a.left - b.left);
  const isRtl = isRtlLine(
    runs.map((run) => run.text),
    isRtlPage,
  );
  const ordered = splitAtBorders(runs, borders).map((segment) => toSegment(inReadingOrder(segment.runs, isRtl)));
  const segments = isRtl ? ordered.toReversed() : ordered;
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
    isSmallCaps: letters.length > 0 && letters.every((run) => run.isSmallCaps === true),
    text: segments.map((segment) => textOfRuns(segment.runs)).join(" "),
  };
}

/**
 * Reports whether most runs have a fixed-width font: a letter that it lacks comes from another one, as those of East Asia, which
 * are not counted.
 */
function isMostlyMonospaced(runs: TextRun[]): boolean {
  const length = (some: TextRun[]): number =>
    some.reduce((sum, { text }) => sum + text.length - (text.match(WIDE_LETTERS)?.length ?? 0), 0);
  return length(runs.filter((run) => run.isMonospaced)) > length(runs) * 0.8;
}
