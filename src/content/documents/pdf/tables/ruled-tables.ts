import type { WorkBudget } from "../../../../core/work-budget.ts";
import type { Block } from "../block.ts";
import type { RulingLine } from "../pages/ruling-lines.ts";
import { COMPARISONS_PER_STEP } from "../pdf-work.ts";
import { type Line, textOfRuns } from "../text-run.ts";
import { MAX_MEASURED_ROWS, MAX_PLACED_ROWS, placedSpans } from "./heading-spans.ts";
import { repeatSpans, spanOf } from "./repeat-spans.ts";
import { cellsOf, type Column, columnsUnder, findColumns, fits } from "./table-columns.ts";
import {
  bordersOf,
  type Frame,
  framesOf,
  heightOf,
  isBetween,
  jointsOf,
  rulesAround,
  TOLERANCE,
} from "./table-frames.ts";
import { bandOf, type Box, type Grid, type GridColumn, gridOf, segmentsIn } from "./table-grid.ts";
import { isNumber, TableRows } from "./table-rows.ts";

type Table = Extract<Block, { type: "table" }>;

const MAX_COLUMNS = 30;
/** A row with a name in the middle of a drawn box has at most this many lines; more of them are rows. */
const MAX_PARALLEL_LINES = 3;
/** Lines of the head above the first drawn line, or of the last row below the last. */
const MAX_OPEN_LINES = 4;
/** Distance of a row from the end of a table without a line there, in points. */
const PADDING = 2;

/**
 * Finds the tables of a region that drawn lines enclose: two or more horizontal lines of one width, with cells between
 * them. Vertical lines are borders of columns; without them, and between them, columns are where the cells are. Lines that
 * end at a column leave boxes open over several rows or columns, whose text is repeated in each of them. Returns each table by
 * the number of its first line. Without budget there are none.
 */
export function ruledTables(
  lines: readonly Line[],
  rules: readonly RulingLine[],
  budget: WorkBudget,
): Map<number, Table> {
  const tables = new Map<number, Table>();
  if (rules.length < 2 || !budget.take((rules.length * Math.log2(rules.length)) / COMPARISONS_PER_STEP)) return tables;
  const near = rulesAround(lines, rules);
  const frames = framesOf(near, lines, budget).toSorted((a, b) => heightOf(b) - heightOf(a));
  const taken = new Set<Line>();
  for (const frame of frames) {
    if (!budget.take((lines.length + near.length) / COMPARISONS_PER_STEP)) return tables;
    const [top = 0, bottom = 0] = [frame.heights[0], frame.heights.at(-1)];
    const start = lines.findIndex((line) => isBetween(line, top, bottom));
    const inside = lines.filter((line) => isBetween(line, top, bottom));
    if (start === -1 || inside.some((line, at) => line !== lines[start + at] || taken.has(line))) continue;
    if (inside.some((line) => !isWithin(line, frame))) continue;
    const table = tableIn(frame, inside, near, budget);
    if (table === undefined) continue;
    const open = openEnds(lines, { start, end: start + inside.length, frame, columns: table.grid.columns, taken });
    const whole =
      open.above + open.below === 0
        ? undefined
        : openTable(lines, { start, count: inside.length, frame, open }, near, budget);
    const from = whole === undefined ? start : start - open.above;
    const { rows, cells, columns } = whole ?? table;
    tables.set(from, { type: "table", rows, cells, columns });
    for (const line of rows.flat()) taken.add(line);
  }
  return tables;
}

function isWithin(line: Line, { left, right }: Frame): boolean {
  return line.left >= left - 4 && line.right <= right + 4;
}

