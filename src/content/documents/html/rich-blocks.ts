import type { FlatItem } from "./html-list.ts";
import { htmlList } from "./html-list.ts";
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

/** Collects paragraphs, list items and table rows, and writes them as HTML. */
export class RichBlocks {
  readonly #parts: string[] = [];
  #items: FlatItem[] = [];
  #rows: { html: string }[][] = [];
  #cells: { html: string }[] = [];
  #cellParagraphs: string[] = [];

  addParagraph(html: string, style: RichBlockStyle): void {
    if (style.isInTable) {
      if (html.trim() !== "") this.#cellParagraphs.push(html);
      return;
    }
    this.#endTable();
    if (html.trim() === "") return;
    if (style.listMarker !== undefined && style.headingLevel === undefined) {
      const isOrdered = /[\p{L}\d]/u.test(style.listMarker) && !/^[o§]$/.test(style.listMarker.trim());
      this.#items.push({ html, depth: Math.min(8, style.listLevel), isOrdered });
      return;
    }
    this.#endList();
    this.#parts.push(wrap(style.headingLevel === undefined ? "p" : `h${style.headingLevel}`, html));
  }

  endCell(): void {
    this.#endList();
    const html =
      this.#cellParagraphs.length > 1
        ? this.#cellParagraphs.map((each) => wrap("p", each)).join("")
        : (this.#cellParagraphs[0] ?? "");
    this.#cells.push({ html });
    this.#cellParagraphs = [];
  }

  endRow(): void {
    if (this.#cellParagraphs.length > 0) this.endCell();
    if (this.#cells.length > 0) this.#rows.push(this.#cells);
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
    this.#parts.push(htmlTable(this.#rows));
    this.#rows = [];
  }

  #endList(): void {
    if (this.#items.length === 0) return;
    this.#parts.push(htmlList(this.#items));
    this.#items = [];
  }
}
