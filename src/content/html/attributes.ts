import type { HtmlView } from "./html-view.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import { selectAll } from "./tree/select.ts";

/**
 * Returns the values of an attribute on every element that a selector matches; where it is missing, `data-<attribute>`
 * is read.
 * @throws AppError `BAD_REQUEST` for a selector that cannot be read, `SCRAPE_WORK_LIMIT` for one that takes too much
 * work on this page.
 */
export function readAttributeValues(
  { tree }: HtmlView,
  wanted: { selector: string; attribute: string },
  budget?: WorkBudget,
): string[] {
  const attribute = wanted.attribute.toLowerCase();
  return selectAll(tree.root, wanted.selector, budget).flatMap(({ attributes }) => {
    const value = attributes[attribute] ?? attributes[`data-${attribute}`];
    return value === undefined ? [] : [value];
  });
}
