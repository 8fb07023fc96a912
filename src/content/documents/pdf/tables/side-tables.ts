import type { WorkBudget } from "../../../../core/work-budget.ts";
import type { RulingLine } from "../pages/ruling-lines.ts";
import { COMPARISONS_PER_STEP } from "../pdf-work.ts";
import { type Line, type Segment, textOfRuns } from "../text-run.ts";
import type { Column } from "./table-columns.ts";

/** Rows of two cells that each of two tables has. */
const MIN_ROWS = 3;
/** More rows do not fit on a page that is read by people; all of one table are compared with all of the other. */
const MAX_ROWS = 400;
/** Rows further apart than this, in multiples of the font size, are in different tables. */
const MAX_ROW_DISTANCE = 4;
/** Tables side by side are so far apart, in multiples of the font size, and of the widest gap between their columns. */
const MIN_GUTTER = 2;
const MIN_GUTTER_SHARE = 1.25;
/** The same where rows of both are at the same heights, and their heads differ. */
const MIN_ALIGNED_GUTTER_SHARE = 2;
/** Up to this share of the rows of one table may be at the height of rows of the other by chance. */
const MAX_CHANCE = 0.5;
/** Rows by which one table is longer, where rows are at the same heights. */
const MIN_LONGER = 2;
const MAX_TABLES = 12;
/** Gutters that are tried, the widest first, and tables beside one another, as a power of two. */
const MAX_GUTTERS = 2;
const MAX_DEPTH = 2;
/** Passes over a stretch at most. */
const PASSES = 40;

/**
 * Parts a region of a page at tables without drawn lines that are beside one another: the text above, the left table, the right
 * one and the text below, each to be read by itself. Returns undefined without such tables, or without budget.
 */
export function partSideTables(
  lines: readonly Line[],
  rules: readonly RulingLine[],
  budget: WorkBudget,
): Segment[][] | undefined {
  const parts: Segment[][] = [];
  let from = 0;
  for (let at = 0; at < lines.length && parts.length < MAX_TABLES;) {
    const stretch = stretchAt(lines, at);
    if (!budget.take((stretch.length * PASSES) / COMPARISONS_PER_STEP + 1)) return undefined;
    const sides = hasRules(stretch, rules) ? [] : sidesOf(segmentsOf(stretch));
    const end = at + Math.max(1, stretch.length);
    if (sides.length > 0) {
      parts.push(segmentsOf(lines.slice(from, at)), ...sides);
      from = end;
    }
    at = end;
  }
  return from === 0 ? undefined : [...parts, segmentsOf(lines.slice(from))].filter((part) => part.length > 0);
}

/** Returns the lines from one on, the first and the last with several cells, that are near to each other and of one size. */
function stretchAt(lines: readonly Line[], start: number): Line[] {
  const stretch: Line[] = [];
  let [left, right] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = start; at < lines.length; at++) {
    const line = lines[at];
    const last = stretch.at(-1);
    if (line === undefined || line.isMonospaced || (last === undefined && line.segments.length < 2)) break;
    if (last !== undefined) {
      const distance = line.baseline - last.baseline;
      if (distance > last.size * MAX_ROW_DISTANCE || Math.abs(line.size - last.size) > last.size * 0.3) break;
      if (line.segments.length < 2 && line.right - line.left > (right - left) * 0.6) break;
    }
    stretch.push(line);
    [left, right] = [Math.min(left, line.left), Math.max(right, line.right)];
  }
  const end = stretch.findLastIndex((line, at) => line.segments.length > 1 || isRowBeside(line, stretch[at - 1]));
  return stretch.slice(0, end + 1);
}

/** Reports whether a line with one cell is at nearly the height of another line: a row that the other table does not share. */
function isRowBeside(line: Line, above: Line | undefined): boolean {
  return above !== undefined && line.baseline - above.baseline < line.size;
}

function hasRules(lines: readonly Line[], rules: readonly RulingLine[]): boolean {
  const [top, bottom] = [lines[0]?.top ?? 0, lines.at(-1)?.bottom ?? 0];
  return rules.some((rule) => rule.bottom >= top && rule.top <= bottom);
}

