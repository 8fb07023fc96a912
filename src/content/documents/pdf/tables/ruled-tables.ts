import type { WorkBudget } from "../../../../core/work-budget.ts";
import type { Block } from "../block.ts";
import { isHorizontal, type Rule } from "../pages/page-rules.ts";
import { COMPARISONS_PER_STEP } from "../pdf-work.ts";
import { cellsOf, type Column, columnsUnder, findColumns, fits, usualRowDistance } from "./table-columns.ts";
import type { Line, Segment } from "../text-run.ts";

type Table = Extract<Block, { type: "table" }>;

/** Ends of lines that belong together are at most this many points apart. */
const TOLERANCE = 3;
/** A table is at least this wide, in points. */
const MIN_WIDTH = 60;
const MAX_COLUMNS = 30;
/** White space between the first or last line of a table and its border, in points. */
const MAX_PADDING = 60;

/** Horizontal lines of one width above one another, around and between the rows of a table. */
interface Frame {
  left: number;
  right: number;
  /** Heights of the lines, from top to bottom. */
  heights: number[];
}

/**
 * Finds the tables of a region that drawn lines enclose: two or more horizontal lines of one width, with cells between
 * them. Vertical lines are the borders of columns; without them, columns are where the cells are. Returns each table by
 * the number of its first line. Without budget there are none.
 */
export function ruledTables(lines: readonly Line[], rules: readonly Rule[], budget: WorkBudget): Map<number, Table> {
  const tables = new Map<number, Table>();
  if (rules.length < 2 || !budget.take((rules.length * Math.log2(rules.length)) / COMPARISONS_PER_STEP)) return tables;
  const near = rulesAround(lines, rules);
  for (const frame of framesOf(near, lines, budget)) {
    if (!budget.take((lines.length + near.length) / COMPARISONS_PER_STEP)) return tables;
    const [top = 0, bottom = 0] = [frame.heights[0], frame.heights.at(-1)];
    const start = lines.findIndex((line) => isBetween(line, top, bottom));
    const inside = lines.filter((line) => isBetween(line, top, bottom));
    if (start === -1 || inside.some((line, at) => line !== lines[start + at])) continue;
    if (inside.some((line) => line.left < frame.left - 4 || line.right > frame.right + 4)) continue;
    const table = tableIn(frame, inside, near, budget);
    if (table !== undefined) tables.set(start, table);
  }
  return tables;
}

/** Returns the drawn lines at the heights of a region and next to it, each once. */
function rulesAround(lines: readonly Line[], rules: readonly Rule[]): Rule[] {
  let [top, bottom] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const line of lines) [top, bottom] = [Math.min(top, line.top), Math.max(bottom, line.bottom)];
  const unique = new Map<string, Rule>();
  for (const rule of rules) {
    if (rule.bottom < top - MAX_PADDING || rule.top > bottom + MAX_PADDING) continue;
    unique.set([rule.left, rule.right, rule.top, rule.bottom].map(Math.round).join(), rule);
  }
  return [...unique.values()];
}

function isBetween(line: Line, top: number, bottom: number): boolean {
  const middle = line.baseline - line.size * 0.3;
  return middle > top && middle < bottom;
}

/** Returns frames, parted where running text stands between two lines. */
function framesOf(rules: readonly Rule[], lines: readonly Line[], budget: WorkBudget): Frame[] {
  const frames: Frame[] = [];
  for (const rule of joinedRules(rules).toSorted((a, b) => a.top - b.top)) {
    if (rule.right - rule.left < MIN_WIDTH) continue;
    if (!budget.take((frames.length + lines.length) / COMPARISONS_PER_STEP)) return [];
    const frame = frames.findLast(
      (each) => Math.abs(each.left - rule.left) <= TOLERANCE && Math.abs(each.right - rule.right) <= TOLERANCE,
    );
    if (frame === undefined || hasProse(lines, frame, rule.top))
      frames.push({ left: rule.left, right: rule.right, heights: [rule.top] });
    else frame.heights.push(rule.top);
  }
  return frames.filter(({ heights }) => heights.length > 1);
}

