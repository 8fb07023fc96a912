import type { CellShape, Merge } from "../html/cell-spans.ts";
import { NestedBlocks } from "../html/nested-blocks.ts";
import type { RtfParagraph } from "./rtf-state.ts";
import { PLAIN_PARAGRAPH } from "./rtf-state.ts";

/** Word allows 63 cells in a row. */
const MAX_ROW_CELLS = 500;

/** Text with paragraphs of its own: the document, a note, a comment or a text box. */
export class RtfStory {
  paragraph: RtfParagraph = PLAIN_PARAGRAPH;
  /** The paragraph that is being read, in pieces. */
  html: string[] = [];
  listText = "";
  readonly #blocks = new NestedBlocks();
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
    const blocks = this.#blocks.at(paragraph.tableDepth);
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
    this.#blocks.at(this.paragraph.tableDepth).endCell();
  }

  /** Ends a row of the outermost table, or of one within a cell. */
  endRow(isNested: boolean): void {
    (isNested ? this.#blocks.innermost() : this.#blocks.at(1)).endRow(this.#row);
  }

  toHtml(): string {
    return this.#blocks.toHtml();
  }
}

function headingLevelOf(styleName: string, outlineLevel: number | undefined): number | undefined {
  if (styleName === "title") return 1;
  const byName = /^(?:heading|überschrift|titre|título|titolo|заголовок) ?(\d)/i.exec(styleName)?.[1];
  const level = byName === undefined ? (outlineLevel ?? -1) + 1 : Number(byName);
  return level >= 1 && level <= 9 ? Math.min(6, level) : undefined;
}
