import type { HtmlCell } from "./html-table.ts";

/** How a cell goes together with those beside it, or above and below: it may begin an area of merged cells, or go on. */
export type Merge = "none" | "start" | "continued";

/** The place of a cell in a row. Edges are in twips, a twentieth of a point. */
export interface CellShape {
  right: number;
  across: Merge;
  down: Merge;
}

/** The places of all cells of a row, as formats that store widths write them. */
export interface RowShape {
  left: number;
  cells: readonly CellShape[];
}

export interface ShapedRow {
  cells: HtmlCell[];
  shape: RowShape | undefined;
}

/** Edges that are closer than this are one; rows that were drawn by hand do not meet to the twip. */
const TOLERANCE_TWIPS = 60;
/** Tables with more edges than this have no columns that are common to their rows. */
const MAX_EDGES = 200;

/** A cell with its first column and the one behind its last. */
interface Placed {
  cell: HtmlCell;
  shape: CellShape;
  from: number;
  to: number;
}

/**
 * Gives cells the columns and rows that they span: over how many columns a cell reaches follows from the edges of the cells in all
 * rows. Rows that have no shape, or one for another number of cells, stay as they are.
 */
export function spanCells(rows: readonly ShapedRow[]): HtmlCell[][] {
  const edges = edgesOf(rows);
  if (edges.length === 0) return rows.map(({ cells }) => cells);
  const open = new Map<number, Placed>();
  return rows.map(({ cells, shape }) => {
    if (shape?.cells.length !== cells.length) {
      open.clear();
      return cells;
    }
    return placed(cells, shape, edges).flatMap((place) => {
      const above = open.get(place.from);
      if (place.shape.down === "continued" && above?.to === place.to) {
        above.cell.rows = (above.cell.rows ?? 1) + 1;
        return [];
      }
      for (let at = place.from; at < place.to; at++) open.delete(at);
      if (place.shape.down === "start") open.set(place.from, place);
      return [place.cell];
    });
  });
}

/** Returns the edges of all columns, from left to right; none for a table without merged cells. */
function edgesOf(rows: readonly ShapedRow[]): number[] {
  const shaped = rows.filter(({ cells, shape }) => shape?.cells.length === cells.length);
  const isPlain = ({ across, down }: CellShape): boolean => across === "none" && down === "none";
  const areAlike = new Set(shaped.map(({ cells }) => cells.length)).size <= 1;
  if (areAlike && shaped.every(({ shape }) => shape?.cells.every(isPlain) === true)) return [];
  const all = new Set(
    shaped.flatMap(({ shape }) => [shape?.left ?? 0, ...(shape?.cells ?? []).map(({ right }) => right)]),
  );
  const edges: number[] = [];
  for (const edge of [...all].toSorted((a, b) => a - b)) {
    if (edge - (edges.at(-1) ?? Number.NEGATIVE_INFINITY) > TOLERANCE_TWIPS) edges.push(edge);
    if (edges.length > MAX_EDGES) return [];
  }
  return edges;
}

function placed(cells: readonly HtmlCell[], shape: RowShape, edges: readonly number[]): Placed[] {
  const places: Placed[] = [];
  let from = columnAt(shape.left, edges);
  for (const [at, cell] of cells.entries()) {
    const own = shape.cells[at];
    if (own === undefined) break;
    const last = places.at(-1);
    const to = Math.max(from, columnAt(own.right, edges));
    if (own.across === "continued" && last !== undefined) {
      last.to = to;
      last.cell.columns = last.to - last.from;
      last.cell.html += cell.html;
    } else {
      places.push({ cell: { ...cell, columns: Math.max(1, to - from) }, shape: own, from, to: Math.max(from + 1, to) });
    }
    from = to;
  }
  return places;
}

function columnAt(edge: number, edges: readonly number[]): number {
  const at = edges.findLastIndex((each) => each <= edge);
  return Math.max(0, at);
}
