import { AppError } from "../../core/errors.ts";
import type { RecogniseText, Recognition } from "../../core/ocr/recognition.ts";
import type { RecognisedPage } from "../../core/ocr/recognised-page.ts";
import type { DocumentContent, PdfOptions } from "./document-content.ts";
import { pictureType } from "./kind/picture-type.ts";
import { pictureSize } from "./kind/picture-size.ts";
import { tiffPages } from "./kind/tiff-pages.ts";
import { pageList } from "./listed.ts";

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
 * @throws SCRAPE_PDF_OCR_REQUIRED for a PDF without text in mode `ocr`, without an engine; the error that stopped the
 * recognition before a PDF without text had any
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
  if (stopped !== undefined && recognised.length === 0 && opened.document?.markdown.trim() === "")
    throw new AppError(stopped.code, `The text of the PDF was not read: ${stopped.message}`);
  const result = withUnseen(recognised.length === 0 ? opened : await read(recognised), recognition);
  return withMissing(result, pages, recognition);
}

/** Adds a warning that names the pages that a stopped recognition did not reach. */
export function withMissing<Opened extends { document: DocumentContent | undefined }>(
  opened: Opened,
  pages: readonly number[],
  { pages: recognised, stopped }: Recognition,
): Opened {
  if (stopped === undefined) return opened;
  const known = new Set(recognised.map(({ pageNumber }) => pageNumber));
  const missing = pages.filter((page) => !known.has(page));
  const words = `Text recognition did not read ${pageList(missing)}: ${stopped.message}.`;
  return warned(opened, words, { isPartial: true });
}

/**
 * Recognises the text of a picture; a TIFF may have several pages, of which the first is there when it succeeds.
 * @throws SCRAPE_UNSUPPORTED_FILE_ERROR without an engine, SCRAPE_WORK_LIMIT for too many pixels, and the error that
 * stopped the recognition
 */
export async function recognisePicture(bytes: Uint8Array, recognise: RecogniseText | undefined): Promise<Recognition> {
  if (recognise === undefined) throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", NO_ENGINE);
  const contentType = pictureType(bytes);
  if (contentType === undefined) throw damaged();
  const sizes = contentType === "image/tiff" ? tiffPages(bytes) : [pictureSize(bytes) ?? { width: 0, height: 0 }];
  const tooLarge = sizes.find(({ width, height }) => width * height > MAX_PICTURE_PIXELS);
  if (tooLarge !== undefined) {
    const { width, height } = tooLarge;
    throw new AppError(
      "SCRAPE_WORK_LIMIT",
      `The picture has ${width} × ${height} pixels, more than this service reads`,
    );
  }
  if (sizes.length === 0) throw damaged();
  const pages = sizes.map((_, at) => at + 1);
  const recognition = await recognise({ kind: "image", contentType, bytes, pages, mode: "auto" });
  if (recognition.pages.length > 0) return recognition;
  const { code = "SCRAPE_DOCUMENT_PREFETCH_FAILED", message } = recognition.stopped ?? {};
  throw new AppError(code, message === undefined ? undefined : `The text of the picture was not read: ${message}`);
}

function damaged(): AppError {
  const words = "The picture is damaged, or has another format than it says";
  return new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", words);
}

/** Adds a warning that names the pages that the vision model did not read. */
export function withUnseen<Opened extends { document: DocumentContent | undefined }>(
  opened: Opened,
  { unseen }: Recognition,
): Opened {
  if (unseen === undefined) return opened;
  const words = `The vision model did not read ${pageList(unseen.pages)}, ${unseen.pages.length === 1 ? "which has" : "which have"} the text of OCR: ${unseen.reason}.`;
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
