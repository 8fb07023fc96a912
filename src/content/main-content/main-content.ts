import type { ElementNode } from "../html/tree/tree.ts";

export interface MainContent {
  /** Expected word F1 of the choice, 0 to 1; 0 for a page without text. */
  confidence: number;
  /** Share of the words that was left out because the page repeats them often, 0 to 1. */
  repeatedShare?: number;
  /** Per element the indexes of its text children that are not main content. */
  droppedText: ReadonlyMap<ElementNode, ReadonlySet<number>>;
  /** The topmost elements whose subtrees hold text or media, but none that is kept, and links that show neither. */
  droppedElements: ReadonlySet<ElementNode>;
}
