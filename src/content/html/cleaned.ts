import type { Revealed } from "./hidden.ts";
import type { ElementNode } from "./tree/tree.ts";

/**
 * The parts of a page that are kept, separate from the tree, which is not changed: the same tree serves several
 * formats.
 */
export interface Cleaned {
  /** Subtrees that are emitted, in the order of the selectors that chose them, and for each in document order. */
  roots: readonly ElementNode[];
  droppedElements: ReadonlySet<ElementNode>;
  /** Per element the indexes of its text children that are left out. */
  droppedText: ReadonlyMap<ElementNode, ReadonlySet<number>>;
  /** Scope in which hiding markers do not count: everywhere in the classifier's choice, which includes folded tabs. */
  revealed: Revealed;
  /** Share of the words that was left out because the page repeats them often, 0 to 1. */
  repeatedShare?: number;
}

/** Returns all of a tree, also what a browser would not show. */
export function everythingOf(root: ElementNode): Cleaned {
  return { roots: [root], droppedElements: new Set(), droppedText: new Map(), revealed: "all" };
}
