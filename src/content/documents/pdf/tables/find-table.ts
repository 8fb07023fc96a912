import type { WorkBudget } from "../../../../core/work-budget.ts";
import type { Block } from "../block.ts";
import { isTableOfContentsLine, listMarker } from "../lists/list-marker.ts";
import type { Line } from "../text-run.ts";
import type { RulingLine } from "../pages/ruling-lines.ts";
import { COMPARISONS_PER_STEP } from "../pdf-work.ts";
import { MAX_MEASURED_ROWS, placedSpans } from "./heading-spans.ts";
import { repeatSpans } from "./repeat-spans.ts";
import { cellsOf, type Column, columnsUnder, findColumns, fits } from "./table-columns.ts";
import { TableRows } from "./table-rows.ts";

const MIN_ROWS = 3;
/** Rows further apart than this, in multiples of the font size, are in different tables. */
const MAX_ROW_DISTANCE = 4;
/** A line further from its neighbour than this, in multiples of the font size, is not the rest of a cell. */
const MAX_CELL_DISTANCE = 1.6;
/** Lines of a cell that may be above the line with the other cells of its row. */
const MAX_CELL_LINES = 6;
/** Lines whose extent is that of the table. */
const FIRST_LINES = 10;
/** Gaps of a justified line differ by this much at most, in points. */
const EQUAL_GAPS = 0.6;

type Table = Extract<Block, { type: "table" }>;

/**
 * Finds a table that begins at a line: at least three rows of cells whose extents fall into the same columns. A line
 * with a single cell is part of it when it is in one of its columns and close to another line.
 */
export function findTable(
  lines: readonly Line[],
  start: number,
  budget: WorkBudget,
  rules: readonly RulingLine[] = [],
): Table | undefined {
  const first = lines[start];
  if (first === undefined || first.segments.length < 2 || !isTableLine(first)) return undefined;
  const near = linesNear(lines, start, budget);
  const columns = findColumns(near.filter(hasCells), budget);
  if (columns.length < 2) return undefined;
  const extent = withinColumns(near, columns);
  const full = extent.filter(hasCells);
  if (full.length < MIN_ROWS || !fits(full, columns) || isProse(full, columns) || isJustified(full)) return undefined;

  const table = new TableRows(extent, columns, budget);
  const rows = table.group(extent);
  if (rows.length < 2) return undefined;
  const cells = rows.map((row) => columns.map((_, at) => row.flatMap((line) => cellsOf(line, columns, at))));
  const head = rows.findIndex((row) => !row.some((line) => isSpanning(line, columns)));
  const drawn = budget.take(rules.length / COMPARISONS_PER_STEP) ? rules : [];
  if (head === 1 || (head === 0 && isPlacedHead(rows, columns, drawn)))
    repeatSpans({ rows, head: 2, rules: drawn }, cells, columns);
  return { type: "table", rows, cells, columns: columns.length };
}

function hasCells(line: Line): boolean {
  return line.segments.length >= 2;
}

function isSpanning(line: Line, columns: readonly Column[]): boolean {
  return line.segments.some((segment) => columnsUnder(segment, columns).length > 1);
}

/** Reports whether the headings of the first row stand above groups of columns. */
function isPlacedHead(rows: readonly Line[][], columns: readonly Column[], rules: readonly RulingLine[]): boolean {
  const [first = [], next = []] = rows;
  const context = { columns, next, below: rows.slice(1, 1 + MAX_MEASURED_ROWS).flat(), rules };
  return first.some((line) => placedSpans(line, context).size > 0);
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

/** Reports whether most lines with several gaps have gaps of one width: words that are spread over a narrow column. */
function isJustified(rows: readonly Line[]): boolean {
  const several = rows.filter((row) => row.segments.length > 2);
  const even = several.filter(({ segments }) => {
    const gaps = segments.slice(1).map((segment, at) => segment.left - (segments[at]?.right ?? 0));
    return Math.max(...gaps) - Math.min(...gaps) <= EQUAL_GAPS;
  });
  return even.length > 0 && even.length * 2 > several.length && rows.length < even.length * 3;
}

/**
 * Reports whether a line has cells: gaps in code are indentation; a bullet and its text, or an entry and its page
 * number, are no cells.
 */
function isTableLine(line: Line): boolean {
  if (line.isMonospaced || isTableOfContentsLine(line.text)) return false;
  return line.segments.length !== 2 || listMarker(line.text) === undefined;
}

/** Returns the lines from one on that may be of its table: cells, and single ones among them, of one size, close to each other. */
function linesNear(lines: readonly Line[], start: number, budget: WorkBudget): Line[] {
  const near: Line[] = [];
  // The first lines may be narrower than the table, as those of a head without a name for the first column.
  const first = lines.slice(start, start + FIRST_LINES).filter(hasCells);
  let left = Math.min(...first.map((line) => line.left));
  let right = Math.max(...first.map((line) => line.right));
  for (let at = start; at < lines.length && budget.take(1); at++) {
    const line = lines[at];
    const last = near.at(-1);
    if (line === undefined || !isTableLine(line)) break;
    if (last !== undefined) {
      const distance = line.baseline - last.baseline;
      if (distance <= 0 || distance > last.size * MAX_ROW_DISTANCE || Math.abs(line.size - last.size) > last.size * 0.3)
        break;
      if (!hasCells(line) && line.right - line.left > (right - left) * 0.6) break;
    }
    near.push(line);
    [left, right] = [Math.min(left, line.left), Math.max(right, line.right)];
  }
  return near;
}

/** Returns the lines of a table up to the first that is none: a single cell over several columns, or away from the others. */
function withinColumns(near: readonly Line[], columns: readonly Column[]): Line[] {
  const extent: Line[] = [];
  for (const [at, line] of near.entries()) {
    if (
      !hasCells(line) &&
      !isCellOf(line, { above: near[at - 1], below: near.slice(at + 1, at + MAX_CELL_LINES), columns })
    )
      break;
    extent.push(line);
  }
  // A single cell below the last row is its end only when it is close.
  while (extent.length > 0 && !endsTable(extent, columns)) extent.pop();
  return extent;
}

function isCellOf(
  line: Line,
  { above, below, columns }: { above: Line | undefined; below: readonly Line[]; columns: readonly Column[] },
): boolean {
  if (columnsUnder(line, columns).length !== 1) return false;
  if (above !== undefined && line.baseline - above.baseline < line.size * MAX_CELL_DISTANCE) return true;
  // The name of a group of rows is above them, and so are the first lines of a cell whose row is set in its middle.
  let last = line;
  for (const next of below) {
    if (next.baseline - last.baseline > line.size * (hasCells(next) ? 2.5 : MAX_CELL_DISTANCE)) return false;
    if (hasCells(next)) return true;
    last = next;
  }
  return false;
}

function endsTable(extent: readonly Line[], columns: readonly Column[]): boolean {
  const [last, before] = [extent.at(-1), extent.at(-2)];
  if (last === undefined || hasCells(last)) return true;
  if (before === undefined || last.baseline - before.baseline > last.size * MAX_CELL_DISTANCE) return false;
  const own = columns.findIndex((column) => columnsUnder(last, [column]).length > 0);
  return cellsOf(before, columns, own).length > 0 || own > 0;
}
