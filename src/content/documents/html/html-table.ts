import { wrap } from "./html-text.ts";

export interface HtmlCell {
  html: string;
  columns?: number;
  rows?: number;
}

/** Writes a table whose first `headerRows` rows are headings. Returns an empty string for an empty table. */
export function htmlTable(rows: readonly (readonly HtmlCell[])[], headerRows = 1): string {
  if (rows.every((row) => row.every((cell) => cell.html.trim() === ""))) return "";
  const write = (row: readonly HtmlCell[], tag: string): string =>
    `<tr>${row.map((cell) => `<${tag}${span("colspan", cell.columns)}${span("rowspan", cell.rows)}>${cell.html}</${tag}>`).join("")}</tr>`;
  const head = rows.slice(0, headerRows).map((row) => write(row, "th"));
  const body = rows.slice(headerRows).map((row) => write(row, "td"));
  return `<table>${wrap("thead", head.join(""))}${wrap("tbody", body.join(""))}</table>`;
}

function span(name: string, count: number | undefined): string {
  const most = Math.min(Math.trunc(count ?? 1), 1_000);
  return most > 1 ? ` ${name}="${most}"` : "";
}
