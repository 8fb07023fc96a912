import { type RowShape, type ShapedRow, spanCells } from "./cell-spans.ts";
import type { FlatItem } from "./html-list.ts";
import { depthOf, htmlList } from "./html-list.ts";
import type { HtmlCell } from "./html-table.ts";
import { htmlTable } from "./html-table.ts";
import { wrap } from "./html-text.ts";

export interface RichBlockStyle {
  /** 1–6 for headings. */
  headingLevel: number | undefined;
  /** The bullet or number in front of a list item, as Word wrote it; undefined for other paragraphs. */
  listMarker: string | undefined;
  listLevel: number;
  isInTable: boolean;
}

/** A paragraph, an item of a list, or blocks that are HTML already. */
type CellPart = { html: string } | FlatItem | { block: string };

/** Collects paragraphs, list items and table rows, and writes them as HTML. */
export class RichBlocks {
  readonly #isNested: boolean;
  readonly #parts: string[] = [];
  #items: FlatItem[] = [];
  #rows: ShapedRow[] = [];
  #cells: HtmlCell[] = [];
  #cellParts: CellPart[] = [];

  /** @param isNested true for the blocks of a table within a cell */
  constructor(isNested = false) {
    this.#isNested = isNested;
  }

  addParagraph(html: string, style: RichBlockStyle): void {
    const item = style.headingLevel === undefined ? itemOf(html, style) : undefined;
    if (style.isInTable) {
      if (html.trim() !== "") this.#cellParts.push(item ?? { html });
      return;
    }
    this.#endTable();
    if (html.trim() === "") return;
    if (item !== undefined) {
      this.#items.push(item);
      return;
    }
    this.#endList();
    this.#parts.push(wrap(style.headingLevel === undefined ? "p" : `h${style.headingLevel}`, html));
  }

  /** Adds blocks that are HTML already, such as those of a text box or of a table within a cell. */
  addBlock(html: string, isInTable: boolean): void {
    if (html.trim() === "") return;
    if (isInTable) {
      this.#cellParts.push({ block: html });
      return;
    }
    this.#endTable();
    this.#endList();
    this.#parts.push(html);
  }

  endCell(): void {
    this.#endList();
    this.#cells.push({ html: cellHtml(this.#cellParts) });
    this.#cellParts = [];
  }

  /** Ends a row of a table; `shape` tells where its cells are, where the format says it. */
  endRow(shape?: RowShape): void {
    if (this.#cellParts.length > 0) this.endCell();
    if (this.#cells.length > 0) this.#rows.push({ cells: this.#cells, shape });
    this.#cells = [];
  }

  toHtml(): string {
    this.endRow();
    this.#endTable();
    this.#endList();
    return this.#parts.join("\n");
  }

  #endTable(): void {
    if (this.#rows.length === 0) return;
    this.#endList();
    const filled = this.#rows.map(({ cells }) => cells.filter(({ html }) => html.trim() !== ""));
    // A table within a cell that only sets its text in a frame has no columns to show.
    const isFrame = this.#isNested && filled.every((cells) => cells.length <= 1);
    this.#parts.push(isFrame ? filled.flat().map(blockOf).join("") : htmlTable(spanCells(this.#rows)));
    this.#rows = [];
  }

  #endList(): void {
    if (this.#items.length === 0) return;
    this.#parts.push(htmlList(this.#items));
    this.#items = [];
  }
}

function itemOf(html: string, { listMarker, listLevel }: RichBlockStyle): FlatItem | undefined {
  if (listMarker === undefined) return undefined;
  const isOrdered = /[\p{L}\d]/u.test(listMarker) && !/^[o§]$/.test(listMarker.trim());
  return { html, depth: depthOf(listLevel), isOrdered };
}

/** A single paragraph is just the text of its cell. */
function cellHtml(parts: readonly CellPart[]): string {
  const [only] = parts;
  if (only !== undefined && parts.length === 1 && "html" in only) return only.html;
  let html = "";
  let items: FlatItem[] = [];
  for (const part of parts) {
    if ("depth" in part) items.push(part);
    else {
      html += htmlList(items) + ("block" in part ? part.block : wrap("p", part.html));
      items = [];
    }
  }
  return html + htmlList(items);
}

function blockOf({ html }: HtmlCell): string {
  return /^<(?:p|ul|ol|table)[ >]/.test(html) ? html : wrap("p", html);
}