/** Joins horizontal lines that are drawn cell by cell. */
function joinedRules(rules: readonly Rule[]): Rule[] {
  const joined: Rule[] = [];
  for (const rule of rules.filter(isHorizontal).toSorted((a, b) => a.top - b.top || a.left - b.left)) {
    const last = joined
      .slice(-4)
      .findLast((each) => Math.abs(each.top - rule.top) <= 1 && rule.left <= each.right + TOLERANCE);
    if (last === undefined || rule.right < last.left - TOLERANCE) joined.push({ ...rule });
    else {
      last.left = Math.min(last.left, rule.left);
      last.right = Math.max(last.right, rule.right);
    }
  }
  return joined;
}

function hasProse(lines: readonly Line[], frame: Frame, bottom: number): boolean {
  const top = frame.heights.at(-1) ?? bottom;
  const between = lines.filter((line) => isBetween(line, top, bottom));
  const wide = between.filter(
    (line) => line.segments.length === 1 && line.right - line.left > (frame.right - frame.left) * 0.7,
  );
  return wide.length * 2 > between.length;
}

function tableIn(frame: Frame, lines: readonly Line[], rules: readonly Rule[], budget: WorkBudget): Table | undefined {
  const borders = bordersOf(frame, rules);
  const full = lines.filter((line) => line.segments.length > 1);
  if (borders.length === 0 && (full.length < 2 || full.length * 2 < lines.length)) return undefined;
  const edges = [frame.left, ...borders, frame.right];
  const columns =
    borders.length > 0
      ? edges.slice(1).map((right, at) => ({ left: edges[at] ?? frame.left, right }))
      : findColumns(full, budget);
  if (columns.length < 2 || columns.length > MAX_COLUMNS || (borders.length === 0 && !fits(full, columns)))
    return undefined;
  const rows = groupRows(lines, columns, frame.heights);
  if (rows.length < 2) return undefined;
  const cells = rows.map((row) => columns.map((_, at) => row.flatMap((line) => cellsOf(line, columns, at))));
  if (borders.length > 0 && !isFilled(lines, cells, columns)) return undefined;
  // Without a line below the head, every row would be one.
  if (frame.heights.length > 2) repeatSpans(rows, cells, columns, frame.heights[1] ?? 0);
  return { type: "table", rows, cells, columns: columns.length };
}

/** Reports whether most cells have text, and hardly any text runs across a border: drawings have lines too. */
function isFilled(lines: readonly Line[], cells: Table["cells"], columns: readonly Column[]): boolean {
  const segments = lines.flatMap((line) => line.segments);
  const crossing = segments.filter((segment) => {
    const inner = { left: segment.left + TOLERANCE, right: segment.right - TOLERANCE };
    return columnsUnder(inner, columns).length > 1;
  });
  const all = cells.flat();
  const filled = all.filter((cell) => cell.length > 0);
  return crossing.length <= segments.length * 0.2 && filled.length >= all.length * 0.5;
}

/** Returns the places of vertical lines within a frame that are at least half as high. */
function bordersOf({ left, right, heights }: Frame, rules: readonly Rule[]): number[] {
  const [top = 0, bottom = 0] = [heights[0], heights.at(-1)];
  const lengths: { x: number; length: number }[] = [];
  for (const rule of rules) {
    const length = Math.min(rule.bottom, bottom) - Math.max(rule.top, top);
    if (isHorizontal(rule) || length <= 0 || rule.left < left + TOLERANCE || rule.right > right - TOLERANCE) continue;
    const same = lengths.find(({ x }) => Math.abs(x - rule.left) <= TOLERANCE);
    if (same === undefined) lengths.push({ x: rule.left, length });
    else same.length += length;
  }
  return lengths
    .filter(({ length }) => length >= (bottom - top) * 0.5)
    .map(({ x }) => x)
    .toSorted((a, b) => a - b);
}

