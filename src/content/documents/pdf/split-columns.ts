import type { WorkBudget } from "../../../core/work-budget.ts";
import { COMPARISONS_PER_STEP } from "./pdf-work.ts";
import type { Segment } from "./text-run.ts";

/** Fewer lines than this beside one another are not columns. */
const MIN_COLUMN_LINES = 4;
/** The same for tiers of vertical text, which has no tables with cells as long as lines of prose. */
const MIN_TIER_LINES = 2;
/** Lines of prose fill their column; cells of a table do not. */
const MIN_PROSE_FILL = 0.55;
/** Columns may have headings, formulas and lists: at least this share of their characters is in lines of prose. */
const MIN_PROSE_SHARE = 0.5;
/** Characters of a line of prose; a letter of Chinese, Japanese or Korean counts as two. */
export const MIN_PROSE_CHARACTERS = 20;
/** Rows beside one another that are a table. */
const MIN_TABLE_ROWS = 3;
/** A column is at least this wide, in multiples of the font size. */
const MIN_COLUMN_WIDTH = 8;
const MAX_SPLITS = 6;
/** Share of the lines of a side that are no wider than its columns; rows of a table may be over several of them. */
const USUAL_WIDTH = 0.8;
/** Share of the lines at one side of a gutter that may be nearer to it than its width. */
const MAX_NEARER = 0.15;

/** Lines of a title with what is below it, as the names of authors. */
const MAX_TITLE_LINES = 4;
/** A title is larger than the text of its columns by at least this factor, or bold. */
const MIN_TITLE_SIZE = 1.1;
/** A title is at most this far from the middle of its columns, in multiples of its size: their lines may not be justified. */
const MAX_TITLE_SHIFT = 1.5;

interface Extent {
  left: number;
  right: number;
}

/** The layout of a part of a band between two horizontal gaps: text on both sides, on one, or neither. */
type PartKind = "columns" | "side" | "flow";

/**
 * Splits text into regions to be read one after the other: columns, and the text above, below and between them.
 *
 * A gutter is an x that has lines on both sides. Lines that cross it part the page into bands; within a band, parts
 * whose lines fill both sides are columns, read left side first. Sides whose lines do not fill them are a table.
 * Without budget the text stays one region.
 */
export function splitColumns(segments: Segment[], budget: WorkBudget, depth = 0): Segment[][] {
  if (segments.length < 2 * minLinesOf(segments) || depth >= MAX_SPLITS) return [segments];
  const gutter = findGutter(segments, budget);
  if (gutter === undefined) return [segments];

  const regions: Segment[][] = [];
  // Text in no column is collected across bands, so that a paragraph or a table is not cut between them.
  let flow: Segment[] = [];
  for (const { part: whole, isColumns } of toBands(segments, gutter).flatMap((band) => splitBand(band, gutter))) {
    const title = isColumns ? titleAbove(whole, gutter, budget) : [];
    const part = whole.filter((segment) => !title.includes(segment));
    flow.push(...title);
    const left = part.filter((segment) => segment.right <= gutter);
    const right = part.filter((segment) => segment.left >= gutter);
    if (isColumns && areColumns(left, right)) {
      const sides = isRightToLeft(part) ? [right, left] : [left, right];
      regions.push(
        ...splitColumns(flow, budget, depth + 1),
        ...sides.flatMap((side) => splitColumns(side, budget, depth + 1)),
      );
      flow = [];
    } else flow.push(...part);
  }
  // Text that no column here holds may have columns of its own, elsewhere on the page.
  const rest = flow.length < segments.length ? splitColumns(flow, budget, depth + 1) : [flow];
  return [...regions, ...rest].filter((region) => region.length > 0);
}

/**
 * Returns the lines, if any, above the tops of three or more columns and in their middle: a title, and what is below it, that
 * is no wider than the column below. Text of a column that begins higher than the others is none.
 */
