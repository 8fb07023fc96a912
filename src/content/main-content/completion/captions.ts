import { headingLevel, type PageOutline, testOnce } from "../blocks.ts";
import type { ElementNode } from "../../html/tree/tree.ts";
import type { ChoiceToComplete } from "./completion.ts";

/** A caption less likely than this is repeated from a list of pictures, or names the agency alone. */
const MIN_PROBABILITY = 0.25;
const FIGURE_CLASS = /(?:^|\s)(?:wp-caption|figure|image-caption-container)(?:\s|$)/;
/** Elements between a caption's text and its figure. */
const REACH = 6;
/** Characters. Longer texts in figures are judged separately. */
const MAX_LENGTH = 300;
/** Blocks of a figure: a caption, its source and the like. Figures with more are galleries or drawn user interfaces. */
const MAX_BLOCKS = 4;
/** Blocks between a figure and the kept text on each side: an advertisement, or another figure. */
const MAX_BETWEEN = 2;

/** Keeps likely captions of figures that are between kept blocks. */
export function keepCaptions({ page: { outline }, probabilities, kept }: ChoiceToComplete): void {
  const chosen = kept.slice();
  const isFigure = testOnce((tag, classes) => tag === "figure" || FIGURE_CLASS.test(classes));
  outline.blocks.forEach(({ text }, block) => {
    if (kept[block] === 1 || probabilities[block]! < MIN_PROBABILITY || text.length > MAX_LENGTH) return;
    const figure = figureAround(outline, block, isFigure);
    if (figure !== -1 && isBetweenKept(outline, { figure, block, chosen })) kept[block] = 1;
  });
}

/** Returns the nearest figure around a block that is no heading; -1 for other blocks. */
function figureAround(
  { elements, parents, blocks }: PageOutline,
  block: number,
  isFigure: (element: ElementNode) => boolean,
): number {
  let index = blocks[block]!.element;
  for (let step = 0; index > 0 && step < REACH; step++, index = parents[index]!) {
    const element = elements[index]!;
    if (headingLevel(element.tag) > 0) return -1;
    if (isFigure(element)) return index;
  }
  return -1;
}

function isBetweenKept(
  { blocks, lastDescendants }: PageOutline,
  { figure, block, chosen }: { figure: number; block: number; chosen: Uint8Array },
): boolean {
  let first = block;
  while (first > 0 && block - first < MAX_BLOCKS && blocks[first - 1]!.element >= figure) first--;
  let end = block + 1;
  while (end < blocks.length && end - first <= MAX_BLOCKS && blocks[end]!.element <= lastDescendants[figure]!) end++;
  if (end - first > MAX_BLOCKS) return false;
  const isNear = (from: number) => chosen.subarray(Math.max(0, from), from + MAX_BETWEEN + 1).includes(1);
  return isNear(first - 1 - MAX_BETWEEN) && isNear(end);
}
