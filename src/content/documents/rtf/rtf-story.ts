import type { CellShape, Merge } from "../html/cell-spans.ts";
import { wrap } from "../html/html-text.ts";
import { RichBlocks } from "../html/rich-blocks.ts";
import type { RtfParagraph } from "./rtf-state.ts";
import { PLAIN_PARAGRAPH } from "./rtf-state.ts";

/** Tables within tables that are told apart; the cells of deeper ones are cells of the last. */
const MAX_TABLE_DEPTH = 8;
/** Word allows 63 cells in a row. */
const MAX_ROW_CELLS = 500;

/** Text with paragraphs of its own: the document, a note, a comment or a text box. */
export class RtfStory {
  paragraph: RtfParagraph = PLAIN_PARAGRAPH;
  /** The paragraph that is being read, in pieces. */
  html: string[] = [];
  listText = "";
  /** Blocks of tables within each other, from the outermost on. */
  readonly #levels = [new RichBlocks()];
  #boxes: string[] = [];
  #row: { left: number; cells: CellShape[] } = { left: 0, cells: [] };
  #merges: { across: Merge; down: Merge } = { across: "none", down: "none" };

  /** Adds the text of a box that is anchored in the current paragraph; it is written behind it. */
  addBox(html: string): void {
    this.#boxes.push(html);
  }

  startRow(): void {
    this.#row = { left: 0, cells: [] };
    this.#merges = { across: "none", down: "none" };
  }

  setLeft(twips: number): void {
    this.#row.left = twips;
  }

  mergeAcross(merge: Merge): void {
    this.#merges.across = merge;
  }

  mergeDown(merge: Merge): void {
    this.#merges.down = merge;
  }

  addCellEdge(right: number): void {
    if (this.#row.cells.length < MAX_ROW_CELLS) this.#row.cells.push({ right, ...this.#merges });
    this.#merges = { across: "none", down: "none" };
  }

  endParagraph(styleName: string): void {
    const { paragraph } = this;
    const headingLevel = headingLevelOf(styleName, paragraph.outlineLevel);
    const marker = this.listText.trim();
    const html = this.html.join("");
    const blocks = this.#blocksAt(paragraph.tableDepth);
    blocks.addParagraph(headingLevel === undefined ? html : html.replace(/<\/?(strong|em)>/g, ""), {
      headingLevel,
      listMarker: marker !== "" ? marker : paragraph.isListItem ? "•" : undefined,
      listLevel: paragraph.listLevel,
      isInTable: paragraph.tableDepth > 0,
    });
    for (const box of this.#boxes) blocks.addBlock(box, paragraph.tableDepth > 0);
    this.html = [];
    this.#boxes = [];
    this.listText = "";
  }

  endCell(): void {
    this.#blocksAt(this.paragraph.tableDepth).endCell();
  }

  /** Ends a row of the outermost table, or of one within a cell. */
  endRow(isNested: boolean): void {
    this.#blocksAt(isNested ? Math.max(2, this.#levels.length) : 1).endRow(this.#row);
  }

  /** Returns all blocks as HTML; a single paragraph without its element where `isInline`. */
  toHtml(isInline = false): string {
    const html = this.#blocksAt(0).toHtml();
    return isInline ? html.replace(/^<p>((?:(?!<p>).)*)<\/p>$/s, "$1") : html;
  }

  #blocksAt(depth: number): RichBlocks {
    const wanted = Math.min(MAX_TABLE_DEPTH, Math.max(1, depth));
    while (this.#levels.length < wanted) this.#levels.push(new RichBlocks());
    while (this.#levels.length > wanted) {
      const inner = this.#levels.pop();
      this.#levels.at(-1)?.addBlock(inner?.toHtml() ?? "", true);
    }
    return this.#levels.at(-1) ?? new RichBlocks();
  }
}

function headingLevelOf(styleName: string, outlineLevel: number | undefined): number | undefined {
  if (styleName === "title") return 1;
  const byName = /^(?:heading|überschrift|titre|título|titolo|заголовок) ?(\d)/i.exec(styleName)?.[1];
  const level = byName === undefined ? (outlineLevel ?? -1) + 1 : Number(byName);
  return level >= 1 && level <= 9 ? Math.min(6, level) : undefined;
}

/** Collects the notes and the comments of a document, which follow its text. */
export class RtfNotes {
  readonly #notes: string[] = [];
  readonly #comments: string[] = [];

  /** @returns the sign of the note, for its place */
  addNote(html: string): string {
    this.#notes.push(html);
    return `<sup>[${this.#notes.length}]</sup>`;
  }

  /** @returns the sign of the comment, for its place; empty for one without text */
  addComment(html: string): string {
    if (html.trim() === "") return "";
    this.#comments.push(html);
    return `<sup>[C${this.#comments.length}]</sup>`;
  }

  toHtml(): string {
    const notes = this.#notes.map((note) => `<li>${note}</li>`);
    const comments = this.#comments.map((text, at) => `<dt>Comment [C${at + 1}]</dt><dd>${text}</dd>`);
    return wrap("ol", notes.join("")) + wrap("dl", comments.join(""));
  }
}
