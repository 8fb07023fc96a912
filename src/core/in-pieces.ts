import { nextTurn } from "./in-turns.ts";

/**
 * Visits items in order, and lets other requests run after every `size` items: for work on lists from outside, which may
 * be long.
 * @param visit ends the loop by returning false.
 */
export async function inPieces<Item>(
  items: readonly Item[],
  size: number,
  visit: (item: Item, index: number) => boolean | void,
): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (visit(item, index) === false) return;
    if (index % size === size - 1) await nextTurn();
  }
}
