/**
 * Selects the images, videos and frames that belong to the kept text. A medium between two kept blocks does; one with a
 * kept block on one side does when most of the text of the smallest surrounding element with text is kept, so that a
 * lead picture stays and the picture of a teaser is dropped with it. Stricter rules select the links that show an icon
 * or nothing: most of them serve the page alone.
 */
import type { PlacedElement } from "../main-content/blocks.ts";
import { add, sumUpwards } from "../main-content/features/element-sums.ts";
import type { PageMeasures } from "../main-content/features/page-measures.ts";

const MOST = 0.5;
/** Characters. A longer text is not a card. */
const MAX_CARD_LENGTH = 1200;

export interface KeptMedia {
  /** True for each of the page's media that is kept. */
  media: boolean[];
  /** True for each of the page's bare links that is kept. */
  bareLinks: boolean[];
}

export function keptMedia(page: PageMeasures, kept: Uint8Array): KeptMedia {
  const { media, bareLinks } = page.outline;
  const keptShares = shareOfKeptText(page, kept);
  return {
    media: media.map(({ element, blocksBefore }) => {
      const before = kept[blocksBefore - 1] === 1;
      const after = kept[blocksBefore] === 1;
      if (before && after) return true;
      if (!before && !after) return false;
      return keptShares[withText(page, element)]! >= MOST;
    }),
    bareLinks: keptBareLinks(page, bareLinks, { kept, keptShares }),
  };
}

/**
 * Selects links without text: one that covers a card, or an icon in a line of text, is alone in surroundings of which
 * most is kept. Several in one place, unless it is a cell, are a bar to share with, or lead on to other pages; one at
 * the edge of a long text leads to the page's top.
 */
function keptBareLinks(
  page: PageMeasures,
  links: readonly PlacedElement[],
  { kept, keptShares }: { kept: Uint8Array; keptShares: Float64Array },
): boolean[] {
  const surroundings = links.map(({ element }) => withText(page, element));
  const isOneOfSeveral = (index: number, neighbour: number): boolean =>
    links[index]!.blocksBefore === links[neighbour]?.blocksBefore && surroundings[index] === surroundings[neighbour];
  return links.map(({ blocksBefore }, index) => {
    const around = surroundings[index]!;
    if (keptShares[around]! < MOST) return false;
    const isBar = isOneOfSeveral(index, index - 1) || isOneOfSeveral(index, index + 1);
    if (isBar) return page.outline.elements[around]!.tag === "td";
    const isBetween = kept[blocksBefore - 1] === 1 && kept[blocksBefore] === 1;
    return isBetween || page.sums.lengths[around]! <= MAX_CARD_LENGTH;
  });
}

/** Returns the smallest element around another one that holds text. */
function withText({ outline, sums, budget }: PageMeasures, element: number): number {
  let around = element;
  while (around > 0 && sums.blocks[around] === 0) around = outline.parents[around]!;
  budget.spend(1 + outline.depths[element]! - outline.depths[around]!);
  return around;
}

function shareOfKeptText({ outline, text, sums }: PageMeasures, kept: Uint8Array): Float64Array {
  const keptLengths = new Float64Array(outline.elements.length);
  outline.blocks.forEach(({ element }, block) => {
    if (kept[block] === 1) add(keptLengths, element, text.lengths[block]!);
  });
  sumUpwards(outline.parents, [keptLengths]);
  return keptLengths.map((length, index) => length / Math.max(1, sums.lengths[index]!));
}
