/** The quantities of a page that several groups of features read: per block, per element and as totals. */
import { outlinePage, type PageOutline } from "../blocks.ts";
import type { HtmlTree } from "../tree.ts";
import { collectTextFacts, type TextFacts } from "./text-facts.ts";

/** Sums over the blocks inside each element. */
export interface ElementSums {
  blocks: Float64Array;
  lengths: Float64Array;
  linkLengths: Float64Array;
  good: Float64Array;
}

export interface PageMeasures {
  outline: PageOutline;
  head: HtmlTree["head"];
  url: string;
  text: TextFacts;
  sums: ElementSums;
  /** Sums over all blocks; the lengths are at least 1, so that they can divide. */
  totals: { words: number; length: number; linkLength: number; good: number };
}

export function measurePage(tree: HtmlTree, url: string): PageMeasures {
  const outline = outlinePage(tree.root);
  const text = collectTextFacts(outline.blocks);
  const sums = sumElements(outline, text);
  const words = text.words.reduce((sum, count) => sum + count, 0);
  const totals = {
    words,
    length: Math.max(1, sums.lengths[0] ?? 0),
    linkLength: sums.linkLengths[0] ?? 0,
    good: sums.good[0] ?? 0,
  };
  return { outline, head: tree.head, url, text, sums, totals };
}

function sumElements(outline: PageOutline, text: TextFacts): ElementSums {
  const numbers = () => new Float64Array(outline.elements.length);
  const sums: ElementSums = { blocks: numbers(), lengths: numbers(), linkLengths: numbers(), good: numbers() };
  outline.blocks.forEach(({ element, linkLength }, index) => {
    add(sums.blocks, element, 1);
    add(sums.lengths, element, text.lengths[index]!);
    add(sums.linkLengths, element, linkLength);
    add(sums.good, element, text.good[index]!);
  });
  sumUpwards(outline, [sums.blocks, sums.lengths, sums.linkLengths, sums.good]);
  return sums;
}

/** Adds each element's value to its parent's. Children come after their parents, so one pass backwards is enough. */
export function sumUpwards({ parents }: PageOutline, arrays: Float64Array[]): void {
  for (let index = parents.length - 1; index > 0; index--) {
    for (const array of arrays) add(array, parents[index]!, array[index]!);
  }
}

/** `array[index] += value` for an index that is known to be inside. */
export function add(array: Float64Array, index: number, value: number): void {
  array[index] = array[index]! + value;
}
