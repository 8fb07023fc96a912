import type { WorkBudget } from "../../../core/work-budget.ts";
import { type HtmlCell, htmlTable } from "../html/html-table.ts";
import { childRecords, findRecord, type PptRecord, RECORDS } from "./ppt-records.ts";

/** The property of a group that is a table, [MS-ODRAW] § 2.3.4.37; identifiers have two flags. */
const TABLE_PROPERTIES = 0x39f;
const IDENTIFIER = 0x3fff;
const PROPERTY_BYTES = 6;
/** Cells begin in the same column, or row, when they are less than this share of the table apart. */
const TOLERANCE = 0.005;
/** A grid with more empty places than this for each cell is no table. */
const MAX_EMPTY = 4;

/** Reports whether a group of shapes is a table. */
export function isTable(group: PptRecord, budget: WorkBudget): boolean {
  const own = findRecord(group, budget, ({ type }) => type === RECORDS.shape);
  const properties = findRecord(own, budget, ({ type, instance, data }) => {
    if (type !== RECORDS.moreProperties) return false;
    for (
      let at = 0, index = 0;
      index < instance && at + PROPERTY_BYTES <= data.byteLength;
      index++, at += PROPERTY_BYTES
    )
      if ((data.getUint16(at, true) & IDENTIFIER) === TABLE_PROPERTIES) return (data.getUint32(at + 2, true) & 1) === 1;
    return false;
  });
  return properties !== undefined;
}

interface PlacedCell {
  left: number;
  top: number;
  right: number;
  bottom: number;
  html: string;
}

/**
 * Writes a table by the places of its cells; undefined where these are no grid. `write` writes the text of a cell.
 */
export function tableToHtml(
  group: PptRecord,
  budget: WorkBudget,
  write: (textbox: PptRecord) => string,
): string | undefined {
  const cells: PlacedCell[] = [];
  for (const shape of childRecords(group, budget)) {
    const isAnchor = ({ type, data }: PptRecord): boolean => type === RECORDS.childAnchor && data.byteLength >= 16;
    const anchor = findRecord(shape, budget, isAnchor)?.data;
    const textbox = findRecord(shape, budget, ({ type }) => type === RECORDS.clientTextbox);
    if (anchor === undefined || textbox === undefined) continue;
    const [left = 0, top = 0, right = 0, bottom = 0] = [0, 4, 8, 12].map((at) => anchor.getInt32(at, true));
    cells.push({ left, top, right, bottom, html: write(textbox) });
  }
  const columns = startsOf(cells.map(({ left, right }) => [left, right]));
  const rows = startsOf(cells.map(({ top, bottom }) => [top, bottom]));
  const places = columns.length * rows.length;
  if (cells.length === 0 || places > cells.length * (MAX_EMPTY + 1) || !budget.take(places)) return undefined;
  const grid = rows.map(() => Array.from<HtmlCell | "covered" | undefined>({ length: columns.length }));
  for (const cell of cells) {
    const [row, column] = [indexOf(rows, cell.top), indexOf(columns, cell.left)];
    const lastRow = Math.max(row, indexOf(rows, cell.bottom, false));
    const lastColumn = Math.max(column, indexOf(columns, cell.right, false));
    if (grid[row]?.[column] !== undefined || !budget.take((lastRow - row + 1) * (lastColumn - column + 1)))
      return undefined;
    for (let at = row; at <= lastRow; at++) grid[at]?.fill("covered", column, lastColumn + 1);
    grid[row]?.splice(column, 1, { html: cell.html, columns: lastColumn - column + 1, rows: lastRow - row + 1 });
  }
  return htmlTable(grid.map((row) => row.flatMap((cell) => (cell === "covered" ? [] : [cell ?? { html: "" }]))));
}

/** Returns where columns or rows begin, in order, from the starts and ends of cells. */
function startsOf(ranges: readonly (readonly [number, number])[]): number[] {
  const sorted = ranges.map(([start]) => start).toSorted((a, b) => a - b);
  const last = ranges.reduce((most, [, end]) => Math.max(most, end), Number.NEGATIVE_INFINITY);
  const apart = (last - (sorted[0] ?? 0)) * TOLERANCE;
  const starts: number[] = [];
  for (const start of sorted) if (start - (starts.at(-1) ?? Number.NEGATIVE_INFINITY) > apart) starts.push(start);
  return starts;
}

/** Returns the column or row that holds a place: one that begins at it, or the one in front of that for an end. */
function indexOf(starts: readonly number[], place: number, isStart = true): number {
  const width = (starts.at(-1) ?? 0) - (starts[0] ?? 0);
  const most = isStart ? place : place - width * TOLERANCE;
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = starts[middle] ?? 0;
    if (isStart ? start <= most : start < most) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
