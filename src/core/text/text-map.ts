import { hash53 } from "./hash.ts";

const FREE = 0;
const FIRST_SLOTS = 16;
const MAX_LOAD = 0.6;
const GROWTH = 4;

/**
 * Texts with a number each, from 0 in the order in which they were added. Exact: texts whose hashes are equal are compared.
 *
 * `Set` and `Map` make V8 intern each text that they are asked about, in one table for all texts of the isolate. For the links
 * of hundreds of pages, which are found once, that is most of what they cost; here a text is only hashed, with a number
 * that differs for each set, so that no site can choose links that fall on one slot. Open addressing with linear probing.
 */
class TextPlaces {
  texts: string[] = [];
  /** Places plus one: zero is an empty slot. */
  #slots = freeSlots(FIRST_SLOTS);
  /** 30 bits of the hash of the text in each slot. */
  #hashes = freeSlots(FIRST_SLOTS);
  readonly #seed = Math.floor(Math.random() * 0x1_0000_0000);

  /** Returns the place of a text; -1 for one that was not added. */
  find(text: string): number {
    return (this.#slots[this.#slotOf(text, this.#hashOf(text))] ?? FREE) - 1;
  }

  /** Adds a text. @returns its place, which is less than the size was before when the text is there already */
  add(text: string): number {
    const hash = this.#hashOf(text);
    const slot = this.#slotOf(text, hash);
    const known = this.#slots[slot] ?? FREE;
    if (known !== FREE) return known - 1;
    this.#slots[slot] = this.texts.push(text);
    this.#hashes[slot] = hash;
    if (this.texts.length > this.#slots.length * MAX_LOAD) this.#grow();
    return this.texts.length - 1;
  }

  /** Forgets all texts, and keeps the slots: large ones are made slowly. */
  clear(): void {
    this.texts = [];
    this.#slots.fill(FREE);
  }

  #hashOf(text: string): number {
    return hash53(text, this.#seed) >>> 2;
  }

  /** Returns the slot of a text, or the free slot for it. */
  #slotOf(text: string, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const known = this.#slots[slot] ?? FREE;
      if (known === FREE || (this.#hashes[slot] === hash && this.texts[known - 1] === text)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #grow(): void {
    const [slots, hashes] = [this.#slots, this.#hashes];
    const mask = slots.length * GROWTH - 1;
    this.#slots = freeSlots(mask + 1);
    this.#hashes = freeSlots(mask + 1);
    for (let old = 0; old < slots.length; old++) {
      const known = slots[old] ?? FREE;
      if (known === FREE) continue;
      const hash = hashes[old] ?? 0;
      let slot = hash & mask;
      while (this.#slots[slot] !== FREE) slot = (slot + 1) & mask;
      this.#slots[slot] = known;
      this.#hashes[slot] = hash;
    }
  }
}

/**
 * Small numbers in an array of the young heap: the memory of a typed array comes back only with a full collection. `Array.from` takes
 * seven times as long.
 */
function freeSlots(count: number): number[] {
  const slots: number[] = [];
  slots.length = count;
  return slots.fill(FREE);
}

/** A set of texts that were made a moment ago, such as the links of a page. See `TextPlaces` for why it is no `Set`. */
export class TextSet {
  readonly #places = new TextPlaces();

  get size(): number {
    return this.#places.texts.length;
  }

  /** The texts in the order in which they were added. */
  get values(): readonly string[] {
    return this.#places.texts;
  }

  has(text: string): boolean {
    return this.#places.find(text) >= 0;
  }

  clear(): void {
    this.#places.clear();
  }

  /** @returns false when the text was there already */
  add(text: string): boolean {
    const before = this.#places.texts.length;
    return this.#places.add(text) === before;
  }
}

/** Values by texts that were made a moment ago. See `TextPlaces` for why it is no `Map`. */
export class TextMap<Value> {
  readonly #places = new TextPlaces();
  readonly #values: Value[] = [];

  get size(): number {
    return this.#values.length;
  }

  /** The values in the order in which their texts were added. */
  get values(): readonly Value[] {
    return this.#values;
  }

  get(text: string): Value | undefined {
    return this.#values[this.#places.find(text)];
  }

  set(text: string, value: Value): void {
    this.#values[this.#places.add(text)] = value;
  }
}
