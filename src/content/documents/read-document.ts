import { AppError, isAppError } from "../../core/errors.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import { readCsv } from "./csv.ts";
import type { DocumentContent, PdfOptions, RichContent } from "./document-content.ts";
import { readDoc } from "./doc.ts";
import { readDocx } from "./docx.ts";
import { readEpub } from "./epub.ts";
import { readFeed } from "./feed.ts";
import { htmlToMarkdown } from "./html-to-markdown.ts";
import { readJson } from "./json.ts";
import type { DocumentKind } from "./kind.ts";
import { readOdt } from "./odt.ts";
import { readPdf } from "./pdf.ts";
import { readPpt } from "./ppt.ts";
import { readOdp, readPptx } from "./presentation.ts";
import { readRtf } from "./rtf.ts";
import { readSpreadsheet } from "./spreadsheet.ts";
import { readText } from "./text.ts";
import { readXml } from "./xml.ts";

/** Kinds that are no pages. */
export type FileKind = Exclude<DocumentKind, "html">;

export interface DocumentSource {
  contentType: string | undefined;
  /** Links in the document are resolved against it. */
  url: string;
  pdf?: PdfOptions;
  /** What reading may take: steps and decoded bytes of every layer. */
  budget?: WorkBudget;
}

/**
 * Reads a file of a known kind into markdown. Nothing is cut in silence: what is left out is named in `warning`.
 * @throws SCRAPE_UNSUPPORTED_FILE_ERROR for what holds no text, is protected or unpacks to too much, SCRAPE_PDF_PREFETCH_FAILED and
 *   SCRAPE_DOCUMENT_PREFETCH_FAILED for what is damaged
 */
export async function readDocument(
  kind: FileKind,
  bytes: Uint8Array,
  source: DocumentSource,
): Promise<DocumentContent> {
  try {
    return await readKind(kind, bytes, source);
  } catch (error) {
    if (isAppError(error)) throw error;
    throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", `The ${kind} file is damaged`, { cause: error });
  }
}

async function readKind(kind: FileKind, bytes: Uint8Array, source: DocumentSource): Promise<DocumentContent> {
  const { contentType, url } = source;
  switch (kind) {
    case "pdf":
      return readPdf(bytes, url, { ...source.pdf, budget: source.budget });
    case "docx":
      return fromHtml(await readDocx(bytes), url);
    case "doc":
      return fromHtml(readDoc(bytes), url);
    case "odt":
      return fromHtml(readOdt(bytes), url);
    case "rtf":
      return fromHtml(readRtf(bytes), url);
    case "pptx":
      return fromHtml(readPptx(bytes), url);
    case "ppt":
      return fromHtml(readPpt(bytes), url);
    case "odp":
      return fromHtml(readOdp(bytes), url);
    case "epub":
      return fromHtml(readEpub(bytes), url);
    case "feed":
      return fromHtml(readFeed(bytes, contentType), url);
    case "xlsx":
    case "xls":
    case "ods":
      return readSpreadsheet(bytes);
    case "csv":
      return readCsv(bytes, contentType);
    case "tsv":
      return readCsv(bytes, contentType, "\t");
    case "json":
      return readJson(bytes, contentType);
    case "xml":
      return readXml(bytes, contentType);
    case "text":
      return readText(bytes, contentType);
    case "binary":
      throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR");
  }
}

function fromHtml(content: RichContent, url: string): DocumentContent {
  return { markdown: htmlToMarkdown(content.html, url), ...content };
}
