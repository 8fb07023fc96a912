import type { WorkBudget } from "../../../../core/work-budget.ts";
import type { Block } from "../block.ts";
import { isTableOfContentsLine, listMarker } from "../list-marker.ts";
import { cellsOf, type Column, findColumns, fits, usualRowDistance } from "./table-columns.ts";
import type { Line } from "../text-run.ts";

const MIN_ROWS = 3;
/** Rows further apart than this, in multiples of the font size, are in different tables. */
const MAX_ROW_DISTANCE = 4;

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
  if (columns.length < 2 || !fits(full, columns) || isProse(full, columns)) return undefined;

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

/** Reports whether each column has long stretches of words throughout, which are columns of text. */
function isProse(rows: readonly Line[], columns: readonly Column[]): boolean {
  return (
    columns.length <= 3 &&
    columns.every((_, at) => {
      const cells = rows.flatMap((row) => cellsOf(row, columns, at));
      const long = cells.filter(
        ({ runs }) =>
          runs
            .map((run) => run.text)
            .join(" ")
            .split(/\s+/).length >= 6,
      );
      return long.length > cells.length * 0.6;
    })
  );
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

function continuesRow(row: Line[], line: Line, columns: readonly Column[], rowDistance: number): boolean {
  const last = row.at(-1);
  if (last === undefined) return false;
  const distance = line.baseline - last.baseline;
  if (distance > line.size * 1.5) return false;
  const startsInFirst = columns[0] !== undefined && line.left < columns[0].right;
  return startsInFirst ? distance < rowDistance * 0.85 : line.segments.length < columns.length;
}
