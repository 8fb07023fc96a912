import type { LayoutBlock } from "../../document-content.ts";
import { escapeHtml } from "../../html/html-text.ts";
import type { Block, ListItem } from "../block.ts";
import { linesOf } from "../block.ts";
import { joinLines, piecesToHtml, piecesToText } from "../join-lines.ts";
import type { Vocabulary } from "../vocabulary.ts";
import type { Line, Segment, TextRun } from "../text-run.ts";
import { textOfRuns } from "../text-run.ts";

/** Writes blocks as HTML, which is then converted to markdown. */
export function blocksToHtml(
  blocks: readonly Block[],
  words: Vocabulary,
  {
    table = (cells) => tableToHtml(cells, words),
    formula = (latex) => `<p>$$${escapeHtml(latex)}$$</p>`,
  }: BlockWriters = {},
): string {
  return blocks
    .map((block) => {
      if (block.type === "table") return table(block.cells);
      if (block.type === "paragraph" && block.latex !== undefined) return formula(block.latex);
      return blockToHtml(block, words);
    })
    .join("\n");
}

/** Writes blocks in another form than that of HTML which becomes Markdown. */
export interface BlockWriters {
  table?: (cells: Segment[][][]) => string;
  formula?: (latex: string) => string;
}

/** Returns a block in its wire form: type, text and position. */
export function toLayoutBlock(block: Block, words: Vocabulary): LayoutBlock {
  const lines = linesOf(block);
  const round = (value: number): number => Math.round(value * 10) / 10;
  return {
    type: block.type === "code" ? "paragraph" : block.type,
    ...(block.type === "heading" ? { level: block.level } : {}),
    text: blockText(block, words),
    bbox: [
      round(Math.min(...lines.map((line) => line.left))),
      round(Math.min(...lines.map((line) => line.top))),
      round(Math.max(...lines.map((line) => line.right))),
      round(Math.max(...lines.map((line) => line.bottom))),
    ],
  };
}

function blockToHtml(block: Block, words: Vocabulary): string {
  switch (block.type) {
    case "heading":
      return `<h${block.level}>${piecesToHtml(joinLines(runsOf(block.lines), words), "plain")}</h${block.level}>`;
    case "paragraph":
      return `<p>${piecesToHtml(joinLines(runsOf(block.lines), words), "rich")}</p>`;
    case "code":
      return `<pre><code>${escapeHtml(codeText(block.lines))}</code></pre>`;
    case "list":
      return listToHtml(block.items, words);
    case "table":
      return tableToHtml(block.cells, words);
  }
}

function blockText(block: Block, words: Vocabulary): string {
  if (block.type === "code") return codeText(block.lines);
  if (block.type === "table") return block.cells.map((row) => row.map(cellText).join("\t")).join("\n");
  if (block.type !== "list") return piecesToText(joinLines(runsOf(block.lines), words));
  return block.items
    .map((item) => {
      const marker = item.number === undefined ? "-" : `${item.number}.`;
      return `${"  ".repeat(item.depth)}${marker} ${piecesToText(joinLines(itemRuns(item), words))}`;
    })
    .join("\n");
}

function runsOf(lines: readonly Line[]): TextRun[][] {
  return lines.map((line) => line.segments.flatMap((segment) => segment.runs));
}

function cellText(segments: readonly Segment[]): string {
  return segments.map((segment) => textOfRuns(segment.runs)).join(" ");
}

/** Characters by which a line of code is indented at most; code is rarely wider. */
const MAX_INDENT = 80;

/** Returns code with its indentation as spaces, by the width of a character. */
function codeText(lines: readonly Line[]): string {
  const left = Math.min(...lines.map((line) => line.left));
  return lines
    .map((line) => {
      const width = line.size * 0.6;
      const indent = width > 0 ? Math.round((line.left - left) / width) : 0;
      return (
        " ".repeat(Math.min(MAX_INDENT, Math.max(0, indent))) +
        line.segments.map((segment) => textOfRuns(segment.runs)).join("  ")
      );
    })
    .join("\n");
}

/** Returns the runs of an item without its marker, which may be a separate run. */
function itemRuns(item: ListItem): TextRun[][] {
  const [first = [], ...others] = runsOf(item.lines);
  let toSkip = item.markerLength;
  const rest: TextRun[] = [];
  for (const run of first) {
    let cut = 0;
    for (; cut < run.text.length && (toSkip > 0 || (rest.length === 0 && /\s/.test(run.text[cut] ?? ""))); cut++) {
      if (/\S/.test(run.text[cut] ?? "")) toSkip--;
    }
    if (cut < run.text.length) rest.push({ ...run, text: run.text.slice(cut) });
  }
  return [rest, ...others];
}

