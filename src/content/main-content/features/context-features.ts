/**
 * Features for the second pass: the first pass's probabilities for the blocks around a block, for its containers, for
 * blocks of the same shape, for its section, and for the page as a whole.
 */
import { chooseThreshold } from "../choose-blocks.ts";
import { findContainers } from "./container-features.ts";
import { type FeatureWriter, writeRows } from "./feature-group.ts";
import { add, sumUpwards } from "./element-sums.ts";
import type { PageMeasures } from "./page-measures.ts";
import { headingsAbove, signedLog } from "./position-features.ts";
import { findRepeated, findRepeatedAround } from "./repetition.ts";
import { orderByProbability } from "../order-by-probability.ts";

const STEPS = [-3, -2, -1, 1, 2, 3];
const REACHES = [2, 5, 12, 30];
const RINGS = [1, 2, 3, 4];
const SIBLING_REACH = 7;
const OUTER_REACH = 10;
const OUTSIDE = -1;

export const CONTEXT_FEATURES: readonly string[] = [
  "first",
  "firstRank",
  "firstAboveThreshold",
  ...STEPS.map((step) => `first${step}`),
  ...REACHES.map((reach) => `firstWindow${reach}`),
  ...RINGS.map((ring) => `firstRing${ring}`),
  "firstShape",
  "firstSiblings",
  "firstMember",
  "firstOuterSiblings",
  "firstHeading",
  "firstSection",
  "contentPosition",
  "sinceContent",
  "untilContent",
  "pageExpectedF1",
  "pageThreshold",
  "pageContentShare",
  "pageContentWords",
  "pageDoubt",
];

/** Writes `CONTEXT_FEATURES`. `probabilities` are those of the first pass, one for each block. */
export function prepareContextFeatures(page: PageMeasures, probabilities: Float32Array): FeatureWriter {
  const context = prepareContext(page, probabilities);
  let known = -1;
  const containers = new Int32Array(RINGS.length + 1);
  const rings = new Float64Array(RINGS.length);
  let row: LikeItems = { member: OUTSIDE, outer: OUTSIDE };
  return (block, matrix, offset) => {
    const { element } = page.outline.blocks[block]!;
    if (element !== known) {
      findContainers(page, element, containers);
      for (let ring = 0; ring < rings.length; ring++) rings[ring] = context.elementMeans[containers[ring + 1]!]!;
      row = likeItemsAround(page, context.elementMeans, element);
      known = element;
    }
    writeRow(context, { block, rings, row, matrix, offset });
  };
}

/** Returns one row of `CONTEXT_FEATURES` per block. */
export function computeContextFeatures(page: PageMeasures, probabilities: Float32Array): Float32Array {
  const rows = probabilities.length;
  const width = CONTEXT_FEATURES.length;
  const matrix = new Float32Array(rows * width);
  writeRows([{ write: prepareContextFeatures(page, probabilities), column: 0 }], { matrix, width, start: 0, rows });
  return matrix;
}

type Context = ReturnType<typeof prepareContext>;

/** Mean probabilities of the item around a block in a row of like items, and of the row that this row is an item of. */
interface LikeItems {
  member: number;
  outer: number;
}

function likeItemsAround({ outline, repetition }: PageMeasures, means: Float64Array, element: number): LikeItems {
  const inner = findRepeated(repetition, outline, { from: element, reach: SIBLING_REACH });
  if (inner === undefined) return { member: OUTSIDE, outer: OUTSIDE };
  const { index } = inner;
  const outer = findRepeatedAround(repetition, outline, { index, reach: OUTER_REACH });
  return { member: means[index]!, outer: outer === undefined ? OUTSIDE : means[outline.parents[outer.index]!]! };
}

interface Row {
  block: number;
  rings: Float64Array;
  row: LikeItems;
  matrix: Float32Array;
  offset: number;
}

function writeRow(context: Context, { block, rings, row, matrix, offset }: Row): void {
  const { probabilities, count } = context;
  const own = probabilities[block]!;
  let column = offset;
  matrix[column++] = own;
  matrix[column++] = context.ranks[block]!;
  matrix[column++] = own - context.threshold;
  for (const step of STEPS) {
    const near = block + step;
    matrix[column++] = near >= 0 && near < count ? probabilities[near]! : OUTSIDE;
  }
  for (const reach of REACHES) {
    matrix[column++] = context.meanBetween(Math.max(0, block - reach), Math.min(count, block + reach + 1));
  }
  for (let ring = 0; ring < rings.length; ring++) matrix[column++] = rings[ring]!;
  matrix[column++] = context.shapeMeans[block]!;
  matrix[column++] = context.siblingMeans[block]!;
  matrix[column++] = row.member;
  matrix[column++] = row.outer;
  const heading = context.heading[block]!;
  matrix[column++] = heading >= 0 ? probabilities[heading]! : OUTSIDE;
  matrix[column++] = context.sectionMeans[block]!;
  matrix[column++] = context.contentBefore(block);
  matrix[column++] = signedLog(context.sinceContent[block]!);
  matrix[column++] = signedLog(context.untilContent[block]!);
  matrix.set(context.page, column);
}

