import type { MainContent } from "./main-content.ts";
/**
 * Finds the main content of a page: the text that a reader came for, without navigation, advertisements, teasers,
 * banners and forms. The page is cut into blocks, each block is described by some hundred numbers, boosted trees turn
 * these into a probability, a second set of trees corrects it by the first one's results for the surroundings, and the
 * cut with the highest expected F1 decides. Trained with `npm run train`; the model file names its data and its scores.
 *
 * The tree is not changed. The result lists what to leave out in two forms: text runs (the text children of an element
 * that are not main content), and the topmost elements that hold text or media of which nothing is kept, with the links
 * that show neither and serve the page alone. An element that is in neither, such as an empty cell or a rule, stays
 * where its surroundings stay.
 */
import type { WorkBudget } from "../../core/work-budget.ts";
import { chooseBlocks } from "./choose-blocks.ts";
import { completeChoice } from "./complete-choice.ts";
import { sumUpwards } from "./features/element-sums.ts";
import { measurePage, type PageMeasures } from "./features/page-measures.ts";
import { keptMedia } from "../html/kept-media.ts";
import { scoreBlocks } from "./score-blocks.ts";
import type { MainContentModel } from "./model/load-model.ts";
import type { SiteTemplate } from "./site-template.ts";
import type { ElementNode, HtmlTree } from "../html/tree/tree.ts";

export interface FindOptions {
  /** The template learned from other pages of the site. */
  site?: SiteTemplate | undefined;
  budget?: WorkBudget;
  /** Another model than the shipped one, to measure it. */
  model?: MainContentModel | undefined;
}

/**
 * Decides what to leave out of a page. Of a page with any visible text at least one block is kept.
 * @throws AppError `SCRAPE_WORK_LIMIT` when the budget is spent.
 */
export function findMainContent(tree: HtmlTree, url: string, { site, budget, model }: FindOptions = {}): MainContent {
  const page = measurePage(tree, url, budget);
  const scores = scoreBlocks(page, model);
  const corrected = site?.correct(scores, page.outline, page.text.sizes) ?? scores;
  const { kept, confidence, repeatedShare } = chooseBlocks(page, corrected);
  page.budget.spend(page.outline.elements.length);
  completeChoice(page, corrected, kept);
  const droppedText = listDroppedText(page, kept);
  return { confidence, repeatedShare, droppedText, droppedElements: listDroppedElements(page, kept) };
}

/** Sets of one index each, which the elements share that leave out one text: a set for each of them takes much memory. */
const SINGLE_INDEXES: readonly ReadonlySet<number>[] = Array.from({ length: 8 }, (_, index) => new Set([index]));

function listDroppedText({ outline }: PageMeasures, kept: Uint8Array): Map<ElementNode, ReadonlySet<number>> {
  const dropped = new Map<ElementNode, ReadonlySet<number>>();
  const several = new Map<ElementNode, Set<number>>();
  outline.blocks.forEach(({ runs }, block) => {
    if (kept[block] === 1) return;
    for (const { parent, childIndex } of runs) {
      const element = outline.elements[parent]!;
      const indexes = dropped.get(element);
      if (indexes === undefined) {
        dropped.set(element, SINGLE_INDEXES[childIndex] ?? new Set([childIndex]));
        continue;
      }
      const own = several.get(element);
      if (own !== undefined) {
        own.add(childIndex);
        continue;
      }
      const both = new Set(indexes).add(childIndex);
      several.set(element, both);
      dropped.set(element, both);
    }
  });
  return dropped;
}

function listDroppedElements(page: PageMeasures, kept: Uint8Array): Set<ElementNode> {
  const { elements, parents } = page.outline;
  const keptParts = keptMedia(page, kept);
  const { held, heldAndKept } = countHeld(page, kept, keptParts.media);
  const dropped = new Set<ElementNode>();
  const isInside = new Uint8Array(elements.length);
  for (let index = 1; index < elements.length; index++) {
    const insideDropped = isInside[parents[index]!] === 1;
    if (!insideDropped && (held[index] === 0 || heldAndKept[index]! > 0)) continue;
    isInside[index] = 1;
    if (!insideDropped) dropped.add(elements[index]!);
  }
  page.outline.bareLinks.forEach(({ element }, index) => {
    if (!keptParts.bareLinks[index]! && isInside[element] === 0) dropped.add(elements[element]!);
  });
  return dropped;
}

/** Returns for each element the number of text runs and media in it, and the number of kept ones. */
function countHeld(
  page: PageMeasures,
  kept: Uint8Array,
  mediaKept: readonly boolean[],
): { held: Float64Array; heldAndKept: Float64Array } {
  const { elements, blocks, media } = page.outline;
  const held = new Float64Array(elements.length);
  const heldAndKept = new Float64Array(elements.length);
  const count = (index: number, isKept: boolean) => {
    held[index] = held[index]! + 1;
    if (isKept) heldAndKept[index] = heldAndKept[index]! + 1;
  };
  for (let block = 0; block < blocks.length; block++) {
    const { runs } = blocks[block]!;
    const isKept = kept[block] === 1;
    for (let run = 0; run < runs.length; run++) count(runs[run]!.parent, isKept);
  }
  media.forEach(({ element }, index) => count(element, mediaKept[index]!));
  sumUpwards(page.outline.parents, [held, heldAndKept]);
  return { held, heldAndKept };
}
