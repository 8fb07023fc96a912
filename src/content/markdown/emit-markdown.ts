import type { Cleaned } from "../html/cleaned.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import { joinBlocks } from "./block.ts";
import { Flow } from "./flow.ts";
import { writeElement } from "./inline/inline.ts";
import { createMarkdownPage } from "./page.ts";

export interface MarkdownOptions {
  baseUrl: string;
  /** Pictures in `data:` addresses are replaced by a note that keeps their description. */
  removeBase64Images: boolean;
  /** Budget for writing; parts that exceed it are left out and recorded in it. */
  budget?: WorkBudget | undefined;
}

/**
 * Writes the kept parts of a page as CommonMark with GFM, ending in a line end; empty for an empty page. Deterministic,
 * linear in the size of the page. Recursion is bounded: the tree is at most 512 deep. Buttons are commands and are left
 * out, unless the page has nothing else.
 */
export function emitMarkdown(cleaned: Cleaned, options: MarkdownOptions): string {
  return write(cleaned, options) || write(cleaned, { ...options, keepsButtons: true });
}

function write(cleaned: Cleaned, options: MarkdownOptions & { keepsButtons?: boolean }): string {
  const flow = new Flow(createMarkdownPage(cleaned, options), 0, false);
  for (const root of cleaned.roots) {
    writeElement(flow, root);
    flow.endParagraph();
  }
  const { blocks } = flow;
  const first = blocks.findIndex(({ kind }) => kind !== "rule");
  const last = blocks.findLastIndex(({ kind }) => kind !== "rule");
  return first === -1 ? "" : `${joinBlocks(blocks.slice(first, last + 1))}\n`;
}
