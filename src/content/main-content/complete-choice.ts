/**
 * Completes a choice of blocks so that a reader receives whole things: the page's heading above its text, a table with
 * all of its cells, the heading of a section that is kept. The classifier weighs words, of which these have few.
 */
import { headingLevel, levelOf, type PageOutline } from "./blocks.ts";
import { keepItemParts } from "./like-items.ts";
import type { PageMeasures } from "./features/page-measures.ts";
import { keepByline } from "./completion/byline.ts";
import { keepCaptions } from "./completion/captions.ts";
import { keepHeadingLines } from "./completion/heading-lines.ts";
import { dropHiddenParts } from "./completion/hidden-parts.ts";
import { keepStandfirst } from "./completion/standfirst.ts";
import type { ChoiceToComplete, Completion } from "./completion/completion.ts";
import { keepPrice } from "./completion/page-price.ts";
import { keepPostHeads } from "./completion/post-heads.ts";

/** A table of which this share of words is kept is kept whole. */
const TABLE_SHARE = 0.34;
/** A list of which this share of words is kept is kept with all entries that are not unlikely. */
const LIST_SHARE = 0.6;
const MIN_ENTRY_PROBABILITY = 0.4;
const LIST_TAGS = new Set(["ul", "ol"]);
const TABLE_TAGS = new Set(["table"]);
/** Cells of data are no longer than this; those of tables that lay out a page are. */
const MAX_CELL_CHARS = 250;
/** A section's heading is at most this many blocks above its text: a date or a byline may come between. */
const HEADING_REACH = 2;
/** A heading less likely than this is another section's, or the site's. */
const MIN_HEADING_PROBABILITY = 0.3;
/** A heading as likely as this is worth reading even though its section is not. */
const SURE_HEADING_PROBABILITY = 0.75;
/** Minimum number and share of lone headings of one shape that are the entries of a list: headlines, products. */
const MIN_ENTRIES = 3;
const ENTRY_SHARE = 0.34;

/** The steps in their order. src/docs/operation/benchmarks.md shows what each of them is worth. */
export const COMPLETIONS: readonly Completion[] = [
  { name: "tables", apply: completeTables },
  { name: "lists", apply: completeLists },
  { name: "empty headings", apply: dropEmptyHeadings },
  { name: "title", apply: keepTitle },
  { name: "byline", apply: keepByline },
  { name: "standfirst", apply: keepStandfirst },
  { name: "price", apply: keepPrice },
  { name: "items", apply: keepItemParts },
  { name: "headings", apply: keepHeadings },
  { name: "lines below headings", apply: keepHeadingLines },
  { name: "post heads", apply: keepPostHeads },
  { name: "captions", apply: keepCaptions },
  { name: "hidden parts", apply: dropHiddenParts },
];

/** Adds blocks to `kept`, and removes headings of sections that are left out and small hidden parts. */
export function completeChoice(
  page: PageMeasures,
  probabilities: Float32Array,
  kept: Uint8Array,
  completions = COMPLETIONS,
): void {
  for (const completion of completions) completion.apply({ page, probabilities, kept });
}

function completeTables({ page: { outline, text, budget }, kept }: ChoiceToComplete): void {
  for (const range of blockRangesOf(outline, TABLE_TAGS)) {
    budget.spend(lengthOf(range));
    if (!isDataTable(outline, range)) continue;
    const { first, last } = range;
    if (keptShare(text.sizes, kept, range) >= TABLE_SHARE) kept.fill(1, first, last + 1);
  }
}

/** Keeps entries that are nearly as likely as the others, in lists of which most is kept. */
function completeLists({ page: { outline, text, budget }, probabilities, kept }: ChoiceToComplete): void {
  for (const { first, last } of blockRangesOf(outline, LIST_TAGS)) {
    budget.spend(lengthOf({ first, last }));
    if (keptShare(text.sizes, kept, { first, last }) < LIST_SHARE) continue;
    for (let block = first; block <= last; block++) {
      const isEntry = outline.elements[outline.blocks[block]!.element]!.tag === "li";
      if (isEntry && probabilities[block]! >= MIN_ENTRY_PROBABILITY) kept[block] = 1;
    }
  }
}

/** Returns the share of the words of some blocks that is kept; 0 when there are none. */
function keptShare(sizes: Float64Array, kept: Uint8Array, { first, last }: Pick<BlockRange, "first" | "last">): number {
  let words = 0;
  let keptWords = 0;
  for (let block = first; block <= last; block++) {
    words += sizes[block]!;
    if (kept[block] === 1) keptWords += sizes[block]!;
  }
  return words > 0 ? keptWords / words : 0;
}

