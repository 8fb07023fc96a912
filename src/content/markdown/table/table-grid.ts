import { keepShape } from "../../../core/kept-shapes.ts";
import { WorkBudget } from "../../../core/work-budget.ts";
import { NO_ATTRIBUTES, type ElementNode } from "../../html/tree/tree.ts";

export interface TableRow {
  cells: ElementNode[];
  isHead: boolean;
}

/** A row on the grid: one text for each column up to its last cell. */
export interface GridRow {
  cells: string[];
  isHead: boolean;
  /** The cells that cover more than one column, in the order of the columns. */
  spans: readonly GridSpan[];
}

/** The columns that a cell covers beyond its first one: `from` up to and without `to`. Heads repeat its text in them. */
interface GridSpan {
  text: string;
  from: number;
  to: number;
}

export interface Grid {
  rows: GridRow[];
  columns: number;
  /** Characters that the repetition of texts may still add, so that the table at most doubles. */
  affordable: number;
}

interface PlacedCell {
  text: string;
  column: number;
  colSpan: number;
}

/** A row whose cells span one column each, from the first on, as in most tables, is the list of its texts. */
type PlacedRow = PlacedCell[] | { texts: string[] };

/** A cell that spans rows below its own. */
interface HeldCell extends PlacedCell {
  rowsLeft: number;
  /** The row group at whose end a cell with `rowspan="0"` ends. */
  group: ElementNode | undefined;
}

/** Limits of HTML (§ 4.9.11) for spans; no table of data has more columns. */
const MAX_COLUMNS = 1000;
const MAX_ROW_SPAN = 65_534;
/** Most rows have no cell that spans columns. */
const NO_SPANS: readonly GridSpan[] = [];
/** Columns of a row, or cells from above, that are looked at in one step. */
const COLUMNS_A_STEP = 4;
/** Maximum length of a text that is repeated in the rows that it spans. */
const MAX_REPEATED_CHARS = 60;

/**
 * Lays cells out on the grid that their spans define (HTML § 4.9.12), then leaves out the columns in which no cell
 * begins: a colspan of 10,000 is as wide as the cells below it. A cell that spans rows is repeated in them while its
 * text is short and the table does not grow by more than its own size. Rows beyond the budget are left out.
 */
export function layOut(
  rows: readonly TableRow[],
  textOfCell: (cell: ElementNode) => string,
  budget = new WorkBudget(),
): Grid {
  const placer = new Placer(textOfCell);
  const placed: PlacedRow[] = [];
  for (const row of rows) {
    if (!budget.take(placer.heldCells / COLUMNS_A_STEP)) break;
    placed.push(placer.place(row));
  }
  const places = placesOf(placed);
  const grid: Grid = { rows: [], columns: places[MAX_COLUMNS] ?? 0, affordable: placer.charsToRepeat };
  for (const [index, cells] of placed.entries()) {
    const row = toGridRow(cells, places, rows[index]?.isHead ?? false);
    // A row of one cell may be as wide as the table.
    if (!budget.take(Math.max(row.cells.length, row.spans.at(-1)?.to ?? 0) / COLUMNS_A_STEP)) break;
    grid.affordable = spreadOut(row, grid.affordable);
    grid.rows.push(row);
  }
  if (budget.isSpent) budget.cut("markdown");
  return grid;
}

/** Returns for each column the number of columns before it in which any cell begins: its place on the grid. */
function placesOf(rows: readonly PlacedRow[]): Uint16Array {
  const isStart = new Uint8Array(MAX_COLUMNS);
  for (const row of rows) {
    if ("texts" in row) isStart.fill(1, 0, row.texts.length);
    else for (const { column } of row) isStart[column] = 1;
  }
  const places = new Uint16Array(MAX_COLUMNS + 1);
  for (let column = 0; column < MAX_COLUMNS; column++)
    places[column + 1] = (places[column] ?? 0) + (isStart[column] ?? 0);
  return places;
}

/** Places cells row by row, and counts the characters added by repetition. */
class Placer {
  readonly #held = new Map<number, HeldCell>();
  /** Cells of the current row: they count from the next row on. */
  readonly #fresh = new Set<HeldCell>();
  #ownCells = 0;
  #ownChars = 0;
  #repeatedCells = 0;
  #repeatedChars = 0;

  readonly #textOfCell: (cell: ElementNode) => string;

  constructor(textOfCell: (cell: ElementNode) => string) {
    this.#textOfCell = textOfCell;
    keepShape(this);
  }

