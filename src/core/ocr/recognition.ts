import type { ErrorCode } from "../errors.ts";
import type { RecognisedPage } from "./recognised-page.ts";

/** A file in whose pages text is recognised. */
export interface FileToRecognise {
  kind: "pdf" | "image";
  /** Media type of a picture. */
  contentType: string;
  bytes: Uint8Array;
  /** Numbers of the pages to read, counted from 1. */
  pages: readonly number[];
  /** With a vision model: `ocr` has every page read by it, `auto` those that OCR reads with low confidence. */
  mode: "auto" | "ocr";
}

/** The recognised pages, in the order in which they were asked for; fewer when the recognition was stopped. */
export interface Recognition {
  pages: RecognisedPage[];
  /** The reason why pages are missing; undefined when none is. */
  stopped?: { code: ErrorCode; message: string } | undefined;
  /** Pages that the vision model was to read and did not; they have the text of OCR. */
  unseen?: { pages: number[]; reason: string } | undefined;
}

/** Recognises text in the pictures of pages. Never throws. */
export type RecogniseText = (file: FileToRecognise) => Promise<Recognition>;
