import { once } from "../../once.ts";
import { levelOf, isNearElement, type PageOutline } from "../blocks.ts";
import type { PageMeasures } from "../features/page-measures.ts";
import type { ChoiceToComplete } from "./completion.ts";

/** A text less likely than this is a slogan or the start of another article. */
const MIN_PROBABILITY = 0.1;
/** Blocks below the title: a section, a date and a byline may come between. */
const REACH = 8;
const MIN_LENGTH = 30;
const MAX_LENGTH = 600;
const DESCRIPTION = /^(?:og:|twitter:)?description$/i;
const STANDFIRST_CLASS =
  /(?:^|[\s_-])(?:sub-?(?:title|head(?:line|ing)?)|standfirst|dec?k|lead|lede|intro(?:duction)?|excerpt|chapeau|vorspann|perex|entradilla|ingress|sommario)(?:$|[\s_-])/i;

/**
 * Keeps the summary between a title and its text: a block that is the page's own description, or is named so, and that
 * is followed by kept text.
 */
export function keepStandfirst({ page, probabilities, kept }: ChoiceToComplete): void {
  const { outline } = page;
  const title = outline.blocks.findIndex((_, block) => kept[block] === 1 && levelOf(outline, block) === 1);
  if (title === -1) return;
  const descriptions = once(() => descriptionsOf(page));
  for (let block = title + 1; block <= title + REACH && block < kept.length; block++) {
    if (kept[block] === 1) {
      // The summary is above the text.
      if (outline.blocks[block]!.text.length >= MIN_LENGTH && levelOf(outline, block) === 0) return;
      continue;
    }
    if (probabilities[block]! < MIN_PROBABILITY || !isStandfirst(outline, block, descriptions)) continue;
    kept[block] = 1;
    return;
  }
}

function isStandfirst(outline: PageOutline, block: number, descriptions: () => readonly string[]): boolean {
  const { text, insideLink, linkLength } = outline.blocks[block]!;
  if (insideLink || linkLength * 2 > text.length || text.length < MIN_LENGTH || text.length > MAX_LENGTH) return false;
  const start = normalised(text).slice(0, 60);
  if (descriptions().some((description) => description.startsWith(start))) return true;
  return isNearElement(outline, block, ({ attributes }) => {
    const { class: classes, itemprop } = attributes;
    return itemprop === "description" || itemprop === "alternativeHeadline" || STANDFIRST_CLASS.test(classes ?? "");
  });
}

function descriptionsOf({ head }: PageMeasures): string[] {
  return head.metas.flatMap(({ name, property, content }) =>
    DESCRIPTION.test(property ?? name ?? "") && content !== undefined ? [normalised(content)] : [],
  );
}

function normalised(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