  /** Characters that repetition may still add, so that a table at most doubles. */
  get charsToRepeat(): number {
    return Math.max(0, this.#ownChars + 1000 - this.#repeatedChars);
  }

  /** Number of cells that span rows below. */
  get heldCells(): number {
    return this.#held.size;
  }

  place({ cells }: TableRow): PlacedRow {
    if (this.#held.size === 0 && cells.length <= MAX_COLUMNS && !cells.some(hasSpans)) {
      return { texts: cells.map((cell) => this.#write(cell)) };
    }
    const [first] = cells;
    if (first !== undefined) this.#endGroups(groupOf(first));
    const placed: PlacedCell[] = [];
    let column = this.#passHeld(0, placed);
    for (const cell of cells) {
      const text = this.#write(cell);
      const last = placed.at(-1);
      if (column >= MAX_COLUMNS && last !== undefined) {
        if (text !== "") last.text += ` ${text}`;
        continue;
      }
      const colSpan = Math.min(spanOf(cell, "colspan", MAX_COLUMNS), MAX_COLUMNS - column);
      placed.push({ text, column, colSpan });
      const isOpen = spansGroup(cell);
      const rowSpan = isOpen ? MAX_ROW_SPAN : spanOf(cell, "rowspan", MAX_ROW_SPAN);
      const group = isOpen ? groupOf(cell) : undefined;
      if (rowSpan > 1) this.#hold({ text, column, colSpan, rowsLeft: rowSpan - 1, group });
      column = this.#passHeld(column + colSpan, placed);
    }
    this.#placeRest(column, placed);
    this.#endRow();
    return placed;
  }

  #endGroups(group: ElementNode | undefined): void {
    for (const [column, cell] of this.#held) {
      if (cell.group !== undefined && cell.group !== group) this.#held.delete(column);
    }
  }

  #write(cell: ElementNode): string {
    const text = this.#textOfCell(cell);
    this.#ownCells++;
    this.#ownChars += text.length;
    return text;
  }

  /** Skips columns covered by cells from above. @returns the next free column */
  #passHeld(from: number, placed: PlacedCell[]): number {
    let column = from;
    for (let above = this.#fromAbove(column); above !== undefined; above = this.#fromAbove(column)) {
      placed.push(this.#repeat(above));
      column += above.colSpan;
    }
    return column;
  }

  #placeRest(from: number, placed: PlacedCell[]): void {
    if (this.#held.size === 0) return;
    const rest = [...this.#held.values()].filter((cell) => cell.column >= from && !this.#fresh.has(cell));
    for (const cell of rest.sort((a, b) => a.column - b.column)) placed.push(this.#repeat(cell));
  }

  #fromAbove(column: number): HeldCell | undefined {
    if (this.#held.size === 0) return undefined;
    const cell = this.#held.get(column);
    return cell !== undefined && !this.#fresh.has(cell) ? cell : undefined;
  }

  #hold(cell: HeldCell): void {
    if (this.#repeatedCells > 2 * this.#ownCells + 1000) return;
    this.#held.set(cell.column, cell);
    this.#fresh.add(cell);
  }

  #endRow(): void {
    if (this.#held.size === 0) return;
    for (const [column, cell] of this.#held) {
      if (this.#fresh.has(cell)) continue;
      if (--cell.rowsLeft <= 0) this.#held.delete(column);
    }
    this.#fresh.clear();
    if (this.#repeatedCells > 2 * this.#ownCells + 1000) this.#held.clear();
  }

  #repeat({ text, column, colSpan }: HeldCell): PlacedCell {
    this.#repeatedCells++;
    const isAffordable = text.length <= MAX_REPEATED_CHARS && text.length <= this.charsToRepeat;
    if (isAffordable) this.#repeatedChars += text.length;
    return { text: isAffordable ? text : "", column, colSpan };
  }
}

function hasSpans({ attributes }: ElementNode): boolean {
  if (attributes === NO_ATTRIBUTES) return false;
  return attributes["colspan"] !== undefined || attributes["rowspan"] !== undefined;
}

/** True for a cell that ends with its row group (HTML § 4.9.11). */
function spansGroup({ attributes }: ElementNode): boolean {
  return /^\s*\+?0+(?!\d)/.test(attributes["rowspan"] ?? "");
}

function groupOf(cell: ElementNode): ElementNode | undefined {
  return cell.parent?.parent;
}

function spanOf({ attributes }: ElementNode, name: "colspan" | "rowspan", most: number): number {
  const value = attributes[name];
  if (value === undefined) return 1;
  const span = Number.parseInt(value, 10);
  return span >= 1 ? Math.min(span, most) : 1;
}

/**
 * Writes cells that span columns in each of them, unless a cell is the only one of its row. @returns the remaining
 * characters for repetition
 */
function spreadOut({ cells, isHead, spans }: GridRow, affordable: number): number {
  let left = affordable;
  if (isHead || spans.length === 0 || cells.filter((cell) => cell !== "").length <= 1) return left;
  for (const { text, from, to } of spans) {
    if (text.length > MAX_REPEATED_CHARS) continue;
    for (let column = from; column < to && text.length <= left; column++) {
      if ((cells[column] ?? "") !== "") continue;
      while (cells.length < column) cells.push("");
      cells[column] = text;
      left -= text.length;
    }
  }
  return left;
}

function toGridRow(placed: PlacedRow, places: Uint16Array, isHead: boolean): GridRow {
  // No column between the first ones of such a row is dropped, since it has a cell in each.
  if ("texts" in placed) return { cells: placed.texts, isHead, spans: NO_SPANS };
  const cells: string[] = [];
  const spans: GridSpan[] = [];
  for (const { text, column, colSpan } of placed) {
    const index = places[column] ?? 0;
    while (cells.length < index) cells.push("");
    cells[index] = text;
    const span = { text, from: index + 1, to: places[column + colSpan] ?? index };
    if (text === "" || span.from >= span.to) continue;
    // Where two overlap, the second one counts.
    const last = spans.at(-1);
    if (last !== undefined) last.to = Math.min(last.to, span.from);
    spans.push(span);
  }
  return { cells, isHead, spans: spans.length === 0 ? NO_SPANS : spans };
}
