import type { ElementNode } from "../../html/tree/tree.ts";
import type { InlineRun } from "./inline-run.ts";
import type { Formula } from "../math/math.ts";
import type { MarkdownPage } from "../page.ts";

/** The destination of running text, and its handling of blocks in the middle of it. */
export interface InlineTarget {
  readonly page: MarkdownPage;
  /** The current run; a new one begins after each block. */
  readonly run: InlineRun;
  /** True when blocks stay blocks here, false when they are flattened. */
  readonly takesBlocks: boolean;
  /** Headings drop elements that only serve to link to them. */
  readonly isHeading: boolean;
  addBlock(element: ElementNode): void;
  addFormula(formula: Formula): void;
  endParagraph(): void;
  writeChildren(element: ElementNode): void;
  /** Returns a target for the text of a link in this one. */
  forLink(): InlineTarget;
}
