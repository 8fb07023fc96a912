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

/** A part of a page of a PDF. */
export interface PagePart {
  pageNumber: number;
  /** Clockwise turn in degrees that makes the text of the page upright. */
  rotation: 0 | 90 | 180 | 270;
  /** Left, top, right, bottom in points, from the upper left corner of the page as its text is upright. */
  bbox: [left: number, top: number, right: number, bottom: number];
}

/** A PDF with the places of its pictures. */
export interface FiguresToDescribe {
  bytes: Uint8Array;
  figures: readonly PagePart[];
}

/** Descriptions in the order of the figures; undefined for those that were not described, with the reason. */
export interface Descriptions {
  texts: (string | undefined)[];
  reason?: string | undefined;
}

/** Describes the pictures of a PDF. Never throws. */
export type DescribeFigures = (file: FiguresToDescribe) => Promise<Descriptions>;
