/**
 * Position of the block in the page: from its start, from the h1, from the first and last good text, under which
 * heading.
 */
import { headingLevel, isBlockTag } from "../blocks.ts";
import type { FeatureGroup } from "./feature-group.ts";
import { runningSums } from "./neighbour-features.ts";
import type { PageMeasures } from "./page-measures.ts";
import { MAX_KEPT_WORDS } from "./words/text-scan.ts";
import { type OddsSummary, summarizeOdds } from "./words/word-odds.ts";

const NO_H1 = -99;
const NO_HEADING = 99;
const GOOD_LENGTH = 80;

export const positionFeatures: FeatureGroup = {
  names: [
    "blockPosition",
    "textPosition",
    "goodPosition",
    "fromH1",
    "fromFirstGood",
    "fromLastGood",
    "sinceHeading",
    "headingWords",
    "headingLinkDensity",
    "headingOddsSum",
    "headingOddsHigh",
    "headingOddsLow",
    "underLevel",
    "stepsToTitle",
    "titleJointShare",
    "titleJointGoodShare",
    "titleJointDepth",
    "earlierCopies",
  ],
  prepare(page, { headings }) {
    const { outline, text, totals } = page;
    const { blocks } = outline;
    const running = runningSums(page);
    const h1 = findTitleBlock(page);
    const firstGood = text.good.findIndex((length) => length >= GOOD_LENGTH);
    const lastGood = text.good.findLastIndex((length) => length >= GOOD_LENGTH);
    const lastHeadings = headingsAbove(page);
    const odds = new Map<number, OddsSummary>();
    const joints = jointsWith(page, h1 < 0 ? 0 : blocks[h1]!.element);
    return (block, matrix, offset) => {
      let at = offset;
      matrix[at++] = block / blocks.length;
      matrix[at++] = running.length[block]! / totals.length;
      matrix[at++] = totals.good > 0 ? running.good[block]! / totals.good : 0;
      matrix[at++] = h1 < 0 ? NO_H1 : signedLog(block - h1);
      matrix[at++] = firstGood < 0 ? 0 : signedLog(block - firstGood);
      matrix[at++] = lastGood < 0 ? 0 : signedLog(block - lastGood);
      const heading = lastHeadings[block]!;
      matrix[at++] = heading < 0 ? NO_HEADING : Math.min(30, block - heading);
      matrix[at++] = heading < 0 ? -1 : Math.log1p(text.words[heading]!);
      matrix[at++] = heading < 0 ? -1 : text.linkDensities[heading]!;
      let summary = odds.get(heading);
      if (summary === undefined) {
        const first = heading * MAX_KEPT_WORDS;
        const words = heading < 0 ? 0 : text.wordCounts[heading]!;
        odds.set(heading, (summary = summarizeOdds(text.firstWords, first, first + words, headings)));
      }
      matrix[at++] = summary.sum;
      matrix[at++] = summary.highest;
      matrix[at++] = summary.lowest;
      matrix[at++] = heading < 0 ? 0 : headingLevel(outline.elements[blocks[heading]!.element]!.tag);
      const joint = joints[blocks[block]!.element]!;
      matrix[at++] = h1 < 0 ? -1 : outline.depths[blocks[block]!.element]! - outline.depths[joint]!;
      matrix[at++] = h1 < 0 ? -1 : page.sums.lengths[joint]! / totals.length;
      matrix[at++] = h1 < 0 || totals.good === 0 ? -1 : page.sums.good[joint]! / totals.good;
      matrix[at++] = h1 < 0 ? -1 : outline.depths[joint]!;
      matrix[at++] = text.earlierCopies[block]!;
    };
  },
};

export function signedLog(distance: number): number {
  return Math.sign(distance) * Math.log1p(Math.abs(distance));
}

/** Returns for each block the last heading block at or before it, -1 when there is none. */
export function headingsAbove({ outline: { blocks, elements } }: PageMeasures): Int32Array {
  let last = -1;
  const headings = new Int32Array(blocks.length);
  for (let block = 0; block < headings.length; block++) {
    if (headingLevel(elements[blocks[block]!.element]!.tag) > 0) last = block;
    headings[block] = last;
  }
  return headings;
}

/** Characters of the title that are searched in the time of a step. */
const CHARS_PER_STEP = 16;

/** Returns the first block inside an h1 that the page's title contains, else the first one inside any h1, else -1. */
function findTitleBlock({ outline, head, budget }: PageMeasures): number {
  const title = normalize(head.title);
  const stepsPerLook = Math.ceil(title.length / CHARS_PER_STEP);
  let first = -1;
  for (let index = 0; index < outline.blocks.length; index++) {
    const { element, text } = outline.blocks[index]!;
    if (!isInsideH1(outline, element)) continue;
    budget.spend(stepsPerLook);
    if (title.includes(text.toLowerCase())) return index;
    if (first < 0) first = index;
  }
  return first;
}

function isInsideH1({ elements, parents }: PageMeasures["outline"], start: number): boolean {
  for (let index = start; index >= 0; index = parents[index]!) {
    const { tag } = elements[index]!;
    if (tag === "h1") return true;
    if (tag === "div" || tag === "body" || !isBlockTag(tag)) return false;
  }
  return false;
}

/** Returns for each element the smallest element that holds both it and `other`. */
function jointsWith({ outline }: PageMeasures, other: number): Int32Array {
  const { parents, lastDescendants } = outline;
  const joints = new Int32Array(parents.length);
  for (let index = 1; index < parents.length; index++) {
    joints[index] = index <= other && other <= lastDescendants[index]! ? index : joints[parents[index]!]!;
  }
  return joints;
}

const normalize = (text: string) => text.toLowerCase().replace(/\s+/g, " ").trim();
