import type { RichContent } from "../document-content.ts";
import { joinMarks } from "../html/html-text.ts";
import { openDocumentPropertiesOf } from "../docx/office-metadata.ts";
import { OdfWriter } from "./odf-writer.ts";
import { odfStyles } from "./odf-styles.ts";
import { AppError } from "../../../core/errors.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { findElement } from "../containers/xml-tree.ts";
import { readZip, zipXml } from "../containers/zip.ts";

/**
 * Reads an OpenDocument text (ODF 1.3, OASIS): headings, paragraphs, lists, tables, links, emphasis and notes.
 * @throws SCRAPE_DOCUMENT_PREFETCH_FAILED when it holds no text document
 */
export function readOdt(bytes: Uint8Array, budget: WorkBudget): RichContent {
  const files = readZip(bytes, (name) => /^(content|styles|meta)\.xml$/.test(name), budget);
  const content = zipXml(files, "content.xml");
  const body = findElement(content, "office:text");
  if (body === undefined) throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The file holds no text document");
  const writer = new OdfWriter(odfStyles(content, zipXml(files, "styles.xml")), budget);
  const html = joinMarks(writer.blocks(body) + writer.notesHtml());
  return { html, metadata: openDocumentPropertiesOf(files) };
}