function titleAbove(part: Segment[], gutter: number, budget: WorkBudget): Segment[] {
  const left = part.filter((segment) => segment.right <= gutter);
  const right = part.filter((segment) => segment.left >= gutter);
  const extent = extentOf(part);
  if (extent === undefined || left.length === 0 || right.length === 0) return [];
  const [leftTop, rightTop] = [topOf(left), topOf(right)];
  const [side, top] = leftTop < rightTop ? [left, rightTop] : [right, leftTop];
  const title = side.filter(({ bottom }) => bottom <= top);
  if (title.length === 0 || title.length > MAX_TITLE_LINES) return [];
  const below = side.filter((segment) => !title.includes(segment));
  if (topOf(below) < bottomOf(title)) return [];
  const isCentred = title.every(
    (line) => Math.abs(line.left + line.right - extent.left - extent.right) < line.size * MAX_TITLE_SHIFT * 2,
  );
  const size = averageSize(below);
  const isTitle = title.some((line) => line.size > size * MIN_TITLE_SIZE || line.runs.every((run) => run.isBold));
  return isCentred && isTitle && findGutter(below, budget) !== undefined ? title : [];
}

function topOf(segments: readonly Segment[]): number {
  return segments.reduce((top, segment) => Math.min(top, segment.top), Number.POSITIVE_INFINITY);
}

function bottomOf(segments: readonly Segment[]): number {
  return segments.reduce((bottom, segment) => Math.max(bottom, segment.bottom), Number.NEGATIVE_INFINITY);
}

/** Returns the least number of lines of a column of the page, or of a tier where the text is vertical. */
function minLinesOf(segments: readonly Segment[]): number {
  return segments.every(({ runs }) => runs[0]?.isVertical === true) ? MIN_TIER_LINES : MIN_COLUMN_LINES;
}

function isRightToLeft(segments: Segment[]): boolean {
  return segments.filter(({ runs }) => runs.some((run) => run.isRightToLeft)).length * 2 > segments.length;
}

function findGutter(segments: Segment[], budget: WorkBudget): number | undefined {
  const lefts = segments.map((segment) => segment.left).toSorted((a, b) => a - b);
  const rights = segments.map((segment) => segment.right).toSorted((a, b) => a - b);
  const least = minLinesOf(segments);
  const candidates = new Set(segments.map((segment) => Math.floor(segment.left) - 1));
  let best: number | undefined;
  let bestScore = Number.NEGATIVE_INFINITY;
  let bestWidth = 0;
  for (const x of candidates) {
    if (!budget.take(segments.length / COMPARISONS_PER_STEP)) return undefined;
    const left = segments.filter((segment) => segment.right <= x);
    const right = segments.filter((segment) => segment.left >= x);
    const lines = Math.min(left.length, right.length);
    // Lines across the gutter speak against it, unless they are across every other one too.
    const score = lines - (segments.length - left.length - right.length);
    if (lines < least || score < bestScore) continue;
    // A cell of a table elsewhere on the page may be nearer to the gutter than the lines of the columns are.
    const width =
      (lefts.at(Math.floor(right.length * MAX_NEARER) - right.length) ?? 0) -
      (rights[Math.ceil(left.length * (1 - MAX_NEARER)) - 1] ?? 0);
    if (width < averageSize(segments) * 0.8) continue;
    if (score > bestScore || width > bestWidth) [best, bestScore, bestWidth] = [x, score, width];
  }
  return best;
}

/** Returns crossing lines and stretches of lines that are on one side, from top to bottom. */
function toBands(segments: Segment[], gutter: number): Segment[][] {
  const bands: Segment[][] = [];
  let isCrossing: boolean | undefined;
  for (const segment of segments.toSorted((a, b) => a.top - b.top)) {
    const crosses = segment.left < gutter && segment.right > gutter;
    const band = bands.at(-1);
    if (band === undefined || crosses !== isCrossing) bands.push([segment]);
    else band.push(segment);
    isCrossing = crosses;
  }
  return bands;
}

/**
 * Cuts a band at horizontal gaps and joins the parts that are columns. Text on one side alone belongs to the columns
 * above it, as where the other column has ended, but a short line in front of something else does not.
 */
