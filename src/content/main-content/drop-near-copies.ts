/**
 * Drops blocks that say again what others say: teasers of the text below, the text of a page once more as one block. Texts
 * are compared by runs of five words. Short blocks must be repeated in full, and a block with a number of its own stays:
 * the entries of a list often differ in a year or an amount alone.
 */
import { isInTableOrCode, isRepeatedOnPurpose, testQuotation } from "./drop-copies.ts";
import { eachWord } from "./features/words/word-hash.ts";
import type { PageMeasures } from "./features/page-measures.ts";

/** Tuned on held-out pages of all sources. */
export const NEAR_COPIES = {
  /** Share of a block's runs that blocks before it have. */
  share: 0.8,
  /** The same for long blocks, and all other blocks: the long one may come first. */
  longShare: 0.7,
};
const RUN_WORDS = 5;
/** Blocks of fewer runs repeat by chance. */
const MIN_RUNS = 4;
/** Below this number of runs, one different word may be all that a text is about. */
const FULL_COPY_RUNS = 30;
const LONG_RUNS = 120;
/** Words of all compared blocks. Longer pages are not compared; the table of their runs would take more than 10 MB. */
const MAX_WORDS = 300_000;
const NUMBER = /\p{Nd}/u;
/** A page of which this share would be dropped repeats itself on purpose: logs, forms, catalogues. */
const MAX_DROPPED_SHARE = 0.4;

/**
 * Drops near-copies from `kept`; nothing when they make up much of it.
 * @returns share of the kept words that was dropped
 * @throws AppError `SCRAPE_WORK_LIMIT` when the budget is spent
 */
export function dropNearCopies(page: PageMeasures, kept: Uint8Array): number {
  const { text } = page;
  const blocks = comparedBlocks(page, kept);
  const compared = countWords(page, blocks);
  page.budget.spend(compared);
  if (blocks.length < 2 || compared > MAX_WORDS) return 0;
  const copies = findNearCopies(page, blocks, compared);
  let words = 0;
  for (let block = 0; block < kept.length; block++) if (kept[block] === 1) words += text.sizes[block]!;
  const copied = copies.reduce((sum, block) => sum + text.sizes[block]!, 0);
  if (copied > MAX_DROPPED_SHARE * words) return 0;
  for (const block of copies) kept[block] = 0;
  return words === 0 ? 0 : copied / words;
}

function findNearCopies(page: PageMeasures, blocks: readonly number[], words: number): number[] {
  const { outline } = page;
  const repeated = findRepeatedLong(page, blocks, words);
  const runs = new RunTable(words);
  const copies = [...repeated];
  const isQuotation = testQuotation();
  for (const block of blocks) {
    if (repeated.has(block)) continue;
    const { text } = outline.blocks[block]!;
    const share = runs.read(text) < FULL_COPY_RUNS ? 1 : NEAR_COPIES.share;
    const isCopy = runs.shareSeen(1) >= share && !runs.hasNewNumber(text, 1);
    if (isCopy && !isRepeatedOnPurpose(page, { first: runs.knownBlock(), copy: block }, isQuotation))
      copies.push(block);
    else runs.add(block);
  }
  return copies;
}

/**
 * Returns the number of words of some blocks, as `eachWord` finds them; those behind `MAX_WORDS` may be missing. The sizes
 * of blocks count several characters of scripts without spaces as one word.
 */
function countWords({ outline }: PageMeasures, blocks: readonly number[]): number {
  let words = 0;
  for (const block of blocks) {
    if (words > MAX_WORDS) break;
    eachWord(outline.blocks[block]!.text, () => words++);
  }
  return words;
}

/** Returns the kept blocks that are long enough to be compared, but those of tables and listings. */
function comparedBlocks({ outline, text }: PageMeasures, kept: Uint8Array): number[] {
  const blocks: number[] = [];
  for (let block = 0; block < kept.length; block++) {
    const isLong = kept[block] === 1 && text.sizes[block]! >= MIN_RUNS + RUN_WORDS - 1;
    if (isLong && !isInTableOrCode(outline, outline.blocks[block]!.element)) blocks.push(block);
  }
  return blocks;
}