/** Counts the lines above the first drawn line of a table, and below its last, whose cells are in its columns. */
function openEnds(
  lines: readonly Line[],
  options: { start: number; end: number; frame: Frame; columns: readonly Column[]; taken: ReadonlySet<Line> },
): { above: number; below: number } {
  const { start, end, frame, columns, taken } = options;
  const isRow = (line: Line | undefined): line is Line =>
    line !== undefined &&
    !taken.has(line) &&
    isWithin(line, frame) &&
    line.segments.length > 1 &&
    line.segments.length * 2 >= columns.length &&
    line.segments.every((segment) => columnsUnder(segment, columns).length === 1);
  const count = (from: number, step: 1 | -1, border: number): number => {
    let [rows, edge] = [0, border];
    for (let at = from; rows < MAX_OPEN_LINES; at += step, rows++) {
      const line = lines[at];
      const distance = line === undefined ? 0 : Math.abs(line.baseline - line.size * 0.3 - edge);
      if (!isRow(line) || distance > line.size * (rows === 0 ? 2 : 1.5)) break;
      edge = line.baseline - line.size * 0.3;
    }
    return rows;
  };
  const isRuledThroughout = frame.heights.length > 2;
  return {
    above: count(start - 1, -1, frame.heights[0] ?? 0),
    below: isRuledThroughout ? count(end, 1, frame.heights.at(-1) ?? 0) : 0,
  };
}

/** Reads a table whose first or last row has no drawn line at its outer side, as if there were one. */
function openTable(
  lines: readonly Line[],
  place: { start: number; count: number; frame: Frame; open: { above: number; below: number } },
  rules: readonly RulingLine[],
  budget: WorkBudget,
): FoundTable | undefined {
  const { start, count, frame, open } = place;
  const own = lines.slice(start - open.above, start + count + open.below);
  const ends = [
    ...(open.above > 0 ? [(own[0]?.top ?? 0) - PADDING] : []),
    ...(open.below > 0 ? [(own.at(-1)?.bottom ?? 0) + PADDING] : []),
  ];
  const { left, right } = frame;
  const heights = [...frame.heights, ...ends].toSorted((a, b) => a - b);
  const drawn = ends.map((height) => ({ left, right, top: height, bottom: height }));
  return tableIn({ left, right, heights }, own, [...rules, ...drawn], budget);
}

interface FoundTable extends Table {
  grid: Grid;
}

function tableIn(
  frame: Frame,
  lines: readonly Line[],
  rules: readonly RulingLine[],
  budget: WorkBudget,
): FoundTable | undefined {
  const borders = bordersOf(frame, rules);
  const table = tableWithin({ frame, borders }, lines, rules, budget);
  const joints = table === undefined && borders.length === 0 ? jointsOf(frame, rules) : [];
  return joints.length === 0 ? table : tableWithin({ frame, borders: joints }, lines, rules, budget);
}

function tableWithin(
  { frame, borders }: { frame: Frame; borders: readonly number[] },
  lines: readonly Line[],
  rules: readonly RulingLine[],
  budget: WorkBudget,
): FoundTable | undefined {
  const full = lines.filter((line) => line.segments.length > 1);
  if (borders.length === 0 && (full.length < 2 || full.length * 2 < lines.length)) return undefined;
  const columns = columnsBetween([frame.left, ...borders, frame.right], lines, budget);
  if (columns.length < 2 || columns.length > MAX_COLUMNS || (borders.length === 0 && !fits(full, columns)))
    return undefined;
  const grid = gridOf(frame, columns, { lines, rules }, budget);
  if (grid === undefined) return undefined;
  const rows = rowsOf(grid, lines, budget);
  if (rows.length < 2) return undefined;
  const cells = rows.map(({ lines: own, isParallel }) =>
    columns.map((_, at) => {
      const cell = own.flatMap((line) => cellsOf(line, columns, at));
      return isParallel ? cell.map((segment, place) => ({ ...segment, startsLine: place > 0 })) : cell;
    }),
  );
  if (borders.length > 0 && !isFilled(lines, cells, grid)) return undefined;
  fillBoxes(grid, rows, cells, lines);
  repeatHeadings({ grid, rules }, rows, cells);
  return { type: "table", rows: rows.map(({ lines: own }) => own), cells, columns: columns.length, grid };
}

