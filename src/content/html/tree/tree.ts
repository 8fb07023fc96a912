import type { WorkBudget } from "../../../core/work-budget.ts";
import type { ElementNode, HtmlTree } from "./element-node.ts";
import { TreeBuilder } from "./tree-builder.ts";

export { ElementNode, type HtmlHead, type HtmlTree } from "./element-node.ts";
export { NO_ATTRIBUTES } from "./tag-reader.ts";
export { TEX_SCRIPT } from "./head-recorder.ts";

/** Elements that a page lays out as blocks (HTML § 15.3). */
export const BLOCK_TAGS: ReadonlySet<string> = new Set(
  (
    "#root html head body address article aside blockquote button caption center dd details dialog div dl dt fieldset " +
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre " +
    "search section summary table tbody td tfoot th thead tr ul"
  ).split(" "),
);

/**
 * Parses HTML into a lean tree in one pass, without recursion and in linear time, whatever the nesting. Comments are
 * left out, and so is the text of scripts and styles (JSON-LD is stored in the head's record). Never throws; unmatched
 * closing tags are ignored, and white space between elements becomes a single character. Parts that a page's server
 * sent late are moved to their places.
 */
export function parseHtml(html: string, budget?: WorkBudget): HtmlTree {
  return new TreeBuilder().build(html, budget);
}

/** Calls `visit` for each element below (and with) `from`, in document order, without recursion. */
export function walkElements(from: ElementNode, visit: (element: ElementNode) => void): void {
  const stack: ElementNode[] = [from];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    visit(element);
    for (let index = element.children.length - 1; index >= 0; index--) {
      const child = element.children[index];
      if (child !== undefined && typeof child !== "string") stack.push(child);
    }
  }
}

/** Returns all text below an element, exactly as in the source. */
export function textOf(from: ElementNode): string {
  const stack: (ElementNode | string)[] = [from];
  let text = "";
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (typeof node === "string") {
      text += node;
      continue;
    }
    for (let index = node.children.length - 1; index >= 0; index--) {
      const child = node.children[index];
      if (child !== undefined) stack.push(child);
    }
  }
  return text;
}

/** Returns `textOf(from).length`, without building the text. */
export function textLengthOf(from: ElementNode): number {
  let length = 0;
  walkElements(from, ({ children }) => {
    for (const child of children) if (typeof child === "string") length += child.length;
  });
  return length;
}
