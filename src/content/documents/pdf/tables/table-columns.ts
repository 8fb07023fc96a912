import type { WorkBudget } from "../../../../core/work-budget.ts";
import { COMPARISONS_PER_STEP } from "../pdf-work.ts";
import type { Line, Segment } from "../text-run.ts";
import { toSegment } from "../text-run.ts";

/** The extent of a column of a table, in points. */
export interface Column {
  left: number;
  right: number;
}

/**
 * Returns the columns: the extents of the cells of the fullest rows, widened by cells that overlap with just one of
 * them. Without budget there are none.
 */
export function findColumns(rows: readonly Line[], budget: WorkBudget): Column[] {
  const most = Math.max(0, ...rows.map((row) => row.segments.length));
  let columns: Column[] = [];
  for (const segment of rows.filter((row) => row.segments.length === most).flatMap((row) => row.segments)) {
    if (!budget.take((1 + columns.length) / COMPARISONS_PER_STEP)) return [];
    columns = addToColumns(columns, segment);
  }
  for (const segment of rows.flatMap((row) => row.segments)) {
    if (!budget.take((1 + columns.length) / COMPARISONS_PER_STEP)) return [];
    if (columnsUnder(segment, columns).length <= 1) columns = addToColumns(columns, segment);
  }
  return columns.toSorted((a, b) => a.left - b.left);
}

function addToColumns(columns: Column[], segment: Segment): Column[] {
  const touched = columnsUnder(segment, columns);
  const merged = {
    left: Math.min(segment.left, ...touched.map((column) => column.left)),
    right: Math.max(segment.right, ...touched.map((column) => column.right)),
  };
  return [...columns.filter((column) => !touched.includes(column)), merged];
}

/** Returns the columns that an extent overlaps with. */
export function columnsUnder(extent: Column, columns: readonly Column[]): Column[] {
  return columns.filter((column) => extent.left < column.right && extent.right > column.left);
}

/**
 * Reports whether most rows fill most columns, and no cell is so long that the lines are rather text with wide gaps.
 */
export function fits(rows: readonly Line[], columns: readonly Column[]): boolean {
  const filled = rows.reduce((sum, row) => sum + Math.min(columns.length, row.segments.length), 0);
  return filled >= rows.length * columns.length * 0.5 && columns.length <= 30;
}

/** Returns the part of a line in a column; cells that nearly touch came as one segment and are split by their runs. */
export function cellsOf(line: Line, columns: readonly Column[], at: number): Segment[] {
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

/**
 * Returns the distance of the baselines of rows, which is larger than that of lines within a cell when rows have
 * padding.
 */
export function usualRowDistance(rows: readonly Line[]): number {
  const distances = rows.slice(1).map((row, at) => row.baseline - (rows[at]?.baseline ?? 0));
  return distances.toSorted((a, b) => a - b)[distances.length >> 1] ?? 0;
}