/**
 * Groups lines into rows. Drawn lines part rows; where each row has one, the lines between two of them are one row.
 * Elsewhere a line with few cells belongs to the nearer of the rows above and below when it is closer than rows are.
 */
function groupRows(lines: readonly Line[], columns: readonly Column[], heights: readonly number[]): Line[][] {
  const isFull = (line: Line): boolean => line.segments.length >= Math.max(2, columns.length / 2);
  const isSpanning = (line: Line): boolean =>
    line.segments.some((segment) => columnsUnder(segment, columns).length > 1);
  const isParted = (above: Line, below: Line): boolean =>
    heights.some((height) => above.baseline - above.size * 0.3 < height && below.baseline - below.size * 0.3 > height);
  const full = lines.filter(isFull);
  const isGrid = partsEachRow(full, heights);
  const near = usualRowDistance(full) * 0.85;
  const rows: Line[][] = [];
  for (const [at, line] of lines.entries()) {
    const row = rows.at(-1);
    const last = row?.at(-1);
    if (row === undefined || last === undefined || isParted(last, line)) {
      rows.push([line]);
      continue;
    }
    const distance = line.baseline - last.baseline;
    const next = lines[at + 1];
    const isNearNext =
      next !== undefined && isFull(next) && !isParted(line, next) && next.baseline - line.baseline < distance * 0.8;
    const isBelow = isFull(line) ? !row.some(isFull) : !isNearNext;
    const isOwn = isSpanning(line) || row.some(isSpanning);
    if (isGrid || (isBelow && !isOwn && distance < near)) row.push(line);
    else rows.push([line]);
  }
  return rows;
}

/** Reports whether most stretches between two drawn lines have just one line with most cells. */
function partsEachRow(full: readonly Line[], heights: readonly number[]): boolean {
  if (heights.length < 4) return false;
  const counts = heights
    .slice(1)
    .map((bottom, at) => full.filter((line) => isBetween(line, heights[at] ?? bottom, bottom)).length)
    .filter((count) => count > 0)
    .toSorted((a, b) => a - b);
  return counts.length > 1 && (counts[counts.length >> 1] ?? 2) <= 1;
}

/** Repeats a heading that spans several columns in each of them, as markdown has no spans. */
function repeatSpans(
  rows: readonly Line[][],
  cells: Table["cells"],
  columns: readonly Column[],
  headEnd: number,
): void {
  for (const [at, row] of rows.entries()) {
    if (row.some((line) => line.baseline > headEnd)) return;
    for (const segment of row.flatMap((line) => line.segments)) {
      const covered = spanOf(segment, columns);
      if (covered.length < 2 || covered.length === columns.length) continue;
      for (const [column, extent] of columns.entries()) {
        const cell = cells[at]?.[column];
        if (covered.includes(extent) && cell?.length === 0) cell.push(segment);
      }
    }
  }
}

/** Returns the columns that a heading overlaps with, or those over whose middle it is set. */
function spanOf(segment: Segment, columns: readonly Column[]): Column[] {
  const under = columnsUnder(segment, columns);
  const own = under[0];
  if (own === undefined || under.length > 1 || segment.right - segment.left <= own.right - own.left) return under;
  const middle = (segment.left + segment.right) / 2;
  let span = under;
  let least = Math.min(segment.size, ...under.map((column) => Math.abs((column.left + column.right) / 2 - middle)));
  for (const [from, first] of columns.entries()) {
    for (const [to, last] of columns.entries()) {
      const distance = Math.abs((first.left + last.right) / 2 - middle);
      if (to <= from || distance >= least || first.left > segment.left || last.right < segment.right) continue;
      span = columns.slice(from, to + 1);
      least = distance;
    }
  }
  return span;
}
