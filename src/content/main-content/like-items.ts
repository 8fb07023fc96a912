/**
 * Rows of like items: the products of a category, the entries of a list. Blocks at the same place of each item are judged
 * together, and where most items of a row are kept, each keeps its price and its name, if the classifier gives them any
 * chance.
 */
import { headingLevel, isNearElement, testOnce } from "./blocks.ts";
import type { ElementNode } from "../html/tree/tree.ts";
import type { ChoiceToComplete } from "./completion/completion.ts";
import type { PageMeasures } from "./features/page-measures.ts";
import { findRepeated, type Unit } from "./features/repetition.ts";

/** Tuned on held-out pages of all sources. */
export const ITEMS = {
  /** Least number of items in a row. */
  members: 4,
  /** How much of a block's probability is that of its likes. */
  blend: 0.6,
  /** Share of the items of which something is kept, from which on prices and names are kept too. */
  keptShare: 0.5,
  /** Least mean probability of the prices of a row, and of its names. */
  chance: 0.1,
  /** The same where less than that share of the items is kept: the row is kept as one. */
  rowChance: 0.2,
};
const JUDGED_REACH = 7;
const ITEM_REACH = 9;
/** Words. Longer texts mention a price, or are no name. */
const MAX_PRICE_SIZE = 12;
const MAX_NAME_SIZE = 24;
/** Share of a text that is linked when all of it is a link. */
const LINKED = 0.8;

/** Moves the probability of each block towards the mean of the blocks of its shape in the other items of its row. */
export function judgeRows({ outline, text, repetition }: PageMeasures, probabilities: Float32Array): Float32Array {
  const { blocks, elements } = outline;
  const groups = new Int32Array(blocks.length).fill(-1);
  const numbers = new Map<number, number>();
  for (let block = 0; block < blocks.length; block++) {
    const { element } = blocks[block]!;
    const { tag } = elements[element]!;
    // Paragraphs and headings of one text are alike as well.
    if (tag === "p" || headingLevel(tag) > 0) continue;
    const found = findRepeated(repetition, outline, { from: element, reach: JUDGED_REACH });
    if (found === undefined || found.unit.count < ITEMS.members) continue;
    const key = found.unit.first * repetition.shapes.length + repetition.shapeOf[block]!;
    let group = numbers.get(key);
    if (group === undefined) numbers.set(key, (group = numbers.size));
    groups[block] = group;
  }
  if (numbers.size === 0) return probabilities;
  const counts = new Int32Array(numbers.size);
  const words = new Float64Array(numbers.size);
  const content = new Float64Array(numbers.size);
  for (let block = 0; block < groups.length; block++) {
    const group = groups[block]!;
    if (group < 0) continue;
    const size = text.sizes[block]!;
    counts[group] = counts[group]! + 1;
    words[group] = words[group]! + size;
    content[group] = content[group]! + size * probabilities[block]!;
  }
  return probabilities.map((probability, block) => {
    const group = groups[block]!;
    if (group < 0 || counts[group]! < ITEMS.members) return probability;
    return (1 - ITEMS.blend) * probability + (ITEMS.blend * content[group]!) / words[group]!;
  });
}

interface Row {
  items: Set<number>;
  keptItems: Set<number>;
  pricedItems: Set<number>;
  /** Blocks that are not kept. */
  prices: number[];
  names: number[];
}

/** Adds prices and names to `kept` in rows of priced items of which most are kept, or that are likely as a whole. */
export function keepItemParts({ page, probabilities, kept }: ChoiceToComplete): void {
  if (!page.text.prices.includes(1)) return;
  for (const { items, keptItems, pricedItems, prices, names } of listRows(page, probabilities, kept)) {
    const least = ITEMS.keptShare * items.size;
    const isKept = keptItems.size >= least || meanOf(probabilities, prices) >= ITEMS.rowChance;
    if (pricedItems.size < least || !isKept) continue;
    for (const parts of [prices, names]) {
      if (meanOf(probabilities, parts) >= ITEMS.chance) for (const block of parts) kept[block] = 1;
    }
  }
}

function meanOf(probabilities: Float32Array, blocks: readonly number[]): number {
  return blocks.reduce((sum, block) => sum + probabilities[block]!, 0) / Math.max(1, blocks.length);
}

function listRows(page: PageMeasures, probabilities: Float32Array, kept: Uint8Array): Iterable<Row> {
  const { outline, text, repetition } = page;
  const rows = new Map<Unit, Row>();
  const { blocks } = outline;
  const isMarked = testOnce((tag, classes) => headingLevel(tag) > 0 || NAME_CLASS.test(classes));
  for (let block = 0; block < blocks.length; block++) {
    const found = findRepeated(repetition, outline, { from: blocks[block]!.element, reach: ITEM_REACH });
    if (found === undefined || found.unit.count < ITEMS.members) continue;
    let row = rows.get(found.unit);
    if (row === undefined) {
      row = { items: new Set(), keptItems: new Set(), pricedItems: new Set(), prices: [], names: [] };
      rows.set(found.unit, row);
    }
    row.items.add(found.index);
    const isPrice = text.prices[block] === 1 && text.sizes[block]! <= MAX_PRICE_SIZE;
    if (isPrice) row.pricedItems.add(found.index);
    if (kept[block] === 1) row.keptItems.add(found.index);
    else if (isPrice) row.prices.push(block);
    else if (isName({ page, probabilities, isMarked }, block)) row.names.push(block);
  }
  return rows.values();
}

const NAME_CLASS = /(?:^|[\s_-])(?:title|name|heading)(?:$|[\s_-])/i;

interface NameTest {
  page: PageMeasures;
  probabilities: Float32Array;
  isMarked: (element: ElementNode) => boolean;
}

/** Reports whether a short text is a heading, is marked as a name, or is a likely link. */
function isName({ page: { outline, text }, probabilities, isMarked }: NameTest, block: number): boolean {
  if (text.sizes[block]! > MAX_NAME_SIZE) return false;
  return (
    isNearElement(outline, block, isMarked) ||
    (text.linkDensities[block]! > LINKED && probabilities[block]! >= ITEMS.chance)
  );
}
