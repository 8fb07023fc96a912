import type { WorkBudget } from "../../../core/work-budget.ts";
import type { Block } from "./block.ts";
import { isTableOfContentsLine, listMarker } from "./list-marker.ts";
import { COMPARISONS_PER_STEP } from "./pdf-work.ts";
import type { Line, Segment } from "./text-run.ts";
import { toSegment } from "./text-run.ts";

const MIN_ROWS = 3;
/** Rows further apart than this, in multiples of the font size, are in different tables. */
const MAX_ROW_DISTANCE = 4;

interface Column {
  left: number;
  right: number;
}

type Table = Extract<Block, { type: "table" }>;

/**
 * Finds a table that begins at a line: at least three rows of cells whose extents fall into the same columns. A line
 * with a single cell continues the row above when it is in one of its columns and close to it.
 */
export function findTable(lines: readonly Line[], start: number, budget: WorkBudget): Table | undefined {
  const first = lines[start];
  if (first === undefined || first.segments.length < 2 || !isTableLine(first)) return undefined;
  const extent = tableExtent(lines, start, budget);
  const full = extent.filter((line) => line.segments.length >= 2);
  if (full.length < MIN_ROWS) return undefined;
  const columns = findColumns(full, budget);
  if (columns.length < 2 || !fits(full, columns)) return undefined;

  const rows: Line[][] = [];
  const distance = usualRowDistance(full);
  for (const line of extent) {
    const row = rows.at(-1);
    if (row !== undefined && continuesRow(row, line, columns, distance)) row.push(line);
    else rows.push([line]);
  }
  const cells = rows.map((row) => columns.map((_, at) => row.flatMap((line) => cellsOf(line, columns, at))));
  return { type: "table", rows, cells, columns: columns.length };
}

/**
 * Reports whether a line has cells: gaps in code are indentation; a bullet and its text, or an entry and its page
 * number, are no cells.
 */
function isTableLine(line: Line): boolean {
  if (line.isMonospaced || isTableOfContentsLine(line.text)) return false;
  return line.segments.length !== 2 || listMarker(line.text) === undefined;
}

function tableExtent(lines: readonly Line[], start: number, budget: WorkBudget): Line[] {
  const extent: Line[] = [];
  for (let at = start; at < lines.length; at++) {
    const line = lines[at];
    const last = extent.at(-1);
    if (line === undefined || !isTableLine(line)) break;
    if (last !== undefined) {
      const distance = line.baseline - last.baseline;
      if (distance <= 0 || distance > last.size * MAX_ROW_DISTANCE || Math.abs(line.size - last.size) > last.size * 0.3)
        break;
      if (line.segments.length < 2 && !isWrappedCell(extent, line, lines[at + 1], budget)) break;
    }
    extent.push(line);
  }
  return extent;
}

/**
 * Reports whether a single cell belongs to the table: it is no wider than a column and close below the row that it
 * continues.
 */
function isWrappedCell(extent: Line[], line: Line, next: Line | undefined, budget: WorkBudget): boolean {
  const full = extent.filter((other) => other.segments.length >= 2);
  const columns = findColumns(full, budget);
  const covered = columns.filter((column) => line.left < column.right && line.right > column.left);
  const last = extent.at(-1);
  if (covered.length > 1 || last === undefined || line.baseline - last.baseline > line.size * 1.5) return false;
  if (columns[0] !== undefined && line.left <= columns[0].left + line.size * 0.6) {
    const isTight = line.baseline - last.baseline < usualRowDistance(full) * 0.85;
    return (
      isTight || (next !== undefined && next.segments.length >= 2 && next.baseline - line.baseline < line.size * 2.5)
    );
  }
  return columns.some((column) => Math.abs(column.left - line.left) < line.size * 0.6);
}

/**
 * Returns the distance of the baselines of rows, which is larger than that of lines within a cell when rows have
 * padding.
 */
function usualRowDistance(rows: readonly Line[]): number {
  const distances = rows.slice(1).map((row, at) => row.baseline - (rows[at]?.baseline ?? 0));
  return distances.toSorted((a, b) => a - b)[distances.length >> 1] ?? 0;
}

/**
 * Returns the columns: the extents of the cells of the fullest rows, widened by cells that overlap with just one of
 * them. Without budget there are none.
 */
function findColumns(rows: readonly Line[], budget: WorkBudget): Column[] {
  const most = Math.max(0, ...rows.map((row) => row.segments.length));
  let columns: Column[] = [];
  for (const segment of rows.filter((row) => row.segments.length === most).flatMap((row) => row.segments)) {
    if (!budget.take((1 + columns.length) / COMPARISONS_PER_STEP)) return [];
    columns = addToColumns(columns, segment);
  }
  for (const segment of rows.flatMap((row) => row.segments)) {
    if (!budget.take((1 + columns.length) / COMPARISONS_PER_STEP)) return [];
    const touched = columns.filter((column) => segment.left < column.right && segment.right > column.left);
    if (touched.length <= 1) columns = addToColumns(columns, segment);
  }
  return columns.toSorted((a, b) => a.left - b.left);
}

function addToColumns(columns: Column[], segment: Segment): Column[] {
  const touched = columns.filter((column) => segment.left < column.right && segment.right > column.left);
  const merged = {
    left: Math.min(segment.left, ...touched.map((column) => column.left)),
    right: Math.max(segment.right, ...touched.map((column) => column.right)),
  };
  return [...columns.filter((column) => !touched.includes(column)), merged];
}

/**
 * Reports whether most rows fill most columns, and no cell is so long that the lines are rather text with wide gaps.
 */
function fits(rows: readonly Line[], columns: readonly Column[]): boolean {
  const filled = rows.reduce((sum, row) => sum + Math.min(columns.length, row.segments.length), 0);
  return filled >= rows.length * columns.length * 0.5 && columns.length <= 30;
}

function continuesRow(row: Line[], line: Line, columns: readonly Column[], rowDistance: number): boolean {
  const last = row.at(-1);
  if (last === undefined) return false;
  const distance = line.baseline - last.baseline;
  if (distance > line.size * 1.5) return false;
  const startsInFirst = columns[0] !== undefined && line.left < columns[0].right;
  return startsInFirst ? distance < rowDistance * 0.85 : line.segments.length < columns.length;
}

/** Returns the part of a line in a column; cells that nearly touch came as one segment and are split by their runs. */
function cellsOf(line: Line, columns: readonly Column[], at: number): Segment[] {
  return line.segments.flatMap((segment) => {
    const runs = segment.runs.filter((run) => columnOf(run, columns) === at);
    if (runs.length === 0) return [];
    return runs.length === segment.runs.length ? [segment] : [toSegment(runs)];
  });
}

function columnOf(segment: Column, columns: readonly Column[]): number {
  const overlaps = columns.map((column) => Math.min(column.right, segment.right) - Math.max(column.left, segment.left));
  const first = overlaps.findIndex((overlap) => overlap > 0);
  return first === -1 ? overlaps.indexOf(Math.max(...overlaps)) : first;
}
