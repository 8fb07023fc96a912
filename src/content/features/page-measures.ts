/** The quantities of a page that several groups of features read: per block, per element and as totals. */
import { outlinePage, type PageOutline } from "../blocks.ts";
import type { HtmlTree } from "../tree.ts";
import { type ElementNames, nameElements } from "./element-names.ts";
import { type ElementSums, sumElements } from "./element-sums.ts";
import { collectHeadWords } from "./head-words.ts";
import { measureRepetition, type Repetition } from "./repetition.ts";
import { collectTextFacts, type TextFacts } from "./text-facts.ts";

export interface PageMeasures {
  outline: PageOutline;
  head: HtmlTree["head"];
  url: string;
  text: TextFacts;
  sums: ElementSums;
  names: ElementNames;
  repetition: Repetition;
  /** Sums over all blocks; the length is at least 1, so that it can divide. */
  totals: { words: number; length: number; linkLength: number; good: number };
}

export function measurePage(tree: HtmlTree, url: string): PageMeasures {
  const outline = outlinePage(tree.root);
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
  return { outline, head: tree.head, url, text, sums, names, repetition, totals };
}
