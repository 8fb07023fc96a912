/**
 * Drops blocks that say again what others say: teasers of the text below, the text of a page once more as one block. Texts
 * are compared by runs of five words. Short blocks must be repeated in full, and a block with a number of its own stays:
 * the entries of a list often differ in a year or an amount alone.
 */
import { keepShape } from "../../core/kept-shapes.ts";
import { isInTableOrCode, isRepeatedOnPurpose, testQuotation } from "./drop-copies.ts";
import { eachWord, randomFactor, slotFor } from "./features/words/word-hash.ts";
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
  const compared = readWords(page, comparedBlocks(page, kept));
  page.budget.spend(compared.count);
  if (compared.blocks.length < 2 || compared.count > MAX_WORDS) return 0;
  const copies = findNearCopies(page, compared);
  if (copies.length === 0) return 0;
  let words = 0;
  for (let block = 0; block < kept.length; block++) if (kept[block] === 1) words += text.sizes[block]!;
  const copied = copies.reduce((sum, block) => sum + text.sizes[block]!, 0);
  if (copied > MAX_DROPPED_SHARE * words) return 0;
  for (const block of copies) kept[block] = 0;
  return words === 0 ? 0 : copied / words;
}

function findNearCopies(page: PageMeasures, compared: ComparedTexts): number[] {
  const { outline } = page;
  const { blocks } = compared;
  const all = new RunTable(compared);
  for (let text = 0; text < blocks.length; text++) {
    all.read(text);
    all.add(blocks[text]!);
  }
  if (!all.hasShared) return [];
  const repeated = findRepeatedLong(page, compared, all);
  const runs = new RunTable(compared);
  const copies = [...repeated];
  const isQuotation = testQuotation();
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!;
    if (repeated.has(block)) continue;
    const { text } = outline.blocks[block]!;
    const share = runs.read(index) < FULL_COPY_RUNS ? 1 : NEAR_COPIES.share;
    const isCopy = runs.shareSeen(1) >= share && !runs.hasNewNumber(text, 1);
    if (isCopy && !isRepeatedOnPurpose(page, { first: runs.knownBlock(), copy: block }, isQuotation))
      copies.push(block);
    else runs.add(block);
  }
  return copies;
}

/** The words of the compared blocks, one block after another. */
interface ComparedTexts {
  blocks: readonly number[];
  words: Int32Array;
  /** Where the words of each block start in `words`, and where those of the last one end. */
  starts: Int32Array;
  /** Number of words; when it is more than `MAX_WORDS`, those of the last blocks may be missing. */
  count: number;
}

/** Reads the words of some blocks as `eachWord` finds them. */
function readWords({ outline, text }: PageMeasures, blocks: readonly number[]): ComparedTexts {
  const starts = new Int32Array(blocks.length + 1);
  // The sizes of blocks count several characters of scripts without spaces as one word.
  let words = new Int32Array(64 + blocks.reduce((sum, block) => sum + Math.ceil(text.sizes[block]!), 0));
  let count = 0;
  const add = (_start: number, _end: number, hash: number): void => {
    if (count === words.length) words = grown(words);
    words[count++] = hash;
  };
  for (let index = 0; index < blocks.length; index++) {
    if (count > MAX_WORDS) break;
    eachWord(outline.blocks[blocks[index]!]!.text, add);
    starts[index + 1] = count;
  }
  return { blocks, words, starts, count };
}

function grown(words: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const more = new Int32Array(2 * words.length);
  more.set(words);
  return more;
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

/** Returns the long blocks whose text the others have, before and behind them. `all` has the runs of every block. */
function findRepeatedLong({ outline, text }: PageMeasures, { blocks }: ComparedTexts, all: RunTable): Set<number> {
  const repeated = new Set<number>();
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!;
    if (text.sizes[block]! < LONG_RUNS || all.read(index) < LONG_RUNS) continue;
    if (all.shareSeen(2) < NEAR_COPIES.longShare || all.hasNewNumber(outline.blocks[block]!.text, 2)) continue;
    all.remove();
    repeated.add(block);
  }
  return repeated;
}

/** The runs of five words of the blocks so far, with the number of blocks that have them. Open addressing. */
class RunTable {
  /** True as soon as two blocks have a run in common. */
  hasShared = false;
  readonly #texts: ComparedTexts;
  readonly #keys: Int32Array;
  readonly #counts: Uint16Array;
  readonly #blocks: Int32Array;
  readonly #bits: number;
  readonly #mask: number;
  readonly #factor = randomFactor();
  /** Of the block that was read last: where its words start, and the slots of its runs. */
  #start = 0;
  #slots = new Int32Array(256);
  #runs = 0;

  constructor(texts: ComparedTexts) {
    let bits = 6;
    while (2 ** bits < 2 * texts.count) bits++;
    const size = 2 ** bits;
    this.#texts = texts;
    this.#keys = new Int32Array(size);
    this.#counts = new Uint16Array(size);
    this.#blocks = new Int32Array(size);
    this.#bits = bits;
    this.#mask = size - 1;
    keepShape(this);
  }

  /** Reads the words of a block. @returns the number of its runs */
  read(index: number): number {
    const { starts } = this.#texts;
    this.#start = starts[index]!;
    this.#runs = Math.max(0, starts[index + 1]! - this.#start - RUN_WORDS + 1);
    if (this.#slots.length < this.#runs) this.#slots = new Int32Array(2 * this.#runs);
    for (let run = 0; run < this.#runs; run++) this.#slots[run] = this.#slotOf(this.#keyOf(run));
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
      const key = this.#keyOf(run);
      const slot = this.#slotOf(key);
      if (this.#counts[slot] === 0) {
        this.#keys[slot] = key;
        this.#blocks[slot] = block;
        this.#counts[slot] = 1;
      } else if (this.#blocks[slot] !== block) {
        this.#blocks[slot] = block;
        this.#counts[slot] = this.#counts[slot]! + 1;
        this.hasShared = true;
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
    const { words } = this.#texts;
    const start = this.#start + run;
    let key = 17;
    for (let at = start; at < start + RUN_WORDS; at++) key = (Math.imul(key, 31) + words[at]!) | 0;
    return key;
  }

  #slotOf(key: number): number {
    let slot = slotFor(key, this.#factor, this.#bits);
    for (let step = 0; step < this.#mask && this.#counts[slot] !== 0 && this.#keys[slot] !== key; step++) {
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }
}
