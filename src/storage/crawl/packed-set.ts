import { NumberSet } from "../../core/number-set.ts";
import { hash53, randomSeed } from "../../core/text/hash.ts";

interface Spelling {
  key: string;
  url: string;
}

/**
 * URLs without their own row, by 53 bits of a hash. Those that the rules leave out, keys that may be admitted later, and
 * URLs beyond the limit are told apart by the seeds of their hashes: no text is made for them. The seeds differ for each
 * set, so that no site can choose links that fall on one slot.
 */
export class PackedSet {
  readonly #hashes = new NumberSet();
  readonly #urlSeed = randomSeed();
  readonly #keySeed = randomSeed();
  readonly #overflowSeed = randomSeed();

  get size(): number {
    return this.#hashes.size;
  }

  /** Adds a URL that the rules leave out. @returns false when it was there already */
  addUrl(url: string): boolean {
    return this.#hashes.add(hash53(url, this.#urlSeed));
  }

  /** Adds a key that may be admitted later, for all spellings of its URL. @returns false when it was there already */
  addKey(key: string): boolean {
    return this.#hashes.add(this.#ofKey(key));
  }

  hasKey(key: string): boolean {
    return this.#hashes.has(this.#ofKey(key));
  }

  /** @returns false when it was not there */
  deleteKey(key: string): boolean {
    return this.#hashes.delete(this.#ofKey(key));
  }

  /** Adds a URL beyond the limit. */
  addOverflow(spelling: Spelling): void {
    this.#hashes.add(this.#ofOverflow(spelling));
  }

  hasOverflow(spelling: Spelling): boolean {
    return this.#hashes.has(this.#ofOverflow(spelling));
  }

  /** @returns false when it was not there */
  deleteOverflow(spelling: Spelling): boolean {
    return this.#hashes.delete(this.#ofOverflow(spelling));
  }

  #ofKey(key: string): number {
    return hash53(key, this.#keySeed);
  }

  /** Hashes the spelling of the URL too: duplicates are detected when the URLs are added to the queue. */
  #ofOverflow({ key, url }: Spelling): number {
    return hash53(url, hash53(key, this.#overflowSeed));
  }
}
