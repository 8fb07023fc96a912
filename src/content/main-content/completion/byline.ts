import { levelOf, isNearElement, type PageOutline } from "../blocks.ts";
import type { ElementNode } from "../../html/tree/tree.ts";
import type { ChoiceToComplete } from "./completion.ts";

/** Below this the name belongs to a teaser or a comment; the metadata of the page has the author in any case. */
const MIN_PROBABILITY = 0.15;
/** Blocks below and above the title. */
const REACH = 8;
const REACH_ABOVE = 3;
const MAX_LENGTH = 120;
const AUTHOR = /(?:^|[\s_-])(?:author|byline|writer|contributor)(?:s?$|s?[\s_-]|__?name)/i;

/** Keeps the likeliest byline beside a kept title, unless one is kept already. */
export function keepByline({ page: { outline }, probabilities, kept }: ChoiceToComplete): void {
  const title = outline.blocks.findIndex((_, block) => kept[block] === 1 && levelOf(outline, block) === 1);
  if (title === -1) return;
  let best = -1;
  for (let block = Math.max(0, title - REACH_ABOVE); block <= title + REACH && block < kept.length; block++) {
    if (!isByline(outline, block)) continue;
    if (kept[block] === 1) return;
    if (probabilities[block]! >= MIN_PROBABILITY && (best === -1 || probabilities[block]! > probabilities[best]!))
      best = block;
  }
  if (best !== -1) kept[best] = 1;
}

function isByline(outline: PageOutline, block: number): boolean {
  return outline.blocks[block]!.text.length <= MAX_LENGTH && isNearElement(outline, block, namesAuthor);
}

function namesAuthor({ attributes: { rel, itemprop, class: classes } }: ElementNode): boolean {
  return rel === "author" || itemprop === "author" || AUTHOR.test(classes ?? "");
}
