import type { OpenOptions, PageReader } from "../../content/page-view.ts";
import { WorkBudget } from "../../core/work-budget.ts";

/** Limits of a page that is read in the service, where every other request waits for it: a second of a processor. */
const READ_HERE = { steps: 5_000_000, maxTreeChars: 1_500_000 };

/**
 * Returns the options for opening a page with the reader of large pages. Without one, the page is read here: larger HTML
 * in one pass, and everything within a tenth of the usual budget; the warning names what was cut.
 */
export function withReader(open: OpenOptions, readApart: PageReader | undefined): OpenOptions {
  if (readApart !== undefined) return { ...open, readApart };
  const { steps, maxTreeChars } = READ_HERE;
  const { budget = new WorkBudget() } = open;
  return { ...open, budget: budget.within({ steps }), maxTreeChars };
}
