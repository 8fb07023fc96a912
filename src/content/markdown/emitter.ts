import type { ElementNode } from "../tree.ts";

/** What the rules of single elements use of the emitter: their surroundings, so that no rule knows another. */
export interface Emitter {
  readonly baseUrl: string;
  readonly removeBase64Images: boolean;
  /** Blocks of an element's children: paragraphs, headings, lists …, each without blank lines around it. */
  blocks(element: ElementNode): string[];
  /** Blocks of the element itself. */
  blocksOf(element: ElementNode): string[];
  /** Paragraphs of some running text. */
  paragraphs(nodes: readonly (ElementNode | string)[]): string[];
  /** The element's children as running text, with `BREAK` for line breaks. */
  inline(element: ElementNode, context?: InlineContext): string;
  /** Everything below the element on one line, blocks run together. */
  line(element: ElementNode): string;
  /** True for elements that are left out. */
  isSkipped(element: ElementNode): boolean;
  /** Children that are not left out; texts as they stand in the source. */
  keptChildren(element: ElementNode): (ElementNode | string)[];
  /** True for elements that stand in a block of their own, or hold one that does. */
  isBlock(element: ElementNode): boolean;
}

/** What running text stands in; markup that is in force already is not repeated. */
export interface InlineContext {
  inLink: boolean;
  inStrong: boolean;
  inEmphasis: boolean;
}

export const PLAIN: InlineContext = { inLink: false, inStrong: false, inEmphasis: false };

/** A line break inside running text, until the paragraph is written. No page can hold it: control characters are removed. */
export const BREAK = "\u0001";
/** Stands on both sides of a display formula inside running text, which becomes a block of its own. */
export const FORMULA = "\u0002";
