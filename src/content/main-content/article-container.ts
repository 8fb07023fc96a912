/** Pages that declare to be an article have one element around its text, and what is elsewhere must be likelier. */
import { add, sumUpwards } from "./features/element-sums.ts";
import { declaresArticle } from "./features/page-features.ts";
import type { PageMeasures } from "./features/page-measures.ts";

/** Tuned on held-out pages of all sources. */
export const ARTICLE = {
  /** Share of the kept probability, by words, that the article's element holds. */
  share: 0.6,
  /** Least probability of blocks outside of it. */
  outside: 0.6,
};

/** Drops unlikely blocks outside of the deepest element that holds most of what is kept. */
export function dropStraysOfArticle(page: PageMeasures, probabilities: Float32Array, kept: Uint8Array): void {
  if (!declaresArticle(page.head)) return;
  const { outline } = page;
  const article = findArticle(page, probabilities, kept);
  const last = outline.lastDescendants[article]!;
  for (let block = 0; block < kept.length; block++) {
    const { element } = outline.blocks[block]!;
    if ((element < article || element > last) && probabilities[block]! < ARTICLE.outside) kept[block] = 0;
  }
}

/** Returns the deepest element of several blocks that holds most of what is kept. */
function findArticle({ outline, text, sums }: PageMeasures, probabilities: Float32Array, kept: Uint8Array): number {
  const { parents, blocks } = outline;
  const mass = new Float64Array(parents.length);
  for (let block = 0; block < kept.length; block++) {
    if (kept[block] === 1) add(mass, blocks[block]!.element, probabilities[block]! * text.sizes[block]!);
  }
  sumUpwards(parents, [mass]);
  const enough = ARTICLE.share * mass[0]!;
  let article = 0;
  for (let index = 1; index < parents.length; index++) {
    if (parents[index] === article && mass[index]! >= enough && sums.blocks[index]! > 1) article = index;
  }
  return article;
}
