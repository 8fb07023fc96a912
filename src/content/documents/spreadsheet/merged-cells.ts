import type { WorkBudget } from "../../../core/work-budget.ts";

/** An area of merged cells, from its first to its last row and column, counted from 0. */
export interface MergedArea {
  s: { r: number; c: number };
  e: { r: number; c: number };
}

/** Maximum length of a text that is repeated, as in the tables of pages. */
const MAX_REPEATED_CHARACTERS = 60;
const CELLS_PER_STEP = 8;

/**
 * Repeats the text of merged cells in all rows and columns that they cover, so that each row of a table is complete: only in
 * rows with text beside them, since a title over the whole width is no part of a table, and numbers in the first column
 * alone. Columns that hold nothing but parts of merged cells are left out. `take` counts a cell that is added, and returns false at the limit.
 */
export function repeatMerged(
  rows: readonly string[][],
  areas: readonly MergedArea[],
  limits: { budget: WorkBudget; take: (text: string) => boolean },
): string[][] {
  const filled = rows.map((row) => [...row]);
  const extents = rows.map((row) => ({
    first: row.findIndex((cell) => cell !== ""),
    last: row.findLastIndex((cell) => cell !== ""),
  }));
  const covered = new Set<number>();
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  for (const { s, e } of areas) {
    // An area outside of the table covers none of it, and must not give back steps of the budget.
    if (!(s.r < rows.length && s.c < columns && s.r <= e.r && s.c <= e.c)) continue;
    const text = rows[s.r]?.[s.c] ?? "";
    const [lastRow, lastColumn] = [Math.min(e.r, rows.length - 1), Math.min(e.c, columns - 1)];
    if (!limits.budget.take(1 + ((lastRow - s.r + 1) * (lastColumn - s.c + 1)) / CELLS_PER_STEP)) break;
    for (let column = s.c + 1; column <= lastColumn; column++) covered.add(column);
    if (text === "" || text.length > MAX_REPEATED_CHARACTERS) continue;
    for (let at = s.r; at <= lastRow; at++) {
      const { first = -1, last = -1 } = extents[at] ?? {};
      if (first === -1 || (first >= s.c && last <= lastColumn)) continue;
      // A number that stands once is not to be counted in every column.
      const end = /\p{L}/u.test(text) ? lastColumn : s.c;
      for (let column = s.c; column <= end; column++) {
        const row = filled[at];
        if (row === undefined || (row[column] ?? "") !== "") continue;
        if (!limits.take(text)) return filled;
        while (row.length < column) row.push("");
        row[column] = text;
      }
    }
  }
  const used = new Set(rows.flatMap((row) => row.flatMap((cell, column) => (cell === "" ? [] : [column]))));
  const isKept = (column: number): boolean => used.has(column) || !covered.has(column);
  return filled.map((row) => row.filter((_, column) => isKept(column)));
}
