import { keepShape } from "../../../core/kept-shapes.ts";
import { NO_ATTRIBUTES, type ElementNode } from "../../html/tree/tree.ts";

export interface TableRow {
  cells: ElementNode[];
  isHead: boolean;
}

/** A row on the grid: one text for each column up to its last cell. */
export interface GridRow {
  cells: string[];
  isHead: boolean;
  /** Columns that a cell of this row covers beyond its first one, and its text; heads repeat it in all of them. */
  spread: ReadonlyMap<number, string>;
}

export interface Grid {
  rows: GridRow[];
  columns: number;
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
}

/** Limits of HTML (§ 4.9.11) for spans; no table of data has more columns. */
const MAX_COLUMNS = 1000;
const MAX_ROW_SPAN = 65_534;
/** Most rows have no cell that spans columns. */
const NO_SPREAD: ReadonlyMap<number, string> = new Map();
/** Maximum length of a text that is repeated in the rows that it spans. */
const MAX_REPEATED_CHARS = 60;

/**
 * Lays cells out on the grid that their spans define (HTML § 4.9.12), then leaves out the columns in which no cell
 * begins: a colspan of 10,000 is as wide as the cells below it. A cell that spans rows is repeated in them while its
 * text is short and the table does not grow by more than its own size.
 */
export function layOut(rows: readonly TableRow[], textOfCell: (cell: ElementNode) => string): Grid {
  const placer = new Placer(textOfCell);
  const placed = rows.map((row) => placer.place(row));
  const starts = startsOf(placed);
  const columnOf = new Map([...starts].sort((a, b) => a - b).map((start, index) => [start, index]));
  const gridRows = placed.map((row, index) => toGridRow(row, columnOf, rows[index]?.isHead ?? false));
  let affordable = placer.charsToRepeat;
  for (const row of gridRows) affordable = spreadOut(row, affordable);
  return { rows: gridRows, columns: starts.size };
}

/** Returns the columns in which any cell begins. */
function startsOf(rows: readonly PlacedRow[]): Set<number> {
  const starts = new Set<number>();
  let most = 0;
  rows.forEach((row) => {
    if ("texts" in row) most = Math.max(most, row.texts.length);
    else for (const { column } of row) starts.add(column);
  });
  for (let column = 0; column < most; column++) starts.add(column);
  return starts;
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

  place({ cells }: TableRow): PlacedRow {
    if (this.#held.size === 0 && cells.length <= MAX_COLUMNS && !cells.some(hasSpans)) {
      return { texts: cells.map((cell) => this.#write(cell)) };
    }
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
      const rowSpan = spanOf(cell, "rowspan", MAX_ROW_SPAN);
      if (rowSpan > 1) this.#hold({ text, column, colSpan, rowsLeft: rowSpan - 1 });
      column = this.#passHeld(column + colSpan, placed);
    }
    this.#placeRest(column, placed);
    this.#endRow();
    return placed;
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
function spreadOut({ cells, isHead, spread }: GridRow, affordable: number): number {
  let left = affordable;
  if (isHead || spread.size === 0 || cells.filter((cell) => cell !== "").length <= 1) return left;
  for (const [column, text] of spread) {
    if (text.length > MAX_REPEATED_CHARS || text.length > left || (cells[column] ?? "") !== "") continue;
    while (cells.length < column) cells.push("");
    cells[column] = text;
    left -= text.length;
  }
  return left;
}

function toGridRow(placed: PlacedRow, columnOf: ReadonlyMap<number, number>, isHead: boolean): GridRow {
  // No column between the first ones of such a row is dropped, since it has a cell in each.
  if ("texts" in placed) return { cells: placed.texts, isHead, spread: NO_SPREAD };
  const row = { cells: [] as string[], isHead, spread: NO_SPREAD as Map<number, string> };
  for (const { text, column, colSpan } of placed) {
    const index = columnOf.get(column) ?? 0;
    while (row.cells.length < index) row.cells.push("");
    row.cells[index] = text;
    const end = text === "" ? column : column + colSpan;
    for (let covered = column + 1; covered < end; covered++) {
      const coveredIndex = columnOf.get(covered);
      if (coveredIndex === undefined) continue;
      if (row.spread === NO_SPREAD) row.spread = new Map();
      row.spread.set(coveredIndex, text);
    }
  }
  return row;
}
