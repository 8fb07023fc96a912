import type { RichContent } from "../document-content.ts";
import { joinMarks } from "../html/html-text.ts";
import { openDocumentPropertiesOf } from "../docx/office-metadata.ts";
import { OdfWriter } from "./odf-writer.ts";
import { odfStyles } from "./odf-styles.ts";
import { AppError } from "../../../core/errors.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";
import { xmlGroups } from "../containers/xml-tree.ts";
import { readZip, zipText, zipXml } from "../containers/zip.ts";

/**
 * Reads an OpenDocument text (ODF 1.3, OASIS): headings, paragraphs, lists, tables, links, emphasis and notes.
 * @throws SCRAPE_DOCUMENT_PREFETCH_FAILED when it holds no text document
 */
export function readOdt(bytes: Uint8Array, budget: WorkBudget): RichContent {
  const files = readZip(bytes, (name) => /^(content|styles|meta)\.xml$/.test(name), budget);
  const text = zipText(files, "content.xml") ?? "";
  files.delete("content.xml");
  const blocks: string[] = [];
  let writer: OdfWriter | undefined;
  for (const { group, root } of xmlGroups(text, "office:text", budget)) {
    // The styles of a document come before its text.
    writer ??= new OdfWriter(odfStyles(root, zipXml(files, "styles.xml")), budget);
    blocks.push(writer.blocks(group));
  }
  if (writer === undefined) throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The file holds no text document");
  return { html: joinMarks(blocks.join("") + writer.notesHtml()), metadata: openDocumentPropertiesOf(files) };
}
