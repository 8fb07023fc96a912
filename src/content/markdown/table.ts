import { walkElements, type ElementNode } from "../tree.ts";
import type { Emitter } from "./emitter.ts";

/** A colspan of 10,000 is a mistake or an attack. */
const MAX_SPAN = 50;
const MAX_COLUMNS = 60;

interface Row {
  cells: ElementNode[];
  isHead: boolean;
}

/** A grid of ready cells, spans filled in. */
interface GridRow {
  cells: string[];
  isHead: boolean;
}

/** A GFM table; its content in plain blocks when the table only arranges a page. */
export function tableBlock(emitter: Emitter, table: ElementNode): string[] {
  const { rows, caption, loose } = readTable(emitter, table);
  const captionBlock = caption === "" ? [] : [`**${caption.replace(/^\*\*(.*)\*\*$/s, "$1")}**`];
  if (isLayout(table, rows)) {
    return [...captionBlock, ...rows.flatMap(({ cells }) => cells.flatMap((cell) => emitter.blocks(cell))), ...loose];
  }
  const grid = fillGrid(emitter, rows).filter(({ cells }) => cells.some((cell) => cell !== ""));
  if (grid.length === 0) return [...captionBlock, ...loose];
  const columns = Math.min(MAX_COLUMNS, Math.max(...grid.map(({ cells }) => cells.length)));
  const { head, body } = splitHead(grid, columns);
  const lines = [
    rowLine(head, columns),
    delimiterLine(rows, columns),
    ...body.map(({ cells }) => rowLine(cells, columns)),
  ];
  return [...captionBlock, lines.join("\n"), ...loose];
}

interface TableParts {
  rows: Row[];
  caption: string;
  /** Content that stands in the table but in no cell. */
  loose: string[];
}

function readTable(emitter: Emitter, table: ElementNode): TableParts {
  const parts: TableParts = { rows: [], caption: "", loose: [] };
  const read = (element: ElementNode, isHead: boolean): void => {
    for (const child of emitter.keptChildren(element)) {
      if (typeof child === "string") parts.loose.push(...emitter.paragraphs([child]));
      else if (child.tag === "tr") {
        parts.rows.push(readRow(emitter, child, isHead));
        parts.loose.push(...looseText(emitter, child));
      } else if (child.tag === "thead") read(child, true);
      else if (child.tag === "tbody" || child.tag === "tfoot") read(child, false);
      else if (child.tag === "caption") parts.caption = emitter.line(child);
      else if (child.tag !== "colgroup" && child.tag !== "col") parts.loose.push(...emitter.blocksOf(child));
    }
  };
  read(table, false);
  return parts;
}

function readRow(emitter: Emitter, row: ElementNode, isHead: boolean): Row {
  const cells = emitter
    .keptChildren(row)
    .filter((child): child is ElementNode => typeof child !== "string" && isCell(child));
  const hasOnlyHeads = cells.length > 0 && cells.every(({ tag }) => tag === "th");
  return { cells, isHead: isHead || hasOnlyHeads };
}

/** Text that stands in a row and in no cell, which browsers move out of the table. */
function looseText(emitter: Emitter, row: ElementNode): string[] {
  const loose = emitter.keptChildren(row).filter((child) => typeof child === "string" || !isCell(child));
  return loose.flatMap((child) => (typeof child === "string" ? emitter.paragraphs([child]) : emitter.blocksOf(child)));
}

function isCell({ tag }: ElementNode): boolean {
  return tag === "td" || tag === "th";
}

/** Tables of one column, those that say so, and those without heads that hold tables or whole documents. */
function isLayout(table: ElementNode, rows: Row[]): boolean {
  const role = table.attributes["role"];
  if (role === "presentation" || role === "none") return true;
  const width = Math.max(0, ...rows.map(({ cells }) => cells.length));
  if (width <= 1 && rows.every(({ cells }) => cells.every((cell) => spanOf(cell, "colspan") === 1))) return true;
  const hasHeads = rows.some(({ cells }) => cells.some(({ tag }) => tag === "th"));
  return !hasHeads && rows.some(({ cells }) => cells.some(holdsDocument));
}

/** Content that a cell of data does not have. */
function holdsDocument(cell: ElementNode): boolean {
  let found = false;
  walkElements(cell, ({ tag }) => {
    found ||= tag === "table" || tag === "form" || tag === "article" || tag === "section" || /^h[1-6]$/.test(tag);
  });
  return found;
}

