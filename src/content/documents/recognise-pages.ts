import { AppError } from "../../core/errors.ts";
import type { RecogniseText, Recognition } from "../../core/ocr/recognition.ts";
import type { RecognisedPage } from "../../core/ocr/recognised-page.ts";
import type { DocumentContent, PdfOptions } from "./document-content.ts";
import { pictureType } from "./kind/picture-type.ts";
import { pictureSize } from "./kind/picture-size.ts";
import { listed } from "./listed.ts";

/** A browser holds four bytes for each pixel, two or three times. */
const MAX_PICTURE_PIXELS = 80_000_000;
const NO_ENGINE = "Text recognition is not available: this deployment has no browser.";

/** Returns the pages of a PDF whose text is to be recognised, by the mode of the request. */
export function pagesToRecognise(
  { wordlessPages = [], numPages = 0 }: DocumentContent,
  { mode }: PdfOptions,
): number[] {
  if (mode === "fast") return [];
  return mode === "ocr" ? Array.from({ length: numPages }, (_, at) => at + 1) : wordlessPages;
}

interface ToRecognise extends Pick<PdfOptions, "mode"> {
  pages: readonly number[];
  bytes: Uint8Array;
  recognise: RecogniseText | undefined;
}

/**
 * Recognises pages of a PDF.
 * @param read reads the PDF with the text of these pages
 * @returns the document, with a warning that names the pages that are missing
 * @throws SCRAPE_PDF_OCR_REQUIRED for a PDF without text in mode `ocr`, without an engine
 */
export async function withRecognisedPages<Opened extends { document: DocumentContent | undefined }>(
  opened: Opened,
  { pages, bytes, mode = "auto", recognise }: ToRecognise,
  read: (recognised: readonly RecognisedPage[]) => Promise<Opened>,
): Promise<Opened> {
  if (recognise === undefined) {
    if (mode === "ocr" && opened.document?.markdown.trim() === "") throw new AppError("SCRAPE_PDF_OCR_REQUIRED");
    return warned(opened, NO_ENGINE);
  }
  const recognition = await recognise({
    kind: "pdf",
    contentType: "application/pdf",
    bytes,
    pages,
    mode: mode === "ocr" ? "ocr" : "auto",
  });
  const { pages: recognised, stopped } = recognition;
  const result = withUnseen(recognised.length === 0 ? opened : await read(recognised), recognition);
  if (stopped === undefined) return result;
  const known = new Set(recognised.map(({ pageNumber }) => pageNumber));
  const missing = pages.filter((page) => !known.has(page));
  const words = `Text recognition did not read page ${listed(missing)}: ${stopped.message}.`;
  return warned(result, words, { isPartial: true });
}

/**
 * Recognises the text of a picture.
 * @throws SCRAPE_UNSUPPORTED_FILE_ERROR without an engine, SCRAPE_WORK_LIMIT for too many pixels, and the error that
 * stopped the recognition
 */
export async function recognisePicture(
  bytes: Uint8Array,
  recognise: RecogniseText | undefined,
): Promise<Recognition & { page: RecognisedPage }> {
  if (recognise === undefined) throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", NO_ENGINE);
  const contentType = pictureType(bytes);
  if (contentType === undefined) {
    throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The picture is damaged, or has another format than it says");
  }
  const { width, height } = pictureSize(bytes) ?? { width: 0, height: 0 };
  if (width * height > MAX_PICTURE_PIXELS) {
    throw new AppError(
      "SCRAPE_WORK_LIMIT",
      `The picture has ${width} × ${height} pixels, more than this service reads`,
    );
  }
  const recognition = await recognise({ kind: "image", contentType, bytes, pages: [1], mode: "auto" });
  const [page] = recognition.pages;
  if (page !== undefined) return { ...recognition, page };
  const { code = "SCRAPE_DOCUMENT_PREFETCH_FAILED", message } = recognition.stopped ?? {};
  throw new AppError(code, message === undefined ? undefined : `The text of the picture was not read: ${message}`);
}

/** Adds a warning that names the pages that the vision model did not read. */
export function withUnseen<Opened extends { document: DocumentContent | undefined }>(
  opened: Opened,
  { unseen }: Recognition,
): Opened {
  if (unseen === undefined) return opened;
  const words = `The vision model did not read page ${listed(unseen.pages)}, which has the text of OCR: ${unseen.reason}.`;
  return warned(opened, words, { isPartial: true });
}

function warned<Opened extends { document: DocumentContent | undefined }>(
  opened: Opened,
  words: string,
  more: Pick<DocumentContent, "isPartial"> = {},
): Opened {
  const { document } = opened;
  if (document === undefined) return opened;
  const warning = document.warning === undefined ? words : `${document.warning} ${words}`;
  return { ...opened, document: { ...document, ...more, warning } };
}
