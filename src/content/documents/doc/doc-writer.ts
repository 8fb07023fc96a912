/* oxlint-disable no-control-regex -- control characters are the marks of this format */
import { DocumentNotes } from "../html/document-notes.ts";
import { emphasize } from "../html/html-text.ts";
import { NestedBlocks, withoutParagraph } from "../html/nested-blocks.ts";
import type { RichBlockStyle } from "../html/rich-blocks.ts";
import { type DocStyles, readDocStyles } from "./doc-styles.ts";
import { FIELD_MARK, fieldsToHtml, plainHtml } from "./doc-text.ts";
import type { Formatting } from "./formatting.ts";
import { PROPERTIES, readProperties } from "./formatting.ts";
import { type NumberedLevels, readNumberedLevels } from "./list-formats.ts";
import type { WordFile } from "./piece-table.ts";
import { offsetOf, textBetween } from "./piece-table.ts";
import { readSideTexts, type SideText } from "./subdocuments.ts";

const CELL_END = "\u0007";
const PARAGRAPH_END = /[\r\u0007\u000c]/g;
/** Larger numbers of lists are of paragraphs that were taken out of them, [MS-DOC] § 2.6.2. */
const MAX_LIST = 0x07fe;
const STEPS_PER_PARAGRAPH = 8;

interface Paragraph {
  text: string;
  start: number;
  mark: string;
}

/** Properties of a paragraph, its own or those of its style. */
interface Properties {
  style: number;
  value: (code: number) => number;
}

/** Writes a Word 97–2003 document as HTML: its text, with text boxes behind their paragraphs, then its notes and comments. */
export class DocWriter {
  readonly #file: WordFile;
  readonly #formatting: Formatting;
  readonly #styles: DocStyles;
  readonly #isNumbered: NumberedLevels;
  readonly #notes = new DocumentNotes();
  /** Notes, comments and boxes by the position of their mark, in order. */
  readonly #marks: SideText[];
  readonly #withoutMark: SideText[];
  #boxes: string[] = [];

  constructor(file: WordFile, formatting: Formatting) {
    this.#file = file;
    this.#formatting = formatting;
    this.#styles = readDocStyles(file, readProperties);
    this.#isNumbered = readNumberedLevels(file);
    const sides = readSideTexts(file);
    this.#marks = sides.filter(({ mark }) => mark !== undefined).toSorted((a, b) => (a.mark ?? 0) - (b.mark ?? 0));
    this.#withoutMark = sides.filter(({ mark }) => mark === undefined);
  }

  write(): string {
    const main = this.#story(0, this.#file.textLength);
    const others = this.#withoutMark.map(({ from, to }) => this.#story(from, to));
    return main + others.join("") + this.#notes.toHtml();
  }

  #story(from: number, to: number): string {
    const { budget } = this.#file;
    const text = textBetween(this.#file, from, to);
    const blocks = new NestedBlocks();
    let start = 0;
    for (const { 0: mark, index } of text.matchAll(PARAGRAPH_END)) {
      if (!budget.take(STEPS_PER_PARAGRAPH)) {
        budget.cut("the text of the document");
        break;
      }
      this.#paragraph(blocks, { text: text.slice(start, index), start: from + start, mark });
      start = index + 1;
    }
    this.#paragraph(blocks, { text: text.slice(start), start: from + start, mark: "\r" });
    return blocks.toHtml();
  }

  #paragraph(blocks: NestedBlocks, paragraph: Paragraph): void {
    const found = this.#formatting.paragraphAt(offsetOf(this.#file, paragraph.start + paragraph.text.length));
    const style = found?.style ?? 0;
    const properties = {
      style,
      value: (code: number) => found?.properties.get(code) ?? this.#styles.property(style, code) ?? 0,
    };
    const isCellEnd = paragraph.mark === CELL_END;
    if (isCellEnd && properties.value(PROPERTIES.isRowEnd) !== 0) return blocks.at(1).endRow(found?.row);
    if (properties.value(PROPERTIES.isInnerRowEnd) !== 0) return blocks.innermost().endRow(found?.row);
    const isInTable = isCellEnd || properties.value(PROPERTIES.isInTable) !== 0;
    const depth = isInTable ? Math.max(1, properties.value(PROPERTIES.tableDepth)) : 0;
    const own = blocks.at(isCellEnd ? 1 : depth);
    const layout = this.#layoutOf(properties, isInTable);
    own.addParagraph(this.#runs(paragraph, layout.headingLevel !== undefined), layout);
    for (const box of this.#boxes.splice(0)) own.addBlock(box, isInTable);
    if (isCellEnd || properties.value(PROPERTIES.isInnerCellEnd) !== 0) own.endCell();
  }

  #layoutOf({ style, value }: Properties, isInTable: boolean): RichBlockStyle {
    const [list, listLevel] = [value(PROPERTIES.list), value(PROPERTIES.listLevel)];
    return {
      headingLevel: this.#styles.headingLevel(style),
      listMarker: list === 0 || list > MAX_LIST ? undefined : this.#isNumbered(list, listLevel) ? "1." : "•",
      listLevel,
      isInTable,
    };
  }

  /** Returns text with emphasis; of fields only the result is shown, as a link when the field is one. */
  #runs({ text, start }: Paragraph, isPlain: boolean): string {
    let html = "";
    let at = start;
    for (const piece of text.split(FIELD_MARK)) {
      html += FIELD_MARK.test(piece) ? piece : this.#run(piece, at, isPlain);
      at += piece.length;
    }
    return fieldsToHtml(html);
  }

  #run(text: string, start: number, isPlain: boolean): string {
    let html = "";
    for (let at = 0; at < text.length && this.#file.budget.take();) {
      const offset = offsetOf(this.#file, start + at);
      const run = this.#formatting.characterAt(offset);
      const width = offsetOf(this.#file, start + at + 1) - offset === 1 ? 1 : 2;
      const length = run === undefined ? text.length - at : Math.max(1, Math.ceil((run.end - offset) / width));
      const piece = text.slice(at, at + length);
      const value = (code: number): number => run?.properties.get(code) ?? 0;
      if (value(PROPERTIES.isHidden) !== 1 && value(PROPERTIES.isDeleted) !== 1) {
        const style = {
          bold: value(PROPERTIES.bold) === 1,
          italic: value(PROPERTIES.italic) === 1,
          strike: value(PROPERTIES.strike) === 1,
        };
        html += shifted(
          isPlain ? plainHtml(piece) : emphasize(plainHtml(piece), style),
          isPlain ? 0 : value(PROPERTIES.shift),
        );
        html += this.#sides(start + at, start + at + piece.length);
      }
      at += length;
    }
    return html;
  }

  /** Returns the signs of notes and comments whose marks are between two positions, and collects the boxes. */
  #sides(from: number, to: number): string {
    let signs = "";
    for (let at = firstFrom(this.#marks, from); at < this.#marks.length; at++) {
      const side = this.#marks[at];
      if (side === undefined || (side.mark ?? 0) >= to) break;
      const html = this.#story(side.from, side.to);
      if (side.kind === "box") this.#boxes.push(html);
      else if (side.kind === "comment") signs += this.#notes.addComment(withoutParagraph(html));
      else signs += this.#notes.addNote(withoutParagraph(html).trim());
    }
    return signs;
  }
}

function shifted(html: string, shift: number): string {
  if (html === "" || (shift !== 1 && shift !== 2)) return html;
  return shift === 1 ? `<sup>${html}</sup>` : `<sub>${html}</sub>`;
}

/** Returns the place of the first mark at or behind a position. */
function firstFrom(marks: readonly SideText[], position: number): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.mark ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
