/**
 * The parts that repeat across the pages of one site: headers, footers, teasers. A crawl sees many pages of a site and
 * can separate the site's template from a page's content without guessing. The template is learned page by page from
 * fingerprints of blocks and serialises to at most some 18 kB.
 */
import { outlinePage, type PageOutline } from "./blocks.ts";
import type { HtmlTree } from "../html/tree/tree.ts";

/** Beyond this number the blocks that were seen least, and longest ago, are removed. */
const MAX_FINGERPRINTS = 2048;
/** Minimum number of pages for a decision about what repeats. */
const MIN_PAGES = 2;
const OFTEN = 0.5;
/**
 * Log-odds that a block loses when it is on most pages, unless it is so short that headings of content repeat as well.
 */
const REPEATED_SHIFT = -3;
const MIN_REPEATED_SIZE = 3;
/** A sentence that is on practically every page loses more: it is not content of any. */
const EVERYWHERE = 0.9;
const EVERYWHERE_SHIFT = -6;
const MIN_SENTENCE_SIZE = 8;
/** Log-odds that a short block gains when no other page has it: most short template blocks are on other pages. */
const UNIQUE_SHIFT = 0.4;
const MAX_UNIQUE_SIZE = 8;

/** Returns a number of 31 bits (FNV-1a) from the text of a block and the tag that holds it. */
export function fingerprintBlock(tag: string, text: string): number {
  let hash = 0x811c9dc5;
  const key = `${tag}|${text}`;
  for (let index = 0; index < key.length; index++) {
    hash ^= key.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 1;
}

/** Returns the fingerprints of a page's blocks, each once. */
export function fingerprintPage(tree: HtmlTree): number[] {
  return [...new Set(fingerprintBlocks(outlinePage(tree.root)))];
}

export class SiteTemplate {
  #pages = 0;
  #isCautious = false;
  readonly #counts = new Map<number, number>();

  get pageCount(): number {
    return this.#pages;
  }

  /** True when it corrects only sentences that are on practically every page; see `parse`. */
  get isCautious(): boolean {
    return this.#isCautious;
  }

  /**
   * Counts the blocks of a page, by their fingerprints. Each page must be added once only, and after its own content was
   * found. A page without any adds nothing.
   */
  addPage(fingerprints: readonly number[]): void {
    if (fingerprints.length === 0) return;
    this.#pages++;
    for (const fingerprint of fingerprints) {
      const count = this.#counts.get(fingerprint) ?? 0;
      // Set anew, so that the map's order is that of the last sight.
      this.#counts.delete(fingerprint);
      this.#counts.set(fingerprint, count + 1);
    }
    this.#forget();
  }

  /** Returns for each block the share of the known pages that hold it too. */
  repetition(outline: PageOutline): Float64Array {
    return Float64Array.from(
      fingerprintBlocks(outline),
      (print) => (this.#counts.get(print) ?? 0) / (this.#pages || 1),
    );
  }

  /** Corrects probabilities to be main content by repetition. `sizes` are the blocks' words. */
  correct(probabilities: Float32Array, outline: PageOutline, sizes: Float64Array): Float32Array {
    if (this.#pages < MIN_PAGES) return probabilities;
    const shares = this.repetition(outline);
    return probabilities.map((probability, block) => {
      const share = shares[block]!;
      if (share > EVERYWHERE && sizes[block]! >= MIN_SENTENCE_SIZE) return shiftOdds(probability, EVERYWHERE_SHIFT);
      if (this.#isCautious) return probability;
      if (share > OFTEN && sizes[block]! >= MIN_REPEATED_SIZE) return shiftOdds(probability, REPEATED_SHIFT);
      if (share === 0 && sizes[block]! < MAX_UNIQUE_SIZE) return shiftOdds(probability, UNIQUE_SHIFT);
      return probability;
    });
  }

  /** Returns `pages:fingerprint.count,…`, fingerprints and counts in base 36, a count of one left out. */
  serialize(): string {
    const entries = [...this.#counts].map(([print, count]) =>
      count > 1 ? `${print.toString(36)}.${count.toString(36)}` : print.toString(36),
    );
    return `${this.#pages}:${entries.join(",")}`;
  }

  /**
   * Reads the output of `serialize`; anything else is an empty template. A cautious one corrects only sentences that
   * are on practically every page: measured on pages that the model knows, that is never wrong, and all other
   * corrections are wrong as often as not.
   */
  static parse(text: string, { isCautious = false } = {}): SiteTemplate {
    const template = new SiteTemplate();
    template.#isCautious = isCautious;
    const [, pages = "0", list = ""] = /^(\d+):([0-9a-z.,]*)$/.exec(text) ?? [];
    template.#pages = Number(pages);
    for (const entry of list === "" ? [] : list.split(",")) {
      const [print = "", count = "1"] = entry.split(".");
      template.#counts.set(Number.parseInt(print, 36), Number.parseInt(count, 36));
    }
    return template;
  }

  #forget(): void {
    if (this.#counts.size <= MAX_FINGERPRINTS) return;
    const order = [...this.#counts].map(([print, count], age) => ({ print, count, age }));
    order.sort((a, b) => a.count - b.count || a.age - b.age);
    for (const { print } of order.slice(0, this.#counts.size - MAX_FINGERPRINTS)) this.#counts.delete(print);
  }
}

function fingerprintBlocks({ blocks, elements }: PageOutline): number[] {
  return blocks.map(({ element, text }) => fingerprintBlock(elements[element]!.tag, text));
}

function shiftOdds(probability: number, shift: number): number {
  const odds = (probability / (1 - probability + Number.EPSILON)) * Math.exp(shift);
  return odds / (1 + odds);
}
