const EMPTY = 0;
const MAX_LOAD = 0.7;
const MAX_DEPTH = 0xffff;

/** Facts about a name that the index has. */
export interface Placed {
  /** Where the name is stored: a whole number from 0 to 2^32 - 1. */
  place: number;
  /** Hash of the text that was found with the name (32 bits). */
  text: number;
  /** A number from 0; of numbers above 65,535 it is 65,535. */
  depth: number;
}

/**
 * Places of stored names by their hashes, in 18 bytes a slot: open addressing with linear probing, as in `NumberSet`. The
 * hash has 53 bits, so that two names may share it: the reader compares the name that is stored at the place.
 */
export class PlaceIndex {
  /** Hashes plus one: zero is an empty slot. */
  #hashes = new Float64Array(1024);
  #places = new Uint32Array(1024);
  #texts = new Uint32Array(1024);
  #depths = new Uint16Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns what is known of the name with this hash; undefined for a hash that no name has. */
  get(hash: number): Placed | undefined {
    const slot = this.#find(hash + 1);
    if (this.#hashes[slot] === EMPTY) return undefined;
    const [place = 0, text = 0, depth = 0] = [this.#places[slot], this.#texts[slot], this.#depths[slot]];
    return { place, text, depth };
  }

  set(hash: number, { place, text, depth }: Placed): void {
    const member = hash + 1;
    const slot = this.#find(member);
    if (this.#hashes[slot] === EMPTY) this.#size++;
    this.#hashes[slot] = member;
    this.#places[slot] = place;
    this.#texts[slot] = text;
    this.#depths[slot] = Math.min(depth, MAX_DEPTH);
    if (this.#size > this.#hashes.length * MAX_LOAD) this.#grow();
  }

  /** Returns the slot of a hash, or the free slot for it. */
  #find(member: number): number {
    const mask = this.#hashes.length - 1;
    let slot = (member >>> 0) & mask;
    while (this.#hashes[slot] !== member && this.#hashes[slot] !== EMPTY) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [hashes, places, texts, depths] = [this.#hashes, this.#places, this.#texts, this.#depths];
    const length = hashes.length * 2;
    this.#hashes = new Float64Array(length);
    this.#places = new Uint32Array(length);
    this.#texts = new Uint32Array(length);
    this.#depths = new Uint16Array(length);
    for (const [old, member] of hashes.entries()) {
      if (member === EMPTY) continue;
      const slot = this.#find(member);
      this.#hashes[slot] = member;
      this.#places[slot] = places[old] ?? 0;
      this.#texts[slot] = texts[old] ?? 0;
      this.#depths[slot] = depths[old] ?? 0;
    }
  }
}
