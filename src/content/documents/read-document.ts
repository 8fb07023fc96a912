import type { DocumentKind } from "./kind/document-kind.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { readCsv } from "./spreadsheet/csv.ts";
import type { DocumentContent, PdfOptions, RichContent } from "./document-content.ts";
import { readDoc } from "./doc/doc.ts";
import { readDocx } from "./docx/docx.ts";
import { readEpub } from "./epub.ts";
import { readFeed } from "./text/feed.ts";
import { htmlToMarkdown } from "./html/html-to-markdown.ts";
import { readJson } from "./text/json.ts";
import { readOdt } from "./odf/odt.ts";
import { readPdf } from "./pdf/pdf.ts";
import { readPpt } from "./ppt/ppt.ts";
import { readOdp, readPptx } from "./pptx/presentation.ts";
import { readRtf } from "./rtf/rtf.ts";
import { readSpreadsheet } from "./spreadsheet/spreadsheet.ts";
import { readText } from "./text/text.ts";
import { readXml } from "./text/xml.ts";

/** Steps for one file that is no PDF, some seconds, and the steps for each byte of a large one; workbooks are packed well. */
const STEPS = { least: 1_500_000, leastOfWorkbook: 4_000_000, perByte: 0.25, most: 8_000_000 };
const WORKBOOKS: ReadonlySet<FileKind> = new Set(["xlsx", "xls", "ods"]);
/** Unpacked bytes of one file; an archive has a separate limit. */
const MAX_DECODED_BYTES = 100_000_000;
const NO_TEXT = "The file has no text.";
const NO_PICTURE = "This format of pictures cannot be read. The rawBase64 format returns the file.";

/** Kinds of files other than pages and pictures. */
export type FileKind = Exclude<DocumentKind, "html" | "image">;

export interface DocumentSource {
  contentType: string | undefined;
  /** Links in the document are resolved against it. */
  url: string;
  pdf?: PdfOptions;
  /** Budget for reading: steps and decoded bytes of every layer. */
  budget?: WorkBudget;
}

/** Reads documents like `readDocument`, in this isolate or elsewhere. */
export type DocumentReader = typeof readDocument;

/**
 * Reads a file of a known kind into markdown. Nothing is cut silently: the parts that are left out are named in
 * `warning`, and so is a file without text.
 * @throws SCRAPE_UNSUPPORTED_FILE_ERROR for a file that holds no text, is protected or unpacks to too much,
 * SCRAPE_PDF_PREFETCH_FAILED and SCRAPE_DOCUMENT_PREFETCH_FAILED for a damaged file
 */
export async function readDocument(
  kind: FileKind,
  bytes: Uint8Array,
  source: DocumentSource,
): Promise<DocumentContent> {
  try {
    const content = await readKind(kind, bytes, source);
    return content.markdown.trim() === "" ? { warning: NO_TEXT, ...content } : content;
  } catch (error) {
    if (isAppError(error)) throw error;
    throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", `The ${kind} file is damaged`, { cause: error });
  }
}

async function readKind(kind: FileKind, bytes: Uint8Array, source: DocumentSource): Promise<DocumentContent> {
  const { contentType, url } = source;
  if (kind === "pdf") return readPdf(bytes, url, { ...source.pdf, budget: source.budget });
  const budget = (source.budget ?? new WorkBudget()).within({
    steps: Math.min(
      STEPS.most,
      (WORKBOOKS.has(kind) ? STEPS.leastOfWorkbook : STEPS.least) + bytes.byteLength * STEPS.perByte,
    ),
    bytes: MAX_DECODED_BYTES,
  });
  switch (kind) {
    case "docx":
      return fromHtml(await readDocx(bytes, budget), url);
    case "doc":
      return fromHtml(readDoc(bytes, budget), url);
    case "odt":
      return fromHtml(readOdt(bytes, budget), url);
    case "rtf":
      return fromHtml(readRtf(bytes, budget), url);
    case "pptx":
      return fromHtml(readPptx(bytes, budget), url);
    case "ppt":
      return fromHtml(readPpt(bytes, budget), url);
    case "odp":
      return fromHtml(readOdp(bytes, budget), url);
    case "epub":
      return fromHtml(readEpub(bytes, budget), url);
    case "feed":
      return fromHtml(readFeed(bytes, contentType, budget), url);
    case "xlsx":
    case "xls":
    case "ods":
      return readSpreadsheet(bytes, budget);
    case "csv":
      return readCsv(bytes, contentType, { budget });
    case "tsv":
      return readCsv(bytes, contentType, { delimiter: "\t", budget });
    case "json":
      return readJson(bytes, contentType, budget);
    case "xml":
      return readXml(bytes, contentType, budget);
    case "text":
      return readText(bytes, contentType);
    case "binary":
      throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", contentType?.startsWith("image/") ? NO_PICTURE : undefined);
  }
}

function fromHtml(content: RichContent, url: string): DocumentContent {
  return { markdown: htmlToMarkdown(content.html, url), ...content };
}
