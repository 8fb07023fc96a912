/* oxlint-disable no-control-regex -- control characters are the marks of this format */
import type { WorkBudget } from "../../../core/work-budget.ts";
import { openCompoundFile } from "../containers/compound-file.ts";
import type { Formatting } from "./formatting.ts";
import { PROPERTIES, readFormatting } from "./formatting.ts";
import { type NumberedLevels, readNumberedLevels } from "./list-formats.ts";
import type { WordFile } from "./piece-table.ts";
import { offsetOf, openWordFile, textBetween } from "./piece-table.ts";
import type { RichContent } from "../document-content.ts";
import { emphasize, escapeHtml, joinMarks, link } from "../html/html-text.ts";
import { RichBlocks } from "../html/rich-blocks.ts";

/** Characters with a special meaning in the text of a Word file, [MS-DOC] § 2.4.1. */
const CELL_END = "\u0007";
const FIELD_START = "\u0013";
const FIELD_RESULT = "\u0014";
const FIELD_END = "\u0015";
/** Larger numbers of lists are of paragraphs that were taken out of them, [MS-DOC] § 2.6.2. */
const MAX_LIST = 0x07fe;
const STEPS_PER_PARAGRAPH = 8;
/** Anchors of pictures, drawings, notes and comments. */
const ANCHORS = /[\u0000-\u0006\u0008\u000e-\u0012\u0016-\u001d]/g;

/**
 * Reads a Word 97–2003 document: paragraphs, headings, lists, tables, links, emphasis and footnotes. Lists are
 * numbered from 1 on. The formatting of Word 6 and 95 is not read. Of a file without a piece table the text is read.
 * @throws SCRAPE_UNSUPPORTED_FILE_ERROR for a password or a version before Word 6
 */
export function readDoc(bytes: Uint8Array, budget: WorkBudget): RichContent {
  const container = openCompoundFile(bytes);
  const file = openWordFile((name) => container.stream(name), budget);
  const formatting = file.hasFormatting
    ? { ...readFormatting(file), isNumbered: readNumberedLevels(file) }
    : NO_FORMATTING;
  const blocks = new RichBlocks();
  let start = 0;
  const text = textBetween(file, 0, file.textLength);
  for (const { 0: mark, index } of text.matchAll(/[\r\u0007\u000c]/g)) {
    if (!budget.take(STEPS_PER_PARAGRAPH)) {
      budget.cut("the text of the document");
      break;
    }
    addParagraph(blocks, file, formatting, { text: text.slice(start, index), start, mark });
    start = index + 1;
  }
  addParagraph(blocks, file, formatting, { text: text.slice(start), start, mark: "\r" });
  const warning = file.isTextOnly ? DAMAGED : file.hasFormatting ? undefined : OLD;
  return {
    html: joinMarks(blocks.toHtml()) + footnotes(file),
    metadata: {},
    ...(warning === undefined ? {} : { warning }),
  };
}

type DocumentFormatting = Formatting & { isNumbered: NumberedLevels };
const NO_FORMATTING: DocumentFormatting = {
  paragraphAt: () => undefined,
  characterAt: () => undefined,
  isNumbered: () => false,
};
const PLAIN = { headingLevel: undefined, listMarker: undefined, listLevel: 0, isInTable: false };
const DAMAGED = "The Word document is damaged; its text was read without formatting and may be incomplete.";
const OLD = "The formatting of documents of Word 6 and 95 is not read; cells of tables are paragraphs.";

interface Paragraph {
  text: string;
  start: number;
  mark: string;
}

function addParagraph(blocks: RichBlocks, file: WordFile, formatting: DocumentFormatting, paragraph: Paragraph): void {
  if (!file.hasFormatting) {
    blocks.addParagraph(runsToHtml(file, formatting, paragraph, true), PLAIN);
    return;
  }
  const found = formatting.paragraphAt(offsetOf(file, paragraph.start + paragraph.text.length));
  const property = (code: number): number => found?.properties.get(code) ?? 0;
  if (paragraph.mark === CELL_END && property(PROPERTIES.isRowEnd) !== 0) {
    blocks.endRow();
    return;
  }
  // The first nine styles after the plain one are the headings in every document, [MS-DOC] § 2.9.271.
  const style = found?.style ?? 0;
  const [list, listLevel] = [property(PROPERTIES.list), property(PROPERTIES.listLevel)];
  const headingLevel = style >= 1 && style <= 9 ? Math.min(6, style) : undefined;
  blocks.addParagraph(runsToHtml(file, formatting, paragraph, headingLevel !== undefined), {
    headingLevel,
    listMarker: list === 0 || list > MAX_LIST ? undefined : formatting.isNumbered(list, listLevel) ? "1." : "•",
    listLevel,
    isInTable: paragraph.mark === CELL_END || property(PROPERTIES.isInTable) !== 0,
  });
  if (paragraph.mark === CELL_END) blocks.endCell();
}

/** Returns text with emphasis; of fields only the result is shown, as a link when the field is one. */
function runsToHtml(file: WordFile, formatting: Formatting, { text, start }: Paragraph, isPlain: boolean): string {
  let html = "";
  let at = 0;
  for (const piece of text.split(/([\u0013\u0014\u0015])/)) {
    if (piece === FIELD_START || piece === FIELD_RESULT || piece === FIELD_END) html += piece;
    else html += isPlain ? clean(piece) : emphasized(file, formatting, piece, start + at);
    at += piece.length;
  }
  return fieldsToHtml(html);
}

function emphasized(file: WordFile, formatting: Formatting, text: string, start: number): string {
  let html = "";
  for (let at = 0; at < text.length && file.budget.take();) {
    const offset = offsetOf(file, start + at);
    const run = formatting.characterAt(offset);
    const width = offsetOf(file, start + at + 1) - offset === 1 ? 1 : 2;
    const length = run === undefined ? text.length - at : Math.max(1, Math.ceil((run.end - offset) / width));
    html += emphasize(clean(text.slice(at, at + length)), {
      bold: run?.properties.get(PROPERTIES.bold) === 1,
      italic: run?.properties.get(PROPERTIES.italic) === 1,
    });
    at += length;
  }
  return html;
}

function fieldsToHtml(html: string): string {
  let shown = html;
  // Innermost fields first, as fields hold fields.
  for (let depth = 0; depth < 20 && shown.includes(FIELD_START); depth++) {
    shown = shown.replace(
      /\u0013([^\u0013\u0014\u0015]*)(?:\u0014([^\u0013\u0014\u0015]*))?\u0015/g,
      (_, code: string, result = "") => {
        const target = /HYPERLINK\s+&quot;(.*?)&quot;/i.exec(code.replace(/<[^<>]+>/g, ""))?.[1];
        return link(target?.replaceAll("&amp;", "&"), String(result));
      },
    );
  }
  return shown.replace(/[\u0013\u0014\u0015]/g, "");
}

function clean(text: string): string {
  return escapeHtml(text.replace(ANCHORS, "").replaceAll("\u001e", "-").replaceAll("\u001f", "\u00ad"))
    .replaceAll("\u000b", "<br>")
    .replaceAll("\u00ad", "");
}

function footnotes(file: WordFile): string {
  if (file.footnoteLength === 0) return "";
  const text = textBetween(file, file.textLength, file.textLength + file.footnoteLength);
  const notes = text
    .split("\r")
    .map((note) => clean(note).trim())
    .filter((note) => note !== "");
  return `<ol>${notes.map((note) => `<li>${fieldsToHtml(note)}</li>`).join("")}</ol>`;
}
