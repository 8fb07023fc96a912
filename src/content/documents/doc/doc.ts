/* oxlint-disable no-control-regex -- control characters are the marks of this format */
import type { WorkBudget } from "../../../core/work-budget.ts";
import { openCompoundFile } from "../containers/compound-file.ts";
import { readFormatting } from "./formatting.ts";
import { openWordFile, textBetween } from "./piece-table.ts";
import type { WordFile } from "./piece-table.ts";
import { DocWriter } from "./doc-writer.ts";
import { fieldsToHtml, plainHtml } from "./doc-text.ts";
import type { RichContent } from "../document-content.ts";
import { joinMarks, wrap } from "../html/html-text.ts";

/**
 * Reads a Word 97–2003 document: paragraphs, headings, lists, tables, links, emphasis, notes, comments and text boxes. Lists are
 * numbered from 1 on. The formatting of Word 6 and 95 is not read. Of a file without a piece table the text is read.
 * @throws SCRAPE_UNSUPPORTED_FILE_ERROR for a password or a version before Word 6
 */
export function readDoc(bytes: Uint8Array, budget: WorkBudget): RichContent {
  const container = openCompoundFile(bytes);
  const file = openWordFile((name) => container.stream(name), budget);
  const warning = file.isTextOnly ? DAMAGED : file.hasFormatting ? undefined : OLD;
  return {
    html: file.hasFormatting ? joinMarks(new DocWriter(file, readFormatting(file)).write()) : plainText(file),
    metadata: {},
    ...(warning === undefined ? {} : { warning }),
  };
}

const DAMAGED = "The Word document is damaged; its text was read without formatting and may be incomplete.";
const OLD = "The formatting of documents of Word 6 and 95 is not read; cells of tables are paragraphs.";
const STEPS_PER_PARAGRAPH = 8;

/** Returns the paragraphs of a text whose formatting is not known, and its footnotes. */
function plainText(file: WordFile): string {
  let html = "";
  for (const paragraph of textBetween(file, 0, file.textLength).split(/[\r\u0007\u000c]/)) {
    if (!file.budget.take(STEPS_PER_PARAGRAPH)) {
      file.budget.cut("the text of the document");
      break;
    }
    html += wrap("p", fieldsToHtml(plainHtml(paragraph)));
  }
  return html + footnotes(file);
}

function footnotes(file: WordFile): string {
  if (file.footnoteLength === 0) return "";
  const text = textBetween(file, file.textLength, file.textLength + file.footnoteLength);
  const notes = text
    .split("\r")
    .map((note) => plainHtml(note).trim())
    .filter((note) => note !== "");
  return `<ol>${notes.map((note) => `<li>${fieldsToHtml(note)}</li>`).join("")}</ol>`;
}
