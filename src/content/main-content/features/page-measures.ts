/** The quantities of a page that several groups of features read: per block, per element and as totals. */
import { WorkBudget } from "../../../core/work-budget.ts";
import { outlinePage, type PageOutline } from "../blocks.ts";
import type { HtmlTree } from "../../html/tree/tree.ts";
import { type ElementNames, nameElements } from "./element-names.ts";
import { type ElementSums, sumElements } from "./element-sums.ts";
import { collectHeadWords } from "./words/head-words.ts";
import { measureRepetition, type Repetition } from "./repetition.ts";
import { collectTextFacts, type TextFacts } from "./text-facts.ts";

export interface PageMeasures {
  outline: PageOutline;
  head: HtmlTree["head"];
  url: string;
  /** Counts the work of everything that reads these measures. */
  budget: WorkBudget;
  text: TextFacts;
  sums: ElementSums;
  names: ElementNames;
  repetition: Repetition;
  /** Sums over all blocks; the length is at least 1, so that it can divide. */
  totals: { words: number; length: number; linkLength: number; good: number };
}

/** Work per element: its names, its sums and what repeats. */
const STEPS_PER_ELEMENT = 8;
/** Characters of text that are examined in the time of a step. */
const CHARS_PER_STEP = 4;

/** @throws AppError `SCRAPE_WORK_LIMIT` when the budget is spent. */
export function measurePage(tree: HtmlTree, url: string, budget: WorkBudget = new WorkBudget()): PageMeasures {
  const outline = outlinePage(tree.root, budget);
  budget.spend(STEPS_PER_ELEMENT * outline.elements.length);
  for (const { text } of outline.blocks) budget.spend(1 + Math.ceil(text.length / CHARS_PER_STEP));
  const text = collectTextFacts(outline.blocks, collectHeadWords(tree.head));
  const sums = sumElements(outline, text);
  const names = nameElements(outline, sums);
  const repetition = measureRepetition({ outline, text, sums, names });
  const totals = {
    words: text.words.reduce((sum, count) => sum + count, 0),
    length: Math.max(1, sums.lengths[0] ?? 0),
    linkLength: sums.linkLengths[0] ?? 0,
    good: sums.good[0] ?? 0,
  };
  return { outline, head: tree.head, url, budget, text, sums, names, repetition, totals };
}
