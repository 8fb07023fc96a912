/**
 * Chooses the blocks to keep. The cut is where the expected F1 of the page, with each probability taken as the expected
 * share of the block's words that are content, is the highest: 2·Σ(p·n) / (Σn + Σ(p·n of all blocks)) over the chosen.
 */
import type { PageOutline } from "./blocks.ts";
import type { PageMeasures } from "./features/page-measures.ts";
import { orderByProbability } from "./order-by-probability.ts";
import type { ElementNode } from "./tree.ts";

export interface Choice {
  /** 1 for each block that is kept. */
  kept: Uint8Array;
  /** Expected word F1, 0 to 1. */
  confidence: number;
}

export interface Threshold {
  threshold: number;
  /** Expected F1 at the threshold, 0 to 1. */
  expectedF1: number;
}

/** On a page that is easy to tell, an unlikely block is a stray; on a hard one it may be all there is. */
const CLEAR_PAGE_F1 = 0.88;
const CLEAR_PAGE_FLOOR = 0.6;
const FLOOR = 0.2;
/** Words. Shorter texts, such as places and prices, repeat themselves from entry to entry. */
const MIN_COPY_SIZE = 6;
const REPEATING_REACH = 8;
/** Words. Longer quotations repeat a whole post, which stands above already. */
const MAX_QUOTATION_SIZE = 80;
/** Classes of quoted posts: `quote`, `bbcode_quote`, `quoted-text`; not those of what magazines pull out of a text. */
const QUOTATION_CLASS =
  /(?<!pull[_-]?)(?:^|[\s_-])(?:block|ips)?quot(?:e|ed|ation)(?:$|[\s_-]|box|main|content|container)/i;
/** The expectation takes blocks for independent and is too sure of itself; measured on held-out pages. */
const DOUBT_FACTOR = 1.25;

export function chooseBlocks(page: PageMeasures, probabilities: Float32Array): Choice {
  const { threshold, expectedF1 } = chooseThreshold(probabilities, page.text.sizes);
  const highest = probabilities.reduce((most, probability) => Math.max(most, probability), 0);
  const floor = expectedF1 > CLEAR_PAGE_F1 ? CLEAR_PAGE_FLOOR : FLOOR;
  const cut = Math.min(Math.max(threshold, floor), highest);
  const kept = Uint8Array.from(probabilities, (probability) => (probability >= cut ? 1 : 0));
  dropCopies(page, kept);
  return { kept, confidence: Math.max(0, 1 - DOUBT_FACTOR * (1 - expectedF1)) };
}

/**
 * Drops what was kept before word for word: many pages hold a text once for wide screens and once for narrow ones. Cells
 * and code repeat themselves with good reason, and so do the quotations that an answer stands below.
 */
function dropCopies(page: PageMeasures, kept: Uint8Array): void {
  const { outline, text } = page;
  const firstOf = new Map<string, number>();
  outline.blocks.forEach((block, copy) => {
    if (kept[copy] === 0 || text.sizes[copy]! < MIN_COPY_SIZE) return;
    if (outermostAround(outline, block.element, isTableOrCode) >= 0) return;
    const first = firstOf.get(block.text);
    if (first === undefined) firstOf.set(block.text, copy);
    else if (!isAnswered(page, { first, copy })) kept[copy] = 0;
  });
}

/** The outermost element of a kind among the nearest ones around `start`, which is one of them; -1 when there is none. */
function outermostAround(
  { elements, parents }: PageOutline,
  start: number,
  isWanted: (element: ElementNode) => boolean,
): number {
  let found = -1;
  for (let index = start, steps = 0; index >= 0 && steps < REPEATING_REACH; index = parents[index]!, steps++) {
    if (isWanted(elements[index]!)) found = index;
  }
  return found;
}

function isTableOrCode({ tag }: ElementNode): boolean {
  return tag === "pre" || tag === "table";
}

function isQuotation({ tag, attributes }: ElementNode): boolean {
  return tag === "blockquote" || tag === "q" || QUOTATION_CLASS.test(attributes["class"] ?? "");
}

/**
 * Whether a block stands in a short quotation that is followed by something else than its first copy: not in the clones
 * that sliders make of their entries, and not in a post that is quoted as a whole.
 */
function isAnswered({ outline, text }: PageMeasures, { first, copy }: { first: number; copy: number }): boolean {
  const { blocks, lastDescendants } = outline;
  const quotation = outermostAround(outline, blocks[copy]!.element, isQuotation);
  if (quotation < 0) return false;
  const isInside = (block: number): boolean => {
    const element = blocks[block]?.element ?? -1;
    return element >= quotation && element <= lastDescendants[quotation]!;
  };
  let size = 0;
  for (let block = copy - 1; isInside(block) && size <= MAX_QUOTATION_SIZE; block--) size += text.sizes[block]!;
  let next = copy;
  for (; isInside(next) && size <= MAX_QUOTATION_SIZE; next++) size += text.sizes[next]!;
  return size <= MAX_QUOTATION_SIZE && blocks[next]?.text !== blocks[first + next - copy]?.text;
}

/** The cut by expected F1. `words` are the blocks' sizes. */
export function chooseThreshold(probabilities: Float32Array, words: Float64Array): Threshold {
  const order = orderByProbability(probabilities);
  let contentOfAll = 0;
  for (const block of order) contentOfAll += probabilities[block]! * words[block]!;
  let best: Threshold = { threshold: 0.5, expectedF1: 0 };
  let content = 0;
  let size = 0;
  for (const block of order) {
    content += probabilities[block]! * words[block]!;
    size += words[block]!;
    const expectedF1 = (2 * content) / (size + contentOfAll || 1);
    if (expectedF1 > best.expectedF1) best = { threshold: probabilities[block]!, expectedF1 };
  }
  return best;
}
