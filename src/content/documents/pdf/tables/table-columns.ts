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
  // The widest last: they may be headings over several columns.
  const others = rows.flatMap((row) => (row.segments.length === most ? [] : row.segments));
  for (const segment of others.toSorted((a, b) => a.right - a.left - (b.right - b.left))) {
    if (!budget.take((1 + columns.length) / COMPARISONS_PER_STEP)) return [];
    if (columnsUnder(segment, columns).length <= 1) columns = addToColumns(columns, segment);
  }
  columns.sort((a, b) => a.left - b.left);
  if (columns.length <= most) return columns;
  return columnsInOrder(rows, most) ?? withoutHalves(columns, rows, { most, budget });
}

/**
 * Returns the columns of rows that have the same number of cells, the first with the first and so on: a heading may be at the
 * left end of its column, and numbers at the right end. Undefined where these overlap, or a row with fewer cells fits none.
 */
function columnsInOrder(rows: readonly Line[], most: number): Column[] | undefined {
  const full = rows.filter((row) => row.segments.length === most);
  const columns: Column[] = Array.from({ length: most }, () => ({
    left: Number.POSITIVE_INFINITY,
    right: Number.NEGATIVE_INFINITY,
  }));
  for (const { segments } of full) {
    for (const [at, { left, right }] of segments.toSorted((a, b) => a.left - b.left).entries()) {
      const column = columns[at];
      if (column === undefined) continue;
      [column.left, column.right] = [Math.min(column.left, left), Math.max(column.right, right)];
    }
  }
  const areApart = columns.every((column, at) => at === 0 || (columns[at - 1]?.right ?? 0) < column.left);
  const fit = rows.every(({ segments }) => segments.every((segment) => columnsUnder(segment, columns).length > 0));
  return areApart && fit ? columns : undefined;
}

/**
 * Joins columns beside each other that no row fills both, the nearest first, as long as there are more than the fullest row
 * has cells: a heading at the left end of its column, and numbers at the right end.
 */
function withoutHalves(
  columns: readonly Column[],
  rows: readonly Line[],
  { most, budget }: { most: number; budget: WorkBudget },
): Column[] {
  const segments = rows.reduce((sum, row) => sum + row.segments.length, 0);
  if (!budget.take((segments * columns.length) / COMPARISONS_PER_STEP)) return [];
  const joined = columns.map((column) => ({ ...column, rows: new Set(rows.filter((row) => isFilledBy(row, column))) }));
  while (joined.length > most) {
    if (!budget.take((joined.length * (1 + rows.length)) / COMPARISONS_PER_STEP)) return [];
    let [nearest, least] = [-1, Number.POSITIVE_INFINITY];
    for (const [at, column] of joined.entries()) {
      const next = joined[at + 1];
      if (next === undefined || next.left - column.right >= least || !column.rows.isDisjointFrom(next.rows)) continue;
      [nearest, least] = [at, next.left - column.right];
    }
    const [one, other] = [joined[nearest], joined[nearest + 1]];
    if (one === undefined || other === undefined) break;
    joined.splice(nearest, 2, { left: one.left, right: other.right, rows: one.rows.union(other.rows) });
  }
  return joined.map(({ left, right }) => ({ left, right }));
}

function isFilledBy(row: Line, column: Column): boolean {
  return row.segments.some((segment) => columnsUnder(segment, [column]).length > 0);
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
