import type { OpenOptions, PageReader } from "../../content/page-view.ts";
import { WorkBudget } from "../../core/work-budget.ts";

/**
 * Steps of a small page with a reader: a tenth of a second of a processor. Of 487 real pages, none takes 250,000 in all
 * formats.
 */
export const STEPS_HERE = 600_000;
/** Limits of a page that is read in the service, where every other request waits for it: a second of a processor. */
const READ_HERE = { steps: 5_000_000, maxTreeChars: 1_500_000 };

/**
 * Returns the options for opening a page with the reader of large pages, which leaves small ones to the service. Without
 * one, the page is read here: larger HTML in one pass, and everything within a tenth of the usual budget; the warning names
 * what was cut.
 */
export function withReader(open: OpenOptions, readApart: PageReader | undefined): OpenOptions {
  if (readApart !== undefined) return { ...open, readApart, stepsHere: STEPS_HERE };
  const { steps, maxTreeChars } = READ_HERE;
  const { budget = new WorkBudget() } = open;
  return { ...open, budget: budget.within({ steps }), maxTreeChars };
}
