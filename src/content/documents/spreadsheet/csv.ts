import Papa from "papaparse";
import { decodeBody } from "../../text/charset.ts";
import type { DocumentContent } from "../document-content.ts";
import { boundTable, markdownTable, MAX_TABLE_ROWS } from "../html/markdown-table.ts";

/** The rest of a larger table is left out: each of its characters could be an empty cell. */
const MAX_CHARACTERS = 20_000_000;

/** Reads comma-separated values (RFC 4180, and the dialects with semicolons, tabs and pipes) into one pipe table. */
export function readCsv(bytes: Uint8Array, contentType: string | undefined, delimiter?: "\t"): DocumentContent {
  const whole = decodeBody(bytes, contentType).text;
  const text = whole.slice(0, MAX_CHARACTERS);
  // Excel names the delimiter in a separate line in front of the table.
  const stated = /^sep=(.)\r?\n/.exec(text);
  const parsed = Papa.parse<string[]>(stated === null ? text : text.slice(stated[0].length), {
    delimiter: stated?.[1] ?? delimiter ?? "",
    delimitersToGuess: [",", ";", "\t", "|"],
    skipEmptyLines: "greedy",
    preview: MAX_TABLE_ROWS + 1,
  });
  const { rows, isCut } = boundTable(withoutEmptyColumns(parsed.data));
  return {
    markdown: markdownTable(rows),
    metadata: {},
    ...(isCut || text.length < whole.length
      ? { warning: `The table was cut after ${rows.length} rows and ${rows[0]?.length ?? 0} columns.` }
      : {}),
  };
}

/** Removes the empty column from a delimiter at the end of every line. */
function withoutEmptyColumns(rows: string[][]): string[][] {
  const width = rows.reduce((most, row) => Math.max(most, row.findLastIndex((cell) => cell.trim() !== "") + 1), 0);
  return rows.map((row) => (row.length > width ? row.slice(0, width) : row));
}