/** Returns the columns between vertical lines, parted further where most lines have several cells between two of them. */
function columnsBetween(edges: readonly number[], lines: readonly Line[], budget: WorkBudget): GridColumn[] {
  return edges.slice(1).flatMap((right, at) => {
    const left = edges[at] ?? right;
    const inside = lines.flatMap((line) => {
      const segments = line.segments.filter(
        (segment) => segment.left > left - TOLERANCE && segment.right < right + TOLERANCE,
      );
      return segments.length === 0 ? [] : [{ ...line, segments }];
    });
    const several = inside.filter((line) => line.segments.length > 1);
    const found = several.length * 2 < inside.length || several.length < 2 ? [] : findColumns(several, budget);
    if (found.length < 2 || !fits(several, found)) return [{ left, right, isBordered: true }];
    if (edges.length === 2)
      return found.map((column, place) => ({ ...column, isBordered: place === found.length - 1 }));
    return found.map((column, place) => ({
      left: place === 0 ? left : middleOf(found[place - 1], column),
      right: place === found.length - 1 ? right : middleOf(column, found[place + 1]),
      isBordered: place === found.length - 1,
    }));
  });
}

function middleOf(one: Column | undefined, other: Column | undefined): number {
  return ((one?.right ?? 0) + (other?.left ?? 0)) / 2;
}

/** A row of a table with the band that holds it. */
interface Row {
  band: number;
  lines: Line[];
  /** Set when lines of its cells that are beside one another belong together. */
  isParallel: boolean;
}

/** Groups the lines of each band into rows. Lines that hold only text of boxes over several bands are of the nearest row. */
function rowsOf(grid: Grid, lines: readonly Line[], budget: WorkBudget): Row[] {
  const { heights, columns } = grid;
  const table = new TableRows(lines, columns, budget);
  const bands: Line[][] = heights.slice(1).map(() => []);
  for (const line of lines) bands[bandOf(line, heights)]?.push(line);
  const tall = grid.boxes.filter(({ top, bottom }) => bottom > top);
  const isGrid = columns.every(({ isBordered }) => isBordered) && heights.length > 3;
  const headEnd = grid.isCrossed.indexOf(true, 1);
  return bands.flatMap((own, band) => {
    const isOwn = (line: Line): boolean =>
      [...table.filledBy([line])].some(
        (at) => !tall.some((box) => band >= box.top && band <= box.bottom && at >= box.left && at <= box.right),
      );
    const grouped = table.group(own.filter(isOwn));
    const others = own.filter((line) => !isOwn(line));
    const isHead = band < headEnd;
    const below = isHead && band < MAX_PLACED_ROWS ? bands.slice(band + 1, band + 1 + MAX_MEASURED_ROWS).flat() : [];
    const isOne = isOneRow(grouped, { grid, table, isGrid, isHead, below });
    const rows = isOne ? [grouped.flat()] : grouped;
    const last = rows.at(-1);
    if (last === undefined) return own.length === 0 ? [] : [{ band, lines: own, isParallel: false }];
    last.push(...others);
    const isParallel = isOne && !isHead && grouped.length > 1;
    return rows.map((group) => ({ band, lines: group.toSorted((a, b) => a.baseline - b.baseline), isParallel }));
  });
}

/** Reports whether the lines of a band are one row: a head without headings over several columns, or a drawn box. */
function isOneRow(
  rows: readonly Line[][],
  options: { grid: Grid; table: TableRows; isGrid: boolean; isHead: boolean; below: readonly Line[] },
): boolean {
  const { grid, table, isGrid, isHead, below } = options;
  if (rows.length < 2 || rows.length > MAX_PARALLEL_LINES) return rows.length === 1;
  const isSpanning = rows
    .flat()
    .some((line) => line.segments.some((segment) => spanOf(segment, grid.columns).length > 1));
  if (isHead && grid.heights.length > 2) {
    const isPlaced = hasPlacedSpans(rows, { columns: grid.columns, below });
    return !isSpanning && !isPlaced && !rows.slice(1).flat().some(hasNumber);
  }
  if (!isGrid || isSpanning) return false;
  return hasCentredName(rows, table);
}

/** Reports whether a heading in a row, above another one, stands above a group of columns. */
function hasPlacedSpans(
  rows: readonly Line[][],
  { columns, below }: { columns: readonly Column[]; below: readonly Line[] },
): boolean {
  return rows.slice(0, -1).some((row, at) => {
    const next = rows[at + 1] ?? [];
    const context = { columns, next, below: [...rows.slice(at + 1).flat(), ...below], rules: [] };
    return row.some((line) => placedSpans(line, context).size > 0);
  });
}