function prepareContext(page: PageMeasures, probabilities: Float32Array) {
  const { outline, text } = page;
  const count = outline.blocks.length;
  const words = new Float64Array(count + 1);
  const content = new Float64Array(count + 1);
  let doubtful = 0;
  for (let block = 0; block < count; block++) {
    const probability = probabilities[block]!;
    words[block + 1] = words[block]! + text.sizes[block]!;
    content[block + 1] = content[block]! + text.sizes[block]! * probability;
    if (probability > 0.2 && probability < 0.8) doubtful += text.sizes[block]!;
  }
  const meanBetween = (from: number, to: number) => (content[to]! - content[from]!) / (words[to]! - words[from]! || 1);
  const { threshold, expectedF1 } = chooseThreshold(probabilities, text.sizes);
  const heading = headingsAbove(page);
  const meanOf = (groups: Int32Array) => groupMeans(groups, probabilities, text.sizes);
  const near = contentDistances(probabilities);
  return {
    probabilities,
    count,
    threshold,
    heading,
    meanBetween,
    elementMeans: elementMeans(page, probabilities),
    ranks: rankByProbability(probabilities, text.sizes),
    shapeMeans: meanOf(page.repetition.shapeOf),
    siblingMeans: meanOf(groupBySiblings(page)),
    sectionMeans: meanOf(heading.map((block) => block + 1)),
    contentBefore: (block: number) => content[block]! / (content[count]! || 1),
    sinceContent: near.since,
    untilContent: near.until,
    page: [
      expectedF1,
      threshold,
      content[count]! / (words[count]! || 1),
      Math.log1p(content[count]!),
      doubtful / (words[count]! || 1),
    ],
  };
}

/** Returns for each block the number of the innermost row of like siblings around it; a separate number without one. */
function groupBySiblings({ outline, repetition }: PageMeasures): Int32Array {
  const { elements, blocks } = outline;
  const groups = new Int32Array(blocks.length);
  for (let block = 0; block < groups.length; block++) {
    const found = findRepeated(repetition, outline, { from: blocks[block]!.element, reach: SIBLING_REACH });
    groups[block] = found === undefined ? elements.length + block : found.unit.first;
  }
  return groups;
}

/** Returns the mean probability, by words, of the blocks of each block's group; groups have numbers from 0 on. */
function groupMeans(groups: Int32Array, probabilities: Float32Array, words: Float64Array): Float64Array {
  let most = 0;
  for (let block = 0; block < groups.length; block++) if (groups[block]! > most) most = groups[block]!;
  const content = new Float64Array(most + 1);
  const total = new Float64Array(most + 1);
  for (let block = 0; block < groups.length; block++) {
    add(content, groups[block]!, probabilities[block]! * words[block]!);
    add(total, groups[block]!, words[block]!);
  }
  const means = new Float64Array(groups.length);
  for (let block = 0; block < groups.length; block++) means[block] = content[groups[block]!]! / total[groups[block]!]!;
  return means;
}

/** Returns the mean probability, by words, of the blocks inside each element. */
function elementMeans({ outline, text }: PageMeasures, probabilities: Float32Array): Float64Array {
  const content = new Float64Array(outline.elements.length);
  const words = new Float64Array(outline.elements.length);
  outline.blocks.forEach(({ element }, block) => {
    add(content, element, probabilities[block]! * text.sizes[block]!);
    add(words, element, text.sizes[block]!);
  });
  sumUpwards(outline.parents, [content, words]);
  return content.map((sum, element) => (words[element] === 0 ? OUTSIDE : sum / words[element]!));
}

/** Returns the share of the page's words in blocks of a higher probability. */
function rankByProbability(probabilities: Float32Array, words: Float64Array): Float64Array {
  const ranks = new Float64Array(probabilities.length);
  let above = 0;
  for (const block of orderByProbability(probabilities)) {
    ranks[block] = above;
    above += words[block]!;
  }
  for (let block = 0; block < ranks.length; block++) ranks[block] = ranks[block]! / (above || 1);
  return ranks;
}

/** Returns the steps back and forward to a block that the first pass takes for content. */
function contentDistances(probabilities: Float32Array) {
  const count = probabilities.length;
  const since = new Float64Array(count);
  const until = new Float64Array(count);
  let steps = count;
  for (let block = 0; block < count; block++) {
    since[block] = ++steps;
    if (probabilities[block]! >= 0.5) steps = 0;
  }
  steps = count;
  for (let block = count - 1; block >= 0; block--) {
    until[block] = ++steps;
    if (probabilities[block]! >= 0.5) steps = 0;
  }
  return { since, until };
}
