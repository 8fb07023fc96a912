/** The blocks before and after, one by one and in windows. */
import { headingLevel } from "../blocks.ts";
import type { FeatureGroup } from "./feature-group.ts";
import type { PageMeasures } from "./page-measures.ts";

const FAR = [-3, 3];
const NEAR = [-2, -1, 1, 2];
const WINDOWS = [4, 10];
const GOOD_LENGTH = 80;
const MAX_GOOD_DISTANCE = 13;

export const neighbourFeatures: FeatureGroup = {
  names: [
    ...[...FAR, ...NEAR].flatMap((step) => [`at${step}_words`, `at${step}_linkDensity`]),
    ...NEAR.flatMap((step) => [`at${step}_heading`, `at${step}_sibling`, `at${step}_punctuation`]),
    ...WINDOWS.flatMap((reach) => [`window${reach}_good`, `window${reach}_linkDensity`, `window${reach}_length`]),
    "goodBefore",
    "goodAfter",
    "nextGood",
    "previousGood",
  ],
  prepare({ outline, text }) {
    const { blocks, elements, parents } = outline;
    const running = runningSums({ outline, text });
    const parentOf = (block: number) => parents[blocks[block]!.element]!;
    const distances = goodDistances(text.good);
    return (block, matrix, offset) => {
      let at = offset;
      for (const step of [...FAR, ...NEAR]) {
        const other = block + step;
        const inside = other >= 0 && other < blocks.length;
        matrix[at++] = inside ? Math.log1p(text.words[other]!) : -1;
        matrix[at++] = inside ? text.linkDensities[other]! : -1;
      }
      for (const step of NEAR) {
        const other = block + step;
        const inside = other >= 0 && other < blocks.length;
        matrix[at++] = inside ? headingLevel(elements[blocks[other]!.element]!.tag) : 0;
        matrix[at++] = inside && parentOf(other) === parentOf(block) ? 1 : 0;
        matrix[at++] = inside ? text.punctuation[other]! : -1;
      }
      for (const reach of WINDOWS) {
        const from = Math.max(0, block - reach);
        const to = Math.min(blocks.length, block + reach + 1);
        const length = running.length[to]! - running.length[from]!;
        matrix[at++] = (running.good[to]! - running.good[from]!) / length;
        matrix[at++] = (running.linkLength[to]! - running.linkLength[from]!) / length;
        matrix[at++] = Math.log1p(length / (to - from));
      }
      matrix[at++] = Math.log1p(running.good[block]!);
      matrix[at++] = Math.log1p(running.good[blocks.length]! - running.good[block + 1]!);
      matrix[at++] = distances.next[block]!;
      matrix[at++] = distances.previous[block]!;
    };
  },
};

/** Sums over the blocks before each index; one longer than the list of blocks. */
export function runningSums({ outline: { blocks }, text }: Pick<PageMeasures, "outline" | "text">) {
  const length = new Float64Array(blocks.length + 1);
  const linkLength = new Float64Array(blocks.length + 1);
  const good = new Float64Array(blocks.length + 1);
  blocks.forEach((block, index) => {
    length[index + 1] = length[index]! + text.lengths[index]!;
    linkLength[index + 1] = linkLength[index]! + block.linkLength;
    good[index + 1] = good[index]! + text.good[index]!;
  });
  return { length, linkLength, good };
}

/** Steps to the next and to the previous block with much good text, at most 13. */
function goodDistances(good: Float64Array) {
  const next = new Float64Array(good.length);
  const previous = new Float64Array(good.length);
  let steps = MAX_GOOD_DISTANCE;
  for (let block = 0; block < good.length; block++) {
    previous[block] = steps = Math.min(steps + 1, MAX_GOOD_DISTANCE);
    if (good[block]! >= GOOD_LENGTH) steps = 0;
  }
  steps = MAX_GOOD_DISTANCE;
  for (let block = good.length - 1; block >= 0; block--) {
    next[block] = steps = Math.min(steps + 1, MAX_GOOD_DISTANCE);
    if (good[block]! >= GOOD_LENGTH) steps = 0;
  }
  return { next, previous };
}