/** Returns the long blocks whose text the others have, before and behind them. */
function findRepeatedLong(page: PageMeasures, blocks: readonly number[], words: number): Set<number> {
  const repeated = new Set<number>();
  const { outline, text } = page;
  const long = blocks.filter((block) => text.sizes[block]! >= LONG_RUNS);
  if (long.length === 0) return repeated;
  const runs = new RunTable(words);
  for (const block of blocks) {
    runs.read(outline.blocks[block]!.text);
    runs.add(block);
  }
  for (const block of long) {
    const { text: own } = outline.blocks[block]!;
    if (runs.read(own) < LONG_RUNS || runs.shareSeen(2) < NEAR_COPIES.longShare || runs.hasNewNumber(own, 2)) continue;
    runs.remove();
    repeated.add(block);
  }
  return repeated;
}

/** The runs of five words of the blocks so far, with the number of blocks that have them. Open addressing. */
class RunTable {
  readonly #keys: Int32Array;
  readonly #counts: Uint16Array;
  readonly #blocks: Int32Array;
  readonly #mask: number;
  /** The words of the block that was read last, and the slots of its runs. */
  #words = new Int32Array(256);
  #slots = new Int32Array(256);
  #runs = 0;

  /** `words` is the number of words of all blocks together, at least. */
  constructor(words: number) {
    let size = 64;
    while (size < 2 * words) size *= 2;
    this.#keys = new Int32Array(size);
    this.#counts = new Uint16Array(size);
    this.#blocks = new Int32Array(size);
    this.#mask = size - 1;
  }

  /** Reads a block. @returns the number of its runs */
  read(text: string): number {
    let count = 0;
    eachWord(text, (_start, _end, hash) => {
      if (count === this.#words.length) this.#grow();
      this.#words[count++] = hash;
    });
    this.#runs = Math.max(0, count - RUN_WORDS + 1);
    for (let run = 0; run < this.#runs; run++) this.#slots[run] = this.#slotOf(run);
    return this.#runs;
  }

  /** Returns the share of the runs that at least so many blocks have. */
  shareSeen(least: number): number {
    let seen = 0;
    for (let run = 0; run < this.#runs; run++) if (this.#counts[this.#slots[run]!]! >= least) seen++;
    return seen / Math.max(1, this.#runs);
  }

  /** Reports whether the block that was read last has a number that is in none of the runs of so many blocks. */
  hasNewNumber(text: string, least: number): boolean {
    const isSeen = new Uint8Array(this.#runs + RUN_WORDS - 1);
    for (let run = 0; run < this.#runs; run++) {
      if (this.#counts[this.#slots[run]!]! >= least) isSeen.fill(1, run, run + RUN_WORDS);
    }
    let word = 0;
    let found = false;
    eachWord(text, (start, end) => {
      found ||= isSeen[word++] === 0 && NUMBER.test(text.slice(start, end));
    });
    return found;
  }

  /** Returns a block that has one of the runs. */
  knownBlock(): number {
    for (let run = 0; run < this.#runs; run++) {
      const slot = this.#slots[run]!;
      if (this.#counts[slot]! > 0) return this.#blocks[slot]!;
    }
    return 0;
  }

  add(block: number): void {
    for (let run = 0; run < this.#runs; run++) {
      const slot = this.#slotOf(run);
      if (this.#counts[slot] === 0) {
        this.#keys[slot] = this.#keyOf(run);
        this.#blocks[slot] = block;
        this.#counts[slot] = 1;
      } else if (this.#blocks[slot] !== block) {
        this.#blocks[slot] = block;
        this.#counts[slot] = this.#counts[slot]! + 1;
      }
    }
  }

  remove(): void {
    // A block counts once for a run, however often it has it.
    for (const slot of new Set(this.#slots.subarray(0, this.#runs))) {
      // A slot without blocks stays taken, so that others behind it are found.
      if (this.#counts[slot]! > 1) this.#counts[slot] = this.#counts[slot]! - 1;
    }
  }

  #keyOf(run: number): number {
    let key = 17;
    for (let at = run; at < run + RUN_WORDS; at++) key = Math.imul(key, 31) + this.#words[at]!;
    return key | 0;
  }

  #slotOf(run: number): number {
    const key = this.#keyOf(run);
    let slot = (key ^ (key >>> 15)) & this.#mask;
    for (let step = 0; step < this.#mask && this.#counts[slot] !== 0 && this.#keys[slot] !== key; step++) {
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }

  #grow(): void {
    const words = new Int32Array(2 * this.#words.length);
    words.set(this.#words);
    this.#words = words;
    this.#slots = new Int32Array(words.length);
  }
}
