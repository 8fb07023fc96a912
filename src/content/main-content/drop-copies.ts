/** Drops texts of which a page holds several copies, unless the page repeats them on purpose. */
import { testOnce, type PageOutline } from "./blocks.ts";
import type { PageMeasures } from "./features/page-measures.ts";
import type { ElementNode } from "../html/tree/tree.ts";

/** Words. Shorter texts, such as places and prices, repeat themselves from entry to entry. */
const MIN_COPY_SIZE = 6;
const REPEATING_REACH = 8;
/**
 * Clones for other widths and of endless sliders are no more than this; the page repeats on purpose what occurs more
 * often.
 */
const MAX_CLONES = 4;
/**
 * From this share of a page's words on, repeated text is its content: logs, verses, samples. Real pages have at most
 * 0.4.
 */
const CONTENT_SHARE = 0.5;
/** Words. Longer quotations repeat a whole post that is above already. */
const MAX_QUOTATION_SIZE = 80;
/** Classes of quoted posts: `quote`, `bbcode_quote`, `quoted-text`; not those of pull quotes in magazines. */
const QUOTATION_CLASS =
  /(?<!pull[_-]?)(?:^|[\s_-])(?:block|ips)?quot(?:e|ed|ation)(?:$|[\s_-]|box|main|content|container)/i;

/**
 * Drops texts that were kept before word for word: many pages hold a text once for wide screens and once for narrow
 * ones. Cells and code repeat with good reason, and so do quotations above an answer, and pages that consist mostly of
 * repetition.
 * @returns share of the kept words that was dropped as copies of texts which the page repeats often
 */
export function dropCopies(page: PageMeasures, kept: Uint8Array): number {
  const { sizes } = page.text;
  let words = 0;
  for (let block = 0; block < kept.length; block++) if (kept[block] === 1) words += sizes[block]!;
  const copies = findCopies(page, kept);
  let repeatedWords = 0;
  for (const blocks of copies) if (blocks.length >= MAX_CLONES) repeatedWords += blocks.length * sizes[blocks[0]!]!;
  const share = words === 0 ? 0 : repeatedWords / words;
  const isContent = share >= CONTENT_SHARE;
  for (const blocks of copies) {
    if (blocks.length < MAX_CLONES || !isContent) for (const block of blocks) kept[block] = 0;
  }
  if (isContent) keepEvery(page, kept, copies);
  return isContent ? 0 : share;
}

/** Keeps each copy of a text that the page repeats on purpose, also where the surroundings make one look unlikely. */
function keepEvery({ outline }: PageMeasures, kept: Uint8Array, copies: readonly number[][]): void {
  const repeated = new Set(
    copies.filter(({ length }) => length >= MAX_CLONES).map(([copy = 0]) => outline.blocks[copy]!.text),
  );
  outline.blocks.forEach(({ text }, block) => {
    if (repeated.has(text)) kept[block] = 1;
  });
}

/** Returns per text the kept blocks that repeat it, without the first one. */
function findCopies(page: PageMeasures, kept: Uint8Array): number[][] {
  const { outline, text } = page;
  const copies = new Map<string, number[]>();
  const firstOf = new Map<string, number>();
  const isQuotation = testQuotation();
  outline.blocks.forEach((block, copy) => {
    if (kept[copy] === 0 || text.sizes[copy]! < MIN_COPY_SIZE) return;
    if (isInTableOrCode(outline, block.element)) return;
    const first = firstOf.get(block.text);
    if (first === undefined) firstOf.set(block.text, copy);
    else if (!isRepeatedOnPurpose(page, { first, copy }, isQuotation)) {
      const known = copies.get(block.text);
      if (known === undefined) copies.set(block.text, [copy]);
      else known.push(copy);
    }
  });
  return [...copies.values()];
}

/**
 * Returns the outermost matching element among the nearest ones around `start`, itself included; -1 when there is none.
 */
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

/** Reports whether an element is in a table or a listing, where texts repeat with good reason. */
export function isInTableOrCode(outline: PageOutline, element: number): boolean {
  return outermostAround(outline, element, isTableOrCode) >= 0;
}

/** Returns a test of elements for quotations. It examines each element once, however many copies are inside. */
export function testQuotation(): (element: ElementNode) => boolean {
  return testOnce((tag, classes) => tag === "blockquote" || tag === "q" || QUOTATION_CLASS.test(classes));
}

/**
 * Reports whether a text is there twice because its author wrote it twice: as a paragraph in the same flow of text, such
 * as a refrain, or as a quotation that is answered. Copies for other widths have elements of their own around them.
 * @param isQuotation one test for all pairs of a page, see {@link testQuotation}
 */
export function isRepeatedOnPurpose(
  page: PageMeasures,
  pair: { first: number; copy: number },
  isQuotation: (element: ElementNode) => boolean,
): boolean {
  return isInSameFlow(page.outline, pair) || isAnswered(page, pair, isQuotation);
}

function isInSameFlow(
  { elements, parents, blocks }: PageOutline,
  { first, copy }: { first: number; copy: number },
): boolean {
  const one = blocks[first]!.element;
  const other = blocks[copy]!.element;
  if (one === other) return true;
  return elements[one]!.tag === "p" && elements[other]!.tag === "p" && parents[one] === parents[other];
}

function isTableOrCode({ tag }: ElementNode): boolean {
  return tag === "pre" || tag === "table";
}

/**
 * Reports whether a block is in a short quotation that is followed by something else than its first copy: not in the
 * clones that sliders create of their entries, and not in a post that is quoted as a whole.
 */
function isAnswered(
  { outline, text }: PageMeasures,
  { first, copy }: { first: number; copy: number },
  isQuotation: (element: ElementNode) => boolean,
): boolean {
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