function hasNumber(line: Line): boolean {
  return line.segments.some(({ runs }) => /\p{N}/u.test(textOfRuns(runs)) && isNumber(textOfRuns(runs)));
}

/** Reports whether the first column has one name, in the middle of the lines of the other columns: it names the drawn box. */
function hasCentredName(rows: readonly Line[][], table: TableRows): boolean {
  const named = rows.filter((row) => table.filledBy(row).has(0));
  const label = named.flat().find((line) => table.filledBy([line]).has(0));
  const others = rows.flat().filter((line) => line !== label);
  if (named.length !== 1 || label === undefined || table.filledBy(others).has(0)) return false;
  const [top, bottom] = [others[0]?.baseline ?? 0, others.at(-1)?.baseline ?? 0];
  return Math.abs((top + bottom) / 2 - label.baseline) < label.size * 0.4;
}

/** Reports whether most cells have text, and hardly any text runs across a border: drawings have lines too. */
function isFilled(lines: readonly Line[], cells: Table["cells"], { columns, boxes, heights }: Grid): boolean {
  const segments = lines.flatMap((line) => line.segments);
  const crossing = segments.filter((segment) => {
    const inner = { left: segment.left + TOLERANCE, right: segment.right - TOLERANCE };
    const band = bandOf(segment, heights);
    const under = columnsUnder(inner, columns);
    return (
      under.length > 1 && !boxes.some((box) => band >= box.top && band <= box.bottom && holds(box, under, columns))
    );
  });
  const open = boxes.reduce((sum, box) => sum + (box.bottom - box.top + 1) * (box.right - box.left + 1) - 1, 0);
  const all = cells.flat();
  const filled = all.filter((cell) => cell.length > 0);
  return crossing.length <= segments.length * 0.2 && filled.length + open >= all.length * 0.5;
}

function holds(box: Box, under: readonly Column[], columns: readonly Column[]): boolean {
  return under.every((column) => columns.indexOf(column) >= box.left && columns.indexOf(column) <= box.right);
}

/** Characters that an open box adds at most by being repeated; a longer text is in its first cell alone. */
const MAX_REPEATED = 20_000;

/** Repeats the text of an open box in each of its cells, as markdown has no spans; not over all columns. */
function fillBoxes(grid: Grid, rows: readonly Row[], cells: Table["cells"], lines: readonly Line[]): void {
  const { columns, heights, boxes } = grid;
  for (const box of boxes) {
    if (box.right - box.left + 1 === columns.length) continue;
    const [top, bottom] = [heights[box.top] ?? 0, heights[box.bottom + 1] ?? 0];
    const isTall = box.bottom > box.top;
    const text = lines.filter((line) => isBetween(line, top, bottom)).flatMap((line) => segmentsIn(line, box, columns));
    const places = [...rows.entries()].filter(([, { band }]) => band >= box.top && band <= box.bottom);
    const characters = text.reduce((sum, { runs }) => sum + textOfRuns(runs).length, 0);
    const isRepeated = characters * places.length * (box.right - box.left + 1) <= MAX_REPEATED;
    for (const [place, [at, row]] of places.entries()) {
      const own = isTall ? text : row.lines.flatMap((line) => segmentsIn(line, box, columns));
      for (let column = box.left; column <= box.right; column++) {
        const isFirst = column === box.left && (!isTall || place === 0);
        cells[at]?.splice(column, 1, isRepeated || isFirst ? own : []);
      }
    }
  }
}

/** Repeats headings over several columns that no lines enclose, in the rows of the head. */
function repeatHeadings(
  { grid, rules }: { grid: Grid; rules: readonly RulingLine[] },
  rows: readonly Row[],
  cells: Table["cells"],
): void {
  const headEnd = grid.heights.length > 2 ? Math.max(1, grid.isCrossed.indexOf(true, 1)) : 0;
  const head = rows.filter(({ band }) => band < headEnd).length;
  repeatSpans({ rows: rows.map(({ lines }) => lines), head, rules }, cells, grid.columns);
}