function listToHtml(items: readonly ListItem[], words: Vocabulary): string {
  let html = "";
  const open: string[] = [];
  /** The last number of the innermost list, by the number of open lists. */
  const numbers: number[] = [];
  for (const item of items) {
    const tag = item.number === undefined ? "ul" : "ol";
    while (open.length > item.depth + 1) html += `</li></${open.pop()}>`;
    if (open.length === item.depth + 1 && open.at(-1) !== tag) html += `</li></${open.pop()}>`;
    else if (open.length === item.depth + 1) html += "</li>";
    const { number = 1 } = item;
    if (open.length <= item.depth) {
      html += number === 1 ? `<${tag}>` : `<${tag} start="${number}">`;
      open.push(tag);
      numbers[open.length] = number - 1;
    }
    // The printed numbers, also where one is left out.
    const isNext = item.number === undefined || number === (numbers[open.length] ?? 0) + 1;
    numbers[open.length] = number;
    html += isNext ? "<li>" : `<li value="${number}">`;
    html += piecesToHtml(joinLines(itemRuns(item), words), "rich");
  }
  while (open.length > 0) html += `</li></${open.pop()}>`;
  return html;
}

function tableToHtml(cells: Segment[][][], words: Vocabulary): string {
  const rows = cells.map((row, at) => {
    const tag = at === 0 ? "th" : "td";
    const inner = row.map((cell) => `<${tag}>${cellHtml(cell, words, at === 0 ? "plain" : "rich")}</${tag}>`);
    return `<tr>${inner.join("")}</tr>`;
  });
  const [head = "", ...body] = rows;
  return `<table><thead>${head}</thead><tbody>${body.join("")}</tbody></table>`;
}

/** Writes a table as HTML in which cells are merged that hold the same text of the page. */
export function mergedTable(cells: Segment[][][], words: Vocabulary): string {
  let above: MergedCell[] = [];
  const rows = cells.map((row) => {
    const merged: MergedCell[] = [];
    for (const [column, cell] of row.entries()) {
      const last = merged.at(-1);
      if (last !== undefined && isSame(last.cell, cell)) last.columns++;
      else merged.push({ cell, column, columns: 1, rows: 1, isNew: true });
    }
    above = merged.map((each) => {
      const same = above.find(
        ({ column, columns, cell }) => column === each.column && columns === each.columns && isSame(cell, each.cell),
      );
      if (same === undefined) return each;
      same.rows++;
      each.isNew = false;
      return same;
    });
    return merged.filter(({ isNew }) => isNew);
  });
  const headRows = Math.max(1, ...(rows[0] ?? []).map((cell) => cell.rows));
  const written = rows.map((row, at) => {
    const tag = at < headRows ? "th" : "td";
    const inner = row.map(({ cell, columns, rows: height }) => {
      const span = (columns === 1 ? "" : ` colspan="${columns}"`) + (height === 1 ? "" : ` rowspan="${height}"`);
      return `<${tag}${span}>${cellHtml(cell, words, at < headRows ? "plain" : "rich")}</${tag}>`;
    });
    return `<tr>${inner.join("")}</tr>`;
  });
  return `<table><thead>${written.slice(0, headRows).join("")}</thead><tbody>${written.slice(headRows).join("")}</tbody></table>`;
}

interface MergedCell {
  cell: Segment[];
  column: number;
  columns: number;
  rows: number;
  /** False for a cell that goes on from the row above. */
  isNew: boolean;
}

/** Reports whether two cells hold the same pieces of text, as a heading over several columns is in each of them. */
function isSame(one: readonly Segment[], other: readonly Segment[]): boolean {
  return one.length > 0 && one.length === other.length && one.every((segment, at) => segment === other[at]);
}

type CellStyle = "plain" | "rich";

function cellHtml(cell: readonly Segment[], words: Vocabulary, style: CellStyle): string {
  const parts: TextRun[][][] = [];
  for (const { runs, startsLine } of cell) {
    const last = parts.at(-1);
    if (last === undefined || startsLine === true) parts.push([runs]);
    else last.push(runs);
  }
  return parts.map((lines) => piecesToHtml(joinLines(lines, words), style)).join("<br>");
}
