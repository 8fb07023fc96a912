import Papa from "papaparse";
import { WorkBudget } from "../../../core/work-budget.ts";
import { decodeBody } from "../../text/charset.ts";
import type { DocumentContent } from "../document-content.ts";
import { boundTable, markdownTable, MAX_TABLE_ROWS } from "../html/markdown-table.ts";

/** The rest of a larger table is left out: each of its characters could be an empty cell. */
const MAX_CHARACTERS = 20_000_000;
/** Delimiters, quotes and line ends that are read: 400,000 cells with quotes have three each. */
const MAX_MARKS = 1_500_000;
/** Characters in which the delimiter is looked for. */
const SAMPLE_CHARACTERS = 250_000;
const NO_TEXT = "The table has no cell with text.";

/** Reads comma-separated values (RFC 4180, and the dialects with semicolons, tabs and pipes) into one pipe table. */
export function readCsv(
  bytes: Uint8Array,
  contentType: string | undefined,
  { delimiter, budget = new WorkBudget() }: { delimiter?: "\t"; budget?: WorkBudget } = {},
): DocumentContent {
  const whole = decodeBody(bytes, contentType).text;
  const text = withinMarks(whole.slice(0, MAX_CHARACTERS), budget);
  // Excel names the delimiter in a separate line in front of the table.
  const stated = /^sep=(.)\r?\n/.exec(text);
  const table = stated === null ? text : text.slice(stated[0].length);
  const parsed = Papa.parse<string[]>(table, {
    delimiter: stated?.[1] ?? delimiter ?? delimiterOf(table),
    skipEmptyLines: "greedy",
    preview: MAX_TABLE_ROWS + 1,
  });
  const { rows, isCut } = boundTable(withoutEmptyColumns(parsed.data));
  const markdown = markdownTable(rows);
  const warnings = [
    isCut || text.length < whole.length
      ? `The table was cut after ${rows.length} rows and ${rows[0]?.length ?? 0} columns.`
      : "",
    markdown === "" ? NO_TEXT : "",
  ].filter((words) => words !== "");
  return { markdown, metadata: {}, ...(warnings.length === 0 ? {} : { warning: warnings.join(" ") }) };
}

/** Cuts text behind the marks that one table may have and the budget allows. */
function withinMarks(text: string, budget: WorkBudget): string {
  let marks = 0;
  for (let at = 0; at < text.length; at++) {
    if (isMark(text.charCodeAt(at)) && (++marks > MAX_MARKS || !budget.take())) return text.slice(0, at);
  }
  return text;
}

/** `,`, `;`, a tab, `|`, `"` and a line feed. */
function isMark(code: number): boolean {
  return code === 44 || code === 59 || code === 9 || code === 124 || code === 34 || code === 10;
}

function delimiterOf(table: string): string {
  const { meta } = Papa.parse<string[]>(table.slice(0, SAMPLE_CHARACTERS), {
    delimitersToGuess: [",", ";", "\t", "|"],
    skipEmptyLines: "greedy",
    preview: 10,
  });
  return meta.delimiter;
}

/** Removes the empty column from a delimiter at the end of every line. */
function withoutEmptyColumns(rows: string[][]): string[][] {
  const width = rows.reduce((most, row) => Math.max(most, row.findLastIndex((cell) => cell.trim() !== "") + 1), 0);
  return rows.map((row) => (row.length > width ? row.slice(0, width) : row));
}