/** Returns the tables in a stretch, from left to right; empty when it is one table, or none. */
function sidesOf(segments: readonly Segment[], depth = 0): Segment[][] {
  if (depth >= MAX_DEPTH) return [];
  const extents = joinedExtents(segments);
  const gutters = extents
    .slice(1)
    .map(({ left }, at) => ({ left: extents[at]?.right ?? left, right: left }))
    .toSorted((a, b) => b.right - b.left - (a.right - a.left));
  for (const gutter of gutters.slice(0, MAX_GUTTERS)) {
    const middle = (gutter.left + gutter.right) / 2;
    const [left, right] = [
      segments.filter((segment) => segment.right <= middle),
      segments.filter((segment) => segment.left >= middle),
    ].map((side) => {
      const parts = sidesOf(side, depth + 1);
      return parts.length === 0 ? [side] : parts;
    });
    const [before, after] = [left?.at(-1), right?.[0]];
    if (left === undefined || right === undefined || before === undefined || after === undefined) continue;
    if (areTwo(rowsOf(before), rowsOf(after), gutter)) return [...left, ...right];
  }
  return [];
}

interface Rows {
  /** Rows of two cells or more, from top to bottom. */
  rows: Segment[][];
  /** The widest gap between columns. */
  gap: number;
}

function rowsOf(segments: readonly Segment[]): Rows {
  const rows: Segment[][] = [];
  for (const segment of segments.toSorted((a, b) => a.baseline - b.baseline || a.left - b.left)) {
    const row = rows.at(-1);
    if (row?.[0] !== undefined && isLevel(row[0], segment)) row.push(segment);
    else rows.push([segment]);
  }
  const full = rows.filter((row) => row.length > 1);
  const columns = joinedExtents(full.flat());
  const gaps = columns.slice(1).map(({ left }, at) => left - (columns[at]?.right ?? left));
  return { rows: full, gap: gaps.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...gaps) };
}

/** Reports whether two sets of rows beside one another are two tables, by the gutter and how the rows fit together. */
function areTwo(left: Rows, right: Rows, gutter: Column): boolean {
  const [shorter, longer] = [left.rows, right.rows].toSorted((a, b) => a.length - b.length);
  if (shorter === undefined || longer === undefined || shorter.length < MIN_ROWS || longer.length > MAX_ROWS)
    return false;
  const size = shorter[0]?.[0]?.size ?? 0;
  const width = gutter.right - gutter.left;
  const gap = Math.max(left.gap, right.gap);
  if (width < size * MIN_GUTTER || width < gap * MIN_GUTTER_SHARE) return false;
  if (headOf(left) === headOf(right)) return true;
  const level = shorter.filter(([own]) => own !== undefined && longer.some(([other]) => other && isLevel(own, other)));
  if (level.length <= shorter.length * MAX_CHANCE) return true;
  // Rows that end early are those of a second table, unless they are numbers that belong to the names at the left.
  const isLonger = longer.length - shorter.length >= MIN_LONGER;
  return isLonger && width >= gap * MIN_ALIGNED_GUTTER_SHARE && right.rows.every(([name]) => startsWithWord(name));
}

function headOf({ rows }: Rows): string {
  return (rows[0] ?? []).map(({ runs }) => textOfRuns(runs)).join("\n");
}

function startsWithWord(cell: Segment | undefined): boolean {
  return cell !== undefined && /^[^\p{L}\p{N}]*\p{L}{2}/u.test(textOfRuns(cell.runs));
}

function isLevel(one: Segment, other: Segment): boolean {
  return Math.abs(one.baseline - other.baseline) < Math.min(one.size, other.size) * 0.2;
}

function joinedExtents(segments: readonly Segment[]): Column[] {
  const joined: Column[] = [];
  for (const { left, right } of segments.toSorted((a, b) => a.left - b.left)) {
    const last = joined.at(-1);
    if (last !== undefined && left < last.right) last.right = Math.max(last.right, right);
    else joined.push({ left, right });
  }
  return joined;
}

function segmentsOf(lines: readonly Line[]): Segment[] {
  return lines.flatMap(({ segments }) => segments);
}
