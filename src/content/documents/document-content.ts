import type { RecognisedPage } from "../../core/ocr/recognised-page.ts";

/** Options for reading a PDF; the wire's `parsers` entry (api-contract.md, “Scrape options”) in resolved form. */
export interface PdfOptions {
  /** `auto` recognises the text of pages that have no words, `ocr` that of all pages, and `fast` none. */
  mode?: "fast" | "auto" | "ocr";
  /** Text that was recognised in pictures of pages; it replaces the text layer of these pages. */
  recognised?: readonly RecognisedPage[];
  maxPages?: number;
  /** Number of pages that the caller's credits pay for: a file of which more are to be read is refused. */
  affordablePages?: number;
  /** Also return the markdown of each page. */
  pages?: boolean;
  /** Also return the typed layout blocks of each page. */
  blocks?: boolean;
  /** Insert a rule and `<!-- page N -->` between pages. */
  pageMarkers?: boolean;
  /** Also list the pictures of each page. */
  figures?: boolean;
  /** How tables are written: as pipe tables, or as HTML tables with merged cells. */
  tables?: "markdown" | "html";
}

export interface DocumentPage {
  /** Counted from 1. */
  pageNumber: number;
  markdown: string;
}

/** A piece of a PDF page's layout. */
export interface LayoutBlock {
  type: "heading" | "paragraph" | "list" | "table";
  /** 1–6, for headings. */
  level?: number;
  text: string;
  /** Left, top, right, bottom in points, measured from the page's upper left corner. */
  bbox: [left: number, top: number, right: number, bottom: number];
}

export interface PageBlocks {
  pageNumber: number;
  /** In points. */
  width: number;
  height: number;
  blocks: LayoutBlock[];
}

/** A picture of a document. */
export interface Figure {
  /** Counted from 1. */
  pageNumber: number;
  /** Left, top, right, bottom in points, measured from the upper left corner of the page as its text is upright. */
  bbox: [left: number, top: number, right: number, bottom: number];
  /** Size of the picture itself in pixels. */
  width: number;
  height: number;
  /** Clockwise turn in degrees that makes the text of its page upright. */
  rotation: 0 | 90 | 180 | 270;
  /** The words of a vision model. */
  description?: string;
}

/** The content of a file, ready for the formats. */
export interface DocumentContent {
  markdown: string;
  /** The same as HTML, for formats with rich text. */
  html?: string;
  /** Names as in the metadata of a page: title, description, author, language, keywords … */
  metadata: Record<string, string | string[] | number>;
  pages?: DocumentPage[];
  blocks?: PageBlocks[];
  figures?: Figure[];
  /** Pages read, of `totalPages`. */
  numPages?: number;
  totalPages?: number;
  /** Pages of a PDF that show something, and have no words. */
  wordlessPages?: number[];
  /** True when the same file may give more at another time: text recognition was stopped or not available. */
  isPartial?: boolean;
  /** The parts that could not be read, or were cut, in words for the caller. */
  warning?: string;
}

/** The result of a reader of a rich format: HTML, which becomes markdown like every page. */
export interface RichContent {
  html: string;
  metadata: Record<string, string | string[] | number>;
  warning?: string;
}