function splitBand(band: Segment[], gutter: number): { part: Segment[]; isColumns: boolean }[] {
  const sides = [
    extentOf(band.filter((segment) => segment.right <= gutter)),
    extentOf(band.filter((segment) => segment.left >= gutter)),
  ];
  const isProse =
    isProseSide(band.filter((segment) => segment.right <= gutter)) &&
    isProseSide(band.filter((segment) => segment.left >= gutter));
  const parts: { part: Segment[]; isColumns: boolean }[] = [];
  let waiting: Segment[] = [];
  for (const part of withWholeTables(cutAtGaps(band, gutter), gutter, sides)) {
    const kind = isProse && !isTabular(part, gutter, sides) ? "columns" : kindOfPart(part, gutter, sides);
    const last = parts.at(-1);
    if (kind === "flow") {
      waiting.push(...part);
    } else if (last?.isColumns === true && (kind === "side" || waiting.every((segment) => segment.right <= gutter))) {
      last.part.push(...waiting, ...part);
      waiting = [];
    } else {
      if (waiting.length > 0) parts.push({ part: waiting, isColumns: false });
      waiting = [];
      parts.push({ part, isColumns: kind === "columns" });
    }
  }
  return waiting.length > 0 ? [...parts, { part: waiting, isColumns: false }] : parts;
}

/** Joins parts that follow each other and have cells beside cells: rows of a table whose columns are beside the gutter. */
function withWholeTables(parts: readonly Segment[][], gutter: number, sides: (Extent | undefined)[]): Segment[][] {
  const joined: Segment[][] = [];
  let rows: Segment[][] = [];
  const end = (): void => {
    if (isTabular(rows.flat(), gutter, sides)) joined.push(rows.flat());
    else joined.push(...rows);
    rows = [];
  };
  for (const part of parts) {
    const isRow = hasCellsBeside(part, gutter, sides);
    if (!isRow) end();
    if (isRow) rows.push(part);
    else joined.push(part);
  }
  end();
  return joined;
}

function hasCellsBeside(part: Segment[], gutter: number, [onLeft, onRight]: (Extent | undefined)[]): boolean {
  const left = part.filter((segment) => segment.right <= gutter);
  const right = part.filter((segment) => segment.left >= gutter);
  if (left.length === 0 || right.length === 0 || part.length < 3) return false;
  return !(onLeft !== undefined && fills(left, onLeft)) && !(onRight !== undefined && fills(right, onRight));
}

function cutAtGaps(band: Segment[], gutter: number): Segment[][] {
  const usual = Math.max(
    usualGap(band.filter((segment) => segment.right <= gutter)),
    usualGap(band.filter((segment) => segment.left >= gutter)),
  );
  const parts: Segment[][] = [];
  let bottom = 0;
  for (const segment of band.toSorted((a, b) => a.top - b.top)) {
    const last = parts.at(-1);
    if (last === undefined || segment.top - bottom > usual * 1.5 + segment.size * 0.15) parts.push([segment]);
    else last.push(segment);
    bottom = Math.max(bottom, segment.bottom);
  }
  return parts;
}

/** Returns the usual gap between the lines of one side. */
function usualGap(side: Segment[]): number {
  const sorted = side.toSorted((a, b) => a.top - b.top);
  const gaps = sorted.slice(1).map((segment, at) => segment.top - (sorted[at]?.bottom ?? 0));
  const within = gaps.filter((gap) => gap > 0).toSorted((a, b) => a - b);
  return Math.min(within[within.length >> 1] ?? 0, averageSize(side) * 0.6);
}

function kindOfPart(part: Segment[], gutter: number, [left, right]: (Extent | undefined)[]): PartKind {
  const onLeft = part.filter((segment) => segment.right <= gutter);
  const onRight = part.filter((segment) => segment.left >= gutter);
  if (onLeft.length + onRight.length < part.length) return "flow";
  const fillsLeft = left !== undefined && fills(onLeft, left);
  const fillsRight = right !== undefined && fills(onRight, right);
  if (fillsLeft && fillsRight) return "columns";
  if (onRight.length === 0 && fillsLeft && onLeft.length > 1) return "side";
  return onLeft.length === 0 && fillsRight ? "side" : "flow";
}