/** Reports whether a table holds data. Cells of a layout table are unrelated: menus, texts, advertisements. */
function isDataTable({ elements, parents, blocks }: PageOutline, { element: table, first, last }: BlockRange): boolean {
  for (let block = first; block <= last; block++) {
    const { element, text } = blocks[block]!;
    if (text.length > MAX_CELL_CHARS || headingLevel(elements[element]!.tag) > 0) return false;
    let around = element;
    while (around > 0 && elements[around]!.tag !== "table") around = parents[around]!;
    if (around !== table) return false;
  }
  return true;
}

interface BlockRange {
  element: number;
  first: number;
  last: number;
}

/** Returns the number of blocks in a range: each level of nested tables and lists examines all of them again. */
function lengthOf({ first, last }: Pick<BlockRange, "first" | "last">): number {
  return last - first + 1;
}

/** Returns the first and last block of each element of some tags that holds any, outer ones first. */
function blockRangesOf({ elements, lastDescendants, blocks }: PageOutline, tags: ReadonlySet<string>): BlockRange[] {
  const ranges: BlockRange[] = [];
  for (let index = 0; index < elements.length; index++) {
    if (!tags.has(elements[index]!.tag)) continue;
    const first = firstBlockFrom(blocks, index);
    const end = firstBlockFrom(blocks, lastDescendants[index]! + 1);
    if (end > first) ranges.push({ element: index, first, last: end - 1 });
  }
  return ranges;
}

/** Returns the first block of an element at or behind an index; blocks are mostly in document order. */
function firstBlockFrom(blocks: PageOutline["blocks"], element: number): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle]!.element < element) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Keeps the last `h1` above the first kept block, or the likeliest when there is none above; none when one is kept
 * already.
 */
function keepTitle({ page: { outline }, probabilities, kept }: ChoiceToComplete): void {
  const titles: number[] = [];
  for (let block = 0; block < kept.length; block++) if (levelOf(outline, block) === 1) titles.push(block);
  if (titles.length === 0 || titles.some((block) => kept[block] === 1)) return;
  const firstKept = kept.indexOf(1);
  const above = titles.filter((block) => block < firstKept);
  const candidates = above.length > 0 ? above : titles;
  kept[candidates.reduce((best, block) => (probabilities[block]! >= probabilities[best]! ? block : best))] = 1;
}

/** Drops headings of sections of which nothing else is kept, unless they are certain or entries of a list. */
function dropEmptyHeadings({ page, probabilities, kept }: ChoiceToComplete): void {
  for (const { count, empty } of headingsByShape(page, kept)) {
    if (empty.length >= MIN_ENTRIES && empty.length > count * ENTRY_SHARE) continue;
    for (const block of empty) if (probabilities[block]! < SURE_HEADING_PROBABILITY) kept[block] = 0;
  }
}

interface Headings {
  count: number;
  /** The blocks whose sections hold nothing else that is kept. */
  empty: number[];
}

/** Returns the kept headings of sections, grouped by shape. */
function headingsByShape(page: PageMeasures, kept: Uint8Array): Iterable<Headings> {
  const { outline, repetition } = page;
  const byShape = new Map<number, Headings>();
  for (let block = 0; block < kept.length; block++) {
    if (kept[block] === 0 || levelOf(outline, block) < 2) continue;
    const shape = repetition.shapeOf[block]!;
    let headings = byShape.get(shape);
    if (headings === undefined) byShape.set(shape, (headings = { count: 0, empty: [] }));
    headings.count++;
    if (isEmptySection(page, kept, block)) headings.empty.push(block);
  }
  return byShape.values();
}

/** Reports whether there are blocks below a heading, up to the next one of its rank, and none of them is kept. */
function isEmptySection({ outline, budget }: PageMeasures, kept: Uint8Array, heading: number): boolean {
  const level = levelOf(outline, heading);
  let next = heading + 1;
  while (next < kept.length && kept[next] === 0 && !endsSection(outline, next, level)) next++;
  budget.spend(next - heading);
  return next > heading + 1 && (next === kept.length || endsSection(outline, next, level));
}

function endsSection(outline: PageOutline, block: number, level: number): boolean {
  const own = levelOf(outline, block);
  return own > 0 && own <= level;
}

/** Keeps headings right above kept text, each as long as the block behind it is kept. */
function keepHeadings({ page: { outline }, probabilities, kept }: ChoiceToComplete): void {
  for (let block = outline.blocks.length - 2; block >= 0; block--) {
    if (kept[block] === 1 || levelOf(outline, block) < 2 || probabilities[block]! < MIN_HEADING_PROBABILITY) continue;
    for (let step = 1; step <= HEADING_REACH; step++) {
      if (kept[block + step] !== 1) continue;
      kept[block] = 1;
      break;
    }
  }
}
