import type { ElementNode } from "../../html/tree/tree.ts";
import { cellOf } from "../flat.ts";
import { relaxSigns } from "../inline/lone-signs.ts";
import { holds, keptChildren, type MarkdownPage } from "../page.ts";
import { layOut, type Grid, type GridRow, type TableRow } from "./table-grid.ts";

/** The parts of a table, before its purpose is known. */
export interface TableParts {
  rows: TableRow[];
  caption: ElementNode | undefined;
  /** Content of the table that is in no cell. */
  loose: (ElementNode | string)[];
}

export function readTable(page: MarkdownPage, table: ElementNode): TableParts {
  const parts: TableParts = { rows: [], caption: undefined, loose: [] };
  const feet: ElementNode[] = [];
  const read = (element: ElementNode, isHead: boolean): void => {
    for (const child of keptChildren(page, element)) {
      if (typeof child === "string") parts.loose.push(child);
      else if (child.tag === "tr") parts.rows.push(readRow(page, child, isHead, parts.loose));
      else if (child.tag === "thead") read(child, true);
      else if (child.tag === "tbody" || child.tag === "form") read(child, false);
      else if (child.tag === "tfoot") feet.push(child);
      else if (child.tag === "caption") parts.caption ??= child;
      else if (child.tag !== "colgroup" && child.tag !== "col") parts.loose.push(child);
    }
  };
  read(table, false);
  // A foot is shown last, wherever it is in the source.
  for (const foot of feet) read(foot, false);
  return parts;
}

function readRow(page: MarkdownPage, row: ElementNode, isHead: boolean, loose: TableParts["loose"]): TableRow {
  const cells: ElementNode[] = [];
  for (const child of keptChildren(page, row)) {
    if (typeof child !== "string" && (child.tag === "td" || child.tag === "th")) cells.push(child);
    else loose.push(child);
  }
  return { cells, isHead: isHead || (cells.length > 0 && cells.every(({ tag }) => tag === "th")) };
}

/**
 * Reports whether a table only arranges a page: it is marked so, has one column or row, or its cells hold documents.
 */
export function isLayout(page: MarkdownPage, table: ElementNode, { rows, caption }: TableParts): boolean {
  const role = table.attributes["role"];
  if (role === "presentation" || role === "none") return true;
  const filled = rows.filter(({ cells }) => cells.length > 0);
  const hasHeads =
    caption !== undefined || filled.some(({ cells, isHead }) => isHead || cells.some(({ tag }) => tag === "th"));
  if (filled.every(({ cells }) => cells.length <= 1)) return !hasHeads || filled.length < 2;
  if (hasHeads) return false;
  return filled.length === 1 || filled.some(({ cells }) => cells.some((cell) => holdsDocument(page, cell)));
}

/** Reports whether a cell has content that a cell of data does not have. */
function holdsDocument(page: MarkdownPage, cell: ElementNode): boolean {
  return holds(cell, page, ({ tag }) => DOCUMENT_TAGS.has(tag));
}

const DOCUMENT_TAGS = new Set("table form article section h1 h2 h3 h4 h5 h6 blockquote".split(" "));

/** Returns a table of data in GFM (§ 4.10); empty when all of its cells are. */
export function tableText(page: MarkdownPage, { rows }: TableParts): string {
  const grid = layOut(rows, (cell) => cellOf(page, cell), page.budget);
  const filled = grid.rows.filter(({ cells }) => cells.some((cell) => cell !== ""));
  if (filled.length === 0) return "";
  const { head, body } = isSideways(rows) ? { head: padded([], grid.columns), body: filled } : splitHead(filled, grid);
  const lines = [rowLine(head), delimiterLine(rows, grid.columns)];
  const missing = body.reduce((sum, { cells }) => sum + grid.columns - cells.length, 0);
  const isPadded = missing <= 2 * (body.length + grid.columns);
  for (const { cells } of body) {
    lines.push(rowLine(isPadded ? padded(cells, grid.columns) : cells));
  }
  return lines.join("\n");
}

/** True for tables whose rows have heads, and whose columns have none. */
function isSideways(rows: readonly TableRow[]): boolean {
  const filled = rows.filter(({ cells }) => cells.length > 0);
  return filled.every(({ cells, isHead }) => !isHead && cells[0]?.tag === "th");
}

/** Rows of a head that are joined; further ones are rows of the body. */
const MAX_HEAD_ROWS = 20;

/**
 * Splits off the head. GFM has one head row: several are joined column by column, and without any the first row is
 * used.
 */
function splitHead(rows: readonly GridRow[], grid: Grid): { head: string[]; body: readonly GridRow[] } {
  let count = rows.findIndex(({ isHead }) => !isHead);
  if (count === -1) count = Math.min(rows.length, 1);
  const heads = rows.slice(0, Math.min(Math.max(1, count), MAX_HEAD_ROWS));
  const head = Array<string>(grid.columns).fill("");
  let left = grid.affordable;
  for (const { cells, spans } of heads) {
    for (const [column, text] of cells.entries()) head[column] = joined(head[column], text);
    for (const { text, from, to } of spans) {
      for (let column = from; column < to && text.length <= left; column++) {
        if ((cells[column] ?? "") !== "") continue;
        const before = head[column];
        head[column] = joined(before, text);
        if (head[column] !== before) left -= text.length;
      }
    }
  }
  return { head, body: rows.slice(heads.length) };
}

/** Returns the texts of a column's heads; one that says the same as the head above is not repeated. */
function joined(above = "", text: string): string {
  return above.endsWith(text) ? above : `${above} ${text}`.trim();
}

function padded(cells: readonly string[], columns: number): string[] {
  return [...cells, ...Array<string>(columns - cells.length).fill("")];
}

function rowLine(cells: readonly string[]): string {
  return cells.length === 0 ? "|  |" : `| ${cells.map(relaxSigns).join(" | ")} |`;
}

function delimiterLine(rows: readonly TableRow[], columns: number): string {
  const head = rows[0]?.cells ?? [];
  const first = rows.find(({ isHead }) => !isHead)?.cells ?? head;
  const isPlain = head.length === columns && first.length === columns;
  const marks = Array.from({ length: columns }, (_, column) =>
    isPlain ? (alignmentOf(head[column]) ?? alignmentOf(first[column]) ?? "---") : (alignmentOf(head[column]) ?? "---"),
  );
  return `| ${marks.join(" | ")} |`;
}

const TEXT_ALIGN = /text-align\s*:\s*(left|right|center)/i;

function alignmentOf(cell: ElementNode | undefined): string | undefined {
  if (cell === undefined) return undefined;
  const { align, style } = cell.attributes;
  switch ((align ?? (style === undefined ? undefined : TEXT_ALIGN.exec(style)?.[1]))?.toLowerCase()) {
    case "right":
      return "---:";
    case "center":
      return ":---:";
    case "left":
      return ":---";
    default:
      return undefined;
  }
}
