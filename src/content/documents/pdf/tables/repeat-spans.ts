import type { Line, Segment } from "../text-run.ts";
import type { RulingLine } from "../pages/ruling-lines.ts";
import { MAX_MEASURED_ROWS, MAX_PLACED_ROWS, placedSpans } from "./heading-spans.ts";
import { type Column, columnsUnder } from "./table-columns.ts";

/**
 * Repeats a heading that spans several columns in each of them, and one that is beside such a heading in the row below it, as
 * markdown has no spans.
 * @param rows all rows of the table, of which the first `head` ones are its head
 */
export function repeatSpans(
  { rows, head, rules }: { rows: readonly (readonly Line[])[]; head: number; rules: readonly RulingLine[] },
  cells: Segment[][][],
  columns: readonly Column[],
): void {
  const spanned = new Set<number>();
  for (const [at, row] of rows.slice(0, head).entries()) {
    const next = at + 1 < head ? rows[at + 1] : undefined;
    const below =
      next === undefined || at >= MAX_PLACED_ROWS ? [] : rows.slice(at + 1, at + 1 + MAX_MEASURED_ROWS).flat();
    for (const line of row) {
      const placed = next && at < MAX_PLACED_ROWS ? placedSpans(line, { columns, next, below, rules }) : undefined;
      for (const segment of line.segments) {
        const own = placed?.get(segment);
        if (own !== undefined) takeOut(segment, cells[at] ?? []);
        const covered =
          own ?? widened(spanOf(segment, columns), { columns, row: cells[at], below: next && cells[at + 1] });
        if (covered.length < 2 || covered.length === columns.length) continue;
        spanned.add(at);
        for (const [column, extent] of columns.entries()) {
          const cell = cells[at]?.[column];
          if (cell === undefined || !covered.includes(extent)) continue;
          if (own !== undefined) insert(segment, cell);
          else if (cell.length === 0) cell.push(segment);
        }
      }
    }
  }
  for (const at of spanned) {
    if (at + 1 >= head || spanned.has(at + 1)) continue;
    for (const column of columns.keys()) {
      const [above, below] = [cells[at]?.[column], cells[at + 1]?.[column]];
      if (above !== undefined && below?.length === 0) below.push(...above);
    }
  }
}

/** Takes the pieces of a heading out of the cells of its row, which may be the same list in several of them. */
function takeOut(heading: Segment, row: Segment[][]): void {
  for (const [at, cell] of row.entries())
    row[at] = cell.filter(({ runs }) => !runs.every((run) => heading.runs.includes(run)));
}

/** Adds a line of a heading to a cell, above the lines below it. */
function insert(heading: Segment, cell: Segment[]): void {
  const below = cell.findIndex(({ baseline }) => baseline > heading.baseline + heading.size * 0.5);
  cell.splice(below === -1 ? cell.length : below, 0, heading);
}

/** Adds the columns beside that of a heading which is set above the middle one of three, where only they have further headings. */
function widened(
  covered: Column[],
  { columns, row, below }: { columns: readonly Column[]; row: Segment[][] | undefined; below: Segment[][] | undefined },
): Column[] {
  const [own] = covered;
  if (own === undefined || covered.length > 1 || below === undefined) return covered;
  const at = columns.indexOf(own);
  const isOpen = [at - 1, at + 1].every((side) => row?.[side]?.length === 0 && (below[side]?.length ?? 0) > 0);
  const [heading, name] = [row?.[at]?.[0], below[at]?.[0]];
  if (heading === undefined || name === undefined || !isOpen) return covered;
  const isWide = heading.left < name.left && heading.right > name.right;
  return isWide ? columns.slice(at - 1, at + 2) : covered;
}

/** Returns the columns that a heading overlaps with, or those over whose middle it is set. */
export function spanOf(segment: Segment, columns: readonly Column[]): Column[] {
  const under = columnsUnder(segment, columns);
  const own = under[0];
  if (own === undefined || under.length > 1 || segment.right - segment.left <= own.right - own.left) return under;
  const middle = (segment.left + segment.right) / 2;
  let span = under;
  let least = Math.min(segment.size, ...under.map((column) => Math.abs((column.left + column.right) / 2 - middle)));
  for (const [from, first] of columns.entries()) {
    for (const [to, last] of columns.entries()) {
      const distance = Math.abs((first.left + last.right) / 2 - middle);
      if (to <= from || distance >= least || first.left > segment.left || last.right < segment.right) continue;
      span = columns.slice(from, to + 1);
      least = distance;
    }
  }
  return span;
}