/** Lays cells out on the grid that their spans make (HTML § 4.9.12). A spanned cell is repeated under table heads. */
function fillGrid(emitter: Emitter, rows: Row[]): GridRow[] {
  const pending: { rowsLeft: number; text: string }[] = [];
  return rows.map(({ cells, isHead }) => {
    const line: string[] = [];
    const fillPending = (): void => {
      for (let held = pending[line.length]; held !== undefined && held.rowsLeft > 0; held = pending[line.length]) {
        held.rowsLeft--;
        line.push(held.text);
      }
    };
    for (const cell of cells) {
      fillPending();
      if (line.length >= MAX_COLUMNS) break;
      const text = cellText(emitter, cell);
      const rowSpan = spanOf(cell, "rowspan");
      for (let column = spanOf(cell, "colspan"); column > 0; column--) {
        if (rowSpan > 1) pending[line.length] = { rowsLeft: rowSpan - 1, text };
        line.push(text);
      }
    }
    fillPending();
    return { cells: line, isHead };
  });
}

function spanOf({ attributes }: ElementNode, attribute: "colspan" | "rowspan"): number {
  const span = Number.parseInt(attributes[attribute] ?? "1", 10);
  return span >= 1 && span <= MAX_SPAN ? span : 1;
}

/** GFM has one head row: several are joined column by column, and without one the first row serves. */
function splitHead(grid: GridRow[], columns: number): { head: string[]; body: GridRow[] } {
  const firstBody = grid.findIndex(({ isHead }) => !isHead);
  const heads = firstBody === -1 ? grid.slice(0, 1) : grid.slice(0, Math.max(1, firstBody));
  const head = Array.from({ length: columns }, (_, column) => {
    const texts = heads
      .map(({ cells }) => cells[column] ?? "")
      .filter((text, row, all) => text !== "" && text !== all[row - 1]);
    return texts.join(" ");
  });
  return { head, body: grid.slice(heads.length) };
}

/** The text of a cell on one line: blocks and lines are parted by `<br>`, pipes are escaped (GFM § 4.10). */
function cellText(emitter: Emitter, cell: ElementNode): string {
  return emitter
    .blocks(cell)
    .map(flatten)
    .join("<br>")
    .replace(/(?<!\\)((?:\\\\)*)\|/g, "$1\\|")
    .trim();
}

function flatten(block: string): string {
  const fenced = /^(`{3,})[^\n]*\n([\s\S]*)\n\1$/.exec(block);
  if (fenced !== null) return inlineListing(fenced[2] ?? "");
  if (block.startsWith("| ")) return innerTable(block);
  return block.replace(/^#{1,6} /, "").replace(/[ \\]*\n\s*/g, "<br>");
}

/** A table inside a cell: a line a row, without its pipes, since GFM has no tables in tables. */
function innerTable(block: string): string {
  const rows = block.split("\n").filter((line) => !/^\|(?: :?---:? \|)+$/.test(line));
  return rows
    .map((row) =>
      row
        .slice(2, -2)
        .split(" | ")
        .filter((cell) => cell.trim() !== "")
        .join(", "),
    )
    .join("<br>");
}

/** A listing inside a cell has its lines each in ticks. */
function inlineListing(code: string): string {
  const ticks = code.includes("`") ? "``" : "`";
  return code
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => (ticks === "``" ? `${ticks} ${line.trim()} ${ticks}` : ticks + line.trim() + ticks))
    .join("<br>");
}

function rowLine(cells: string[], columns: number): string {
  return `| ${Array.from({ length: columns }, (_, column) => cells[column] ?? "").join(" | ")} |`;
}

function delimiterLine(rows: Row[], columns: number): string {
  const cells = rows[0]?.cells ?? [];
  const marks = Array.from({ length: columns }, (_, column) => alignmentMark(cells[column]));
  return `| ${marks.join(" | ")} |`;
}

function alignmentMark(cell: ElementNode | undefined): string {
  const style = /text-align\s*:\s*(left|right|center)/i.exec(cell?.attributes["style"] ?? "")?.[1];
  const alignment = (cell?.attributes["align"] ?? style ?? "").toLowerCase();
  if (alignment === "right") return "---:";
  return alignment === "center" ? ":---:" : "---";
}
