import type { Cleaned } from "./cleaned.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { isConcealed, isForScreenReaders, isShadowRoot, SILENT_TAGS } from "./hidden.ts";
import { BLOCK_TAGS, type ElementNode } from "./tree/tree.ts";

/** Numbers alone, such as a price or a count, need their hidden label. */
const WORD = /\p{L}{2}/u;
const INLINE_HOLDERS = new Set(["a", "abbr"]);

/**
 * Returns a predicate for the elements that are left out because a reader does not see them. On pages whose hiding
 * markers do not count, text for screen readers alone is still left out when its line or link has visible words as
 * well; titles and whole blocks of such text stay. Each element that is searched for such words is a step of the budget.
 */
export function concealmentOf(cleaned: Cleaned, budget = new WorkBudget()): (element: ElementNode) => boolean {
  const { revealed } = cleaned;
  if (revealed !== "all") return (element) => isConcealed(element, revealed);
  const known = new Map<ElementNode, boolean>();
  return (element) => {
    if (BLOCK_TAGS.has(element.tag) || !isForScreenReaders(element.attributes["class"])) return false;
    const holder = holderOf(element);
    let hasWord = known.get(holder);
    if (hasWord === undefined) known.set(holder, (hasWord = hasVisibleWord(holder, cleaned, budget)));
    return hasWord;
  };
}

/** Returns the link, abbreviation or block around. */
function holderOf(element: ElementNode): ElementNode {
  let holder = element.parent ?? element;
  while (holder.parent !== undefined && !INLINE_HOLDERS.has(holder.tag) && !BLOCK_TAGS.has(holder.tag)) {
    holder = holder.parent;
  }
  return holder;
}

/** Reports whether an element contains a kept word that is visible to all readers. */
function hasVisibleWord(holder: ElementNode, { droppedElements, droppedText }: Cleaned, budget: WorkBudget): boolean {
  const stack = [holder];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    if (!budget.take()) return false;
    const { tag, attributes, children } = element;
    if (droppedElements.has(element) || (tag === "button" && element !== holder)) continue;
    if ((SILENT_TAGS.has(tag) && !isShadowRoot(element)) || isForScreenReaders(attributes["class"])) continue;
    const dropped = droppedText.get(element);
    for (const [index, child] of children.entries()) {
      if (typeof child !== "string") stack.push(child);
      else if (WORD.test(child) && dropped?.has(index) !== true) return true;
    }
  }
  return false;
}
