import type { Cleaned } from "./html/cleaned.ts";
import type { HtmlView } from "./html/html-view.ts";
import type { WorkBudget } from "../core/work-budget.ts";
import { cleanTree, type CleanOptions } from "./main-content/clean.ts";
import { emitHtml } from "./html/emit-html.ts";
import { emitMarkdown } from "./markdown/emit-markdown.ts";
import { baseUrlOf, stepsOfLongBase } from "./html/resolve-url.ts";
import { parseHtml } from "./html/tree/tree.ts";

/** @throws AppError `SCRAPE_WORK_LIMIT` when the budget is spent. */
export function openHtml(html: string, url: string, budget?: WorkBudget): HtmlView {
  const tree = parseHtml(html, budget);
  const baseUrl = baseUrlOf(tree.head.baseHref, url);
  // Each relative link becomes as long as the page's address: a small page can have many megabytes of links.
  budget?.spend(tree.elementCount * stepsOfLongBase(baseUrl));
  return { tree, url, baseUrl };
}

/** Decides which parts of the page are kept. @throws AppError `BAD_REQUEST` for a selector that cannot be read. */
export function cleanHtml(view: HtmlView, options: CleanOptions, budget?: WorkBudget): Cleaned {
  return cleanTree(view.tree, view.url, options, budget);
}

/** Returns the kept parts as CommonMark with GFM. */
export function toMarkdown(
  view: HtmlView,
  cleaned: Cleaned,
  options: { removeBase64Images: boolean; budget?: WorkBudget },
): string {
  return emitMarkdown(cleaned, { baseUrl: view.baseUrl, ...options });
}

/** Returns the same content as HTML: no scripts, no styles, addresses absolute. */
export function toHtml(view: HtmlView, cleaned: Cleaned, budget?: WorkBudget): string {
  return emitHtml(cleaned, view.baseUrl, budget);
}
