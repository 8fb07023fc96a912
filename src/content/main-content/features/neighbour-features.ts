/** The blocks before and after: the next one, windows, and where the good text is. */
import type { FeatureGroup } from "./feature-group.ts";
import type { PageMeasures } from "./page-measures.ts";

const WINDOWS = [4, 10];
const GOOD_LENGTH = 80;
const MAX_GOOD_DISTANCE = 13;
const OUTSIDE = -1;

export const neighbourFeatures: FeatureGroup = {
  names: [
    "nextWords",
    "nextLinkDensity",
    "nextIsSibling",
    ...WINDOWS.flatMap((reach) => [`window${reach}_good`, `window${reach}_linkDensity`, `window${reach}_length`]),
    "goodBefore",
    "goodAfter",
    "untilGood",
  ],
  prepare({ outline, text }) {
    const { blocks, parents } = outline;
    const running = runningSums({ outline, text });
    const parentOf = (block: number) => parents[blocks[block]!.element]!;
    const untilGood = stepsUntilGood(text.good);
    return (block, matrix, offset) => {
      let at = offset;
      const next = block + 1;
      const isLast = next === blocks.length;
      matrix[at++] = isLast ? OUTSIDE : Math.log1p(text.words[next]!);
      matrix[at++] = isLast ? OUTSIDE : text.linkDensities[next]!;
      matrix[at++] = !isLast && parentOf(next) === parentOf(block) ? 1 : 0;
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
      matrix[at++] = untilGood[block]!;
    };
  },
};

/** Returns sums over the blocks before each index; one longer than the list of blocks. */
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

/** Returns the steps to the next block with much good text, at most 13. */
function stepsUntilGood(good: Float64Array): Uint8Array {
  const distances = new Uint8Array(good.length);
  let steps = MAX_GOOD_DISTANCE;
  for (let block = good.length - 1; block >= 0; block--) {
    distances[block] = steps = Math.min(steps + 1, MAX_GOOD_DISTANCE);
    if (good[block]! >= GOOD_LENGTH) steps = 0;
  }
  return distances;
}
