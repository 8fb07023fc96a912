/** Shares of the page, and of its good text, in the containers around the block. */
import type { PageOutline } from "../blocks.ts";
import { type FeatureGroup, writePerElement } from "./feature-group.ts";
import type { PageMeasures } from "./page-measures.ts";

const RINGS = [0, 1, 2, 3, 4];
/** A core is found by descending while one child keeps this share of the page's good text. */
export const CORE_SHARES = [0.9, 0.7, 0.45];

export const containerFeatures: FeatureGroup = {
  names: [
    ...RINGS.flatMap((ring) =>
      ["blocks", "share", "linkDensity", "goodDensity", "goodShare"].map((name) => `ring${ring}_${name}`),
    ),
    ...CORE_SHARES.slice(1).map((share) => `inCore${share * 100}`),
    "stepsBelowCore",
    "branchSide",
    "branchShare",
    "branchLinkDensity",
    "branchGoodShare",
    "branchBlocks",
    "branchDepth",
  ],
  prepare(page) {
    const cores = CORE_SHARES.map((share) => findCore(page, share));
    const onCorePath = markPath(page.outline, cores[2]!);
    const containers = new Int32Array(RINGS.length);
    return writePerElement(page, containerFeatures.names.length, (element, values) => {
      findContainers(page, element, containers);
      describeContainers(page, element, { containers, cores, onCorePath, values });
    });
  },
};

interface Surroundings {
  containers: Int32Array;
  cores: number[];
  onCorePath: Uint8Array;
  values: Float32Array;
}

function describeContainers(
  page: PageMeasures,
  element: number,
  { containers, cores, onCorePath, values }: Surroundings,
): void {
  const { outline, sums, totals } = page;
  let at = 0;
  for (let ring = 0; ring < containers.length; ring++) {
    const container = containers[ring]!;
    const length = Math.max(1, sums.lengths[container]!);
    values[at++] = Math.log1p(sums.blocks[container]!);
    values[at++] = length / totals.length;
    values[at++] = sums.linkLengths[container]! / length;
    values[at++] = sums.good[container]! / length;
    values[at++] = totals.good > 0 ? sums.good[container]! / totals.good : 0;
  }
  for (let index = 1; index < cores.length; index++) {
    const core = cores[index]!;
    values[at++] = element >= core && element <= outline.lastDescendants[core]! ? 1 : 0;
  }
  const { joint, branch } = leaveCore(outline, element, onCorePath);
  const core = cores[2]!;
  const branchLength = Math.max(1, sums.lengths[branch]!);
  values[at++] = outline.depths[core]! - outline.depths[joint]!;
  values[at++] = branch < core ? -1 : branch > outline.lastDescendants[core]! ? 1 : 0;
  values[at++] = branchLength / totals.length;
  values[at++] = sums.linkLengths[branch]! / branchLength;
  values[at++] = totals.good > 0 ? sums.good[branch]! / totals.good : 0;
  values[at++] = Math.log1p(sums.blocks[branch]!);
  values[at++] = outline.depths[element]! - outline.depths[branch]!;
}

/**
 * Writes the nearest ancestors (the element included) that each hold more blocks than the one before; the root fills
 * up.
 */
export function findContainers({ outline: { parents }, sums }: PageMeasures, element: number, found: Int32Array): void {
  let count = 0;
  let blocks = -1;
  for (let index = element; index >= 0 && count < found.length; index = parents[index]!) {
    if (sums.blocks[index] === blocks) continue;
    found[count++] = index;
    blocks = sums.blocks[index]!;
  }
  found.fill(0, count);
}

/**
 * Returns the deepest element reached from the root by following the child with at least `share` of the page's good
 * text.
 */
export function findCore({ outline, sums, totals }: PageMeasures, share: number): number {
  if (totals.good === 0) return 0;
  const enough = share * totals.good;
  let core = 0;
  for (let index = 1; index < outline.elements.length; index++) {
    if (outline.parents[index] === core && sums.good[index]! >= enough) core = index;
  }
  return core;
}

function markPath({ elements, parents }: PageOutline, end: number): Uint8Array {
  const path = new Uint8Array(elements.length);
  for (let index = end; index >= 0; index = parents[index]!) path[index] = 1;
  return path;
}

/**
 * Returns where the path up from the element meets the core's path (`joint`), and the last element before it
 * (`branch`).
 */
function leaveCore({ parents }: PageOutline, element: number, onCorePath: Uint8Array) {
  let branch = element;
  let joint = element;
  while (onCorePath[joint] === 0) {
    branch = joint;
    joint = parents[joint]!;
  }
  return { joint, branch };
}
