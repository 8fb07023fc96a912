import type { ElementNode } from "../../html/tree/tree.ts";
import type { InlineRun } from "./inline-run.ts";
import type { Formula } from "../math/math.ts";
import type { MarkdownPage } from "../page.ts";

/** Where running text goes to, and what blocks in the middle of it do there. */
export interface InlineTarget {
  readonly page: MarkdownPage;
  /** The run that is being written; another one after each block. */
  readonly run: InlineRun;
  /** Whether blocks stay blocks here, or are flattened. */
  readonly takesBlocks: boolean;
  /** Headings drop what only serves to link to them. */
  readonly isHeading: boolean;
  addBlock(element: ElementNode): void;
  addFormula(formula: Formula): void;
  endParagraph(): void;
  writeChildren(element: ElementNode): void;
  /** A target for the text of a link in this one. */
  forLink(): InlineTarget;
}
