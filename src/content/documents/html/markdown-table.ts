/** Limits of one response; rows beyond them are cut, and the response says so. */
export const MAX_TABLE_ROWS = 20_000;
export const MAX_TABLE_COLUMNS = 200;
export const MAX_TABLE_CELLS = 400_000;
const MAX_TABLE_CHARACTERS = 12_000_000;

/**
 * Writes rows as a pipe table of GitHub Flavored Markdown § 4.10, the first row as its head. Short rows are padded.
 * Pipes are escaped and line breaks become `<br>`; everything else in a cell is unchanged.
 */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns === 0) return "";
  const line = (row: readonly string[]): string =>
    `| ${Array.from({ length: columns }, (_, at) => markdownCell(row[at] ?? "")).join(" | ")} |`;
  const [head = [], ...body] = rows;
  return [line(head), `|${" --- |".repeat(columns)}`, ...body.map(line)].join("\n");
}

function markdownCell(text: string): string {
  return text
    .trim()
    .replaceAll("|", "\\|")
    .replace(/\r\n?|\n/g, "<br>");
}

/** Remaining cells and characters for the tables of one document; all of its sheets share it. */
export class TableRoom {
  #cells = MAX_TABLE_CELLS;
  #characters = MAX_TABLE_CHARACTERS;

  /** @returns false when the cell exceeds the limits */
  take(text: string): boolean {
    this.#cells--;
    this.#characters -= text.length;
    return this.#cells >= 0 && this.#characters >= 0;
  }
}

/** Cuts rows to the limits. */
export function boundTable(rows: string[][]): { rows: string[][]; isCut: boolean } {
  const columns = Math.min(
    MAX_TABLE_COLUMNS,
    rows.reduce((most, row) => Math.max(most, row.length), 1),
  );
  const count = Math.min(rows.length, MAX_TABLE_ROWS, Math.floor(MAX_TABLE_CELLS / columns));
  const isCut = count < rows.length || rows.some((row) => row.length > columns);
  return isCut ? { rows: rows.slice(0, count).map((row) => row.slice(0, columns)), isCut } : { rows, isCut };
}
