/**
 * Which images, videos and frames belong to the kept text. One that stands between two kept blocks does; one that touches a
 * kept block on one side does when most of the text of the smallest element around it that has text is kept, so that a
 * lead picture stays and the picture of a teaser goes with its teaser.
 */
import { add, sumUpwards } from "./features/element-sums.ts";
import type { PageMeasures } from "./features/page-measures.ts";

const MOST = 0.5;

/** One answer for each of the page's media. */
export function keptMedia(page: PageMeasures, kept: Uint8Array): boolean[] {
  const { outline, sums } = page;
  const keptShares = shareOfKeptText(page, kept);
  return outline.media.map(({ element, blocksBefore }) => {
    const before = kept[blocksBefore - 1] === 1;
    const after = kept[blocksBefore] === 1;
    if (before && after) return true;
    if (!before && !after) return false;
    let around = element;
    while (around > 0 && sums.blocks[around] === 0) around = outline.parents[around]!;
    return keptShares[around]! >= MOST;
  });
}

function shareOfKeptText({ outline, text, sums }: PageMeasures, kept: Uint8Array): Float64Array {
  const keptLengths = new Float64Array(outline.elements.length);
  outline.blocks.forEach(({ element }, block) => {
    if (kept[block] === 1) add(keptLengths, element, text.lengths[block]!);
  });
  sumUpwards(outline.parents, [keptLengths]);
  return keptLengths.map((length, index) => length / Math.max(1, sums.lengths[index]!));
}
