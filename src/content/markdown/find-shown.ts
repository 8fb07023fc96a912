import type { Cleaned } from "../html/cleaned.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import { concealmentOf } from "../html/concealment.ts";
import { isHidden, isReadNoscript, isShadowRoot, SILENT_TAGS } from "../html/hidden.ts";
import type { ElementNode } from "../html/tree/tree.ts";
import { saysSomething } from "./inline/button.ts";

/** Returns the parts that a choice of main content shows and a whole page does not: hidden ones, and buttons. */
export function findShown(content: Cleaned, budget: WorkBudget): Set<ElementNode> {
  const shown = new Set<ElementNode>();
  const isConcealed = concealmentOf(content, budget);
  const stack = [...content.roots];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    if (content.droppedElements.has(element) || isConcealed(element)) continue;
    const isNoscript = isReadNoscript(element, content.revealed);
    if (SILENT_TAGS.has(element.tag) && !isShadowRoot(element) && !isNoscript) continue;
    if (element.tag === "button" && !saysSomething(element, content)) continue;
    if (isNoscript || element.tag === "button" || isHidden(element)) shown.add(element);
    for (const child of element.children) if (typeof child !== "string") stack.push(child);
  }
  return shown;
}
