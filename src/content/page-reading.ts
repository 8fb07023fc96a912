/** The forms of a page that is opened (`page-view.ts`), and of the requests for its parts. */
import type { DocumentKind } from "./documents/kind/document-kind.ts";
import type { LoadedPage } from "../core/scrape/page.ts";
import type { Product } from "../core/scrape/product.ts";
import type { DescribeFigures, RecogniseText } from "../core/ocr/recognition.ts";
import type { WorkBudget } from "../core/work-budget.ts";
import type { RuledAnswer } from "./answers/answer-by-rules.ts";
import type { DocumentContent, PdfOptions } from "./documents/document-content.ts";
import type { JsonSchema } from "../core/schema/json-schema.ts";
import type { Filled } from "./structured-data/schema/fill-schema.ts";
import type { MenuFacts } from "./structured-data/products/menu-source.ts";
import type { StructuredData } from "./structured-data/facts.ts";
import type { PageMetadata } from "./html/metadata.ts";
import type { PageFacts } from "./html/page-facts.ts";
import type { Bounded, PagePart, ReadApart } from "./page-parts.ts";
import type { CleanOptions } from "./main-content/clean.ts";

export interface OpenOptions {
  clean: CleanOptions;
  /** Options for PDFs; when undefined, a PDF's bytes are returned in Base64 instead of its text. */
  pdf: PdfOptions | undefined;
  /** Only the bytes are needed: nothing is parsed, and any type of file is accepted. */
  bytesOnly: boolean;
  /** Budget for reading; a separate one by default. */
  budget?: WorkBudget;
  /** Parts that will be read, as far as they are known: a page that is read in another isolate comes with these. */
  parts?: readonly PagePart[];
  /** Reads the HTML in one pass, without a tree, as large pages are. */
  isStreamed?: boolean;
  /** Length of HTML above which it is read in one pass. Default: 6,000,000 characters. */
  maxTreeChars?: number;
  /** Reads the pages that are not read in this isolate; undefined for those that are. */
  readApart?: PageReader;
  /**
   * Steps for the parts of a page that `readApart` leaves to this isolate. A page of which they take more is given to it
   * after all. Default: the whole budget.
   */
  stepsHere?: number;
  /** True when the text of pictures is read. */
  pictures?: boolean;
  /** Recognises text in pictures and scans; undefined where no engine is available. */
  recognise?: RecogniseText;
  /** Returns the number of pages of a PDF that the caller's credits pay for. Undefined, or Infinity: not limited. */
  affordablePages?: (() => Promise<number>) | undefined;
  /** Describes the pictures of PDFs; undefined where no vision model is available. */
  describe?: DescribeFigures;
  /** True in an isolate that reads for another one, which recognises text itself. */
  isApart?: boolean;
}

/** A page that may be read in another isolate. */
export interface PageToRead {
  loaded: LoadedPage;
  kind: DocumentKind;
  budget: WorkBudget;
  open: Omit<OpenOptions, "budget" | "readApart" | "recognise" | "affordablePages">;
  /** True when reading it in this isolate took too many steps. */
  isCostly?: boolean;
}

/** @returns undefined when the page is to be read in this isolate. */
export type PageReader = (page: PageToRead) => Promise<ReadApart | undefined>;

/** A loaded page, ready to be read in any format. Each step of reading is done once, when it is first needed. */
export interface PageView {
  readonly loaded: LoadedPage;
  readonly kind: DocumentKind;
  /** Counts the work of every reader of this page; its `warning` names the parts that were cut. */
  readonly budget: WorkBudget;
  /** Pages and other parts of documents that are not HTML. */
  readonly document: DocumentContent | undefined;
  /** Returns the markdown: all of it, or at least its first `maxChars` characters. */
  markdown(options: { removeBase64Images: boolean } & Bounded): string;
  html(): string;
  /** Returns the body as text, and that of files without text in Base64. A large body is decoded in turns. */
  rawText(): string | Promise<string>;
  base64(): string;
  /** Returns the links: all of them, or at least the first ones with `maxChars` characters. */
  links(options?: Bounded): string[];
  images(): string[];
  /** @throws AppError `BAD_REQUEST` for a selector that cannot be read. */
  attributeValues(wanted: { selector: string; attribute: string }): string[];
  metadata(): PageMetadata;
  /** Fills the parts of a JSON Schema that the page states in a form that rules can read; never anything else. */
  fill(schema: JsonSchema): Filled;
  /** Returns everything that the page states in a form that rules can read; undefined for a page that was read apart. */
  structured: (() => StructuredData) | undefined;
  /** Answers a question by rules, from the markdown and what the page states. */
  answer(question: string): RuledAnswer | Promise<RuledAnswer>;
  /** Returns the product that the page's structured data describes. */
  product(): Product | undefined;
  /** Returns the menu that the page's structured data describes. */
  menuFacts(): MenuFacts;
  /** The facts that page signals are read from. */
  facts(): PageFacts;
  /** Returns the fingerprints of the page's blocks, from which a site's template is learned; none without a tree. */
  fingerprints(): number[];
}