function fills(segments: Segment[], extent: Extent): boolean {
  if (segments.length === 0) return false;
  const shares = segments.map((segment) => (segment.right - segment.left) / (extent.right - extent.left));
  return (shares.toSorted((a, b) => a - b)[shares.length >> 1] ?? 0) >= MIN_PROSE_FILL;
}

/** Reports whether most characters of a side are in lines as wide as its columns, of which there may be several. */
function isProseSide(side: Segment[]): boolean {
  const widths = side.map((segment) => segment.right - segment.left).toSorted((a, b) => a - b);
  const usual = widths[Math.floor(widths.length * USUAL_WIDTH)] ?? 0;
  if (usual < averageSize(side) * MIN_COLUMN_WIDTH) return false;
  let [all, prose] = [0, 0];
  for (const segment of side) {
    const characters = charactersOf(segment);
    all += characters;
    if (segment.right - segment.left >= usual * 0.6 && characters >= MIN_PROSE_CHARACTERS) prose += characters;
  }
  return prose >= all * MIN_PROSE_SHARE;
}

/** Returns the number of characters of a segment; a letter of Chinese, Japanese or Korean counts as two. */
export function charactersOf(segment: Segment): number {
  const text = segment.runs.map((run) => run.text).join("");
  return text.length + (text.match(/[\u2E80-\u9FFF\uAC00-\uD7AF\uFF00-\uFFEF]/g)?.length ?? 0);
}

/** Reports whether rows of short cells on both sides share their baselines: no side has lines that fill its column. */
function isTabular(part: Segment[], gutter: number, [onLeft, onRight]: (Extent | undefined)[]): boolean {
  const left = part.filter((segment) => segment.right <= gutter);
  const right = part.filter((segment) => segment.left >= gutter);
  if (Math.min(left.length, right.length) < MIN_TABLE_ROWS || (isProseSide(left) && isProseSide(right))) return false;
  if ((onLeft !== undefined && fills(left, onLeft)) || (onRight !== undefined && fills(right, onRight))) return false;
  const isBeside = (segment: Segment): boolean =>
    right.some((other) => Math.abs(other.baseline - segment.baseline) < segment.size * 0.15);
  return left.filter(isBeside).length >= left.length * 0.7;
}

function areColumns(left: Segment[], right: Segment[]): boolean {
  const lines = Math.min(left.length, right.length);
  const areTiers = minLinesOf([...left, ...right]) === MIN_TIER_LINES;
  if (lines < (areTiers ? MIN_TIER_LINES : MIN_COLUMN_LINES - 1)) return false;
  const [onLeft, onRight] = [extentOf(left), extentOf(right)];
  if (onLeft === undefined || onRight === undefined) return false;
  const top = Math.max(Math.min(...left.map(({ top: y }) => y)), Math.min(...right.map(({ top: y }) => y)));
  const bottom = Math.min(Math.max(...left.map(({ bottom: y }) => y)), Math.max(...right.map(({ bottom: y }) => y)));
  const size = averageSize(left);
  const areWide = Math.min(onLeft.right - onLeft.left, onRight.right - onRight.left) > size * MIN_COLUMN_WIDTH;
  const areFilled = !(areTiers && lines < MIN_COLUMN_LINES) && fills(left, onLeft) && fills(right, onRight);
  return bottom - top > size * 2 && areWide && (areFilled || (isProseSide(left) && isProseSide(right)));
}

function extentOf(segments: Segment[]): Extent | undefined {
  if (segments.length === 0) return undefined;
  return {
    left: Math.min(...segments.map((segment) => segment.left)),
    right: Math.max(...segments.map((segment) => segment.right)),
  };
}

function averageSize(segments: Segment[]): number {
  return segments.reduce((sum, segment) => sum + segment.size, 0) / Math.max(1, segments.length);
}
