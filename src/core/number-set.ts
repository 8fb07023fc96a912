const EMPTY = 0;
const DELETED = -1;
const MAX_LOAD = 0.7;

/**
 * A set of positive numbers with 8 bytes per slot, where JavaScript's `Set` takes some 40: open addressing with linear
 * probing (Knuth, The Art of Computer Programming, vol. 3, § 6.4). Zero counts as one.
 */
export class NumberSet {
  #places = new Float64Array(1024);
  /** Slots that are not empty: members and deleted members. */
  #used = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(value: number): boolean {
    return this.#places[this.#find(value || 1)] === (value || 1);
  }

  /** @returns false when the value was already a member. */
  add(value: number): boolean {
    const member = value || 1;
    const place = this.#find(member);
    if (this.#places[place] === member) return false;
    this.#places[place] = member;
    this.#size++;
    this.#used++;
    if (this.#used > this.#places.length * MAX_LOAD) this.#grow();
    return true;
  }

  /** @returns false when the value was no member. */
  delete(value: number): boolean {
    const member = value || 1;
    const place = this.#find(member);
    if (this.#places[place] !== member) return false;
    this.#places[place] = DELETED;
    this.#size--;
    return true;
  }

  /** Returns the slot of a value, or the free slot for it. */
  #find(member: number): number {
    const mask = this.#places.length - 1;
    // Members are hashes, whose low 32 bits are well distributed.
    let place = (member >>> 0) & mask;
    for (;;) {
      const held = this.#places[place];
      if (held === member || held === EMPTY) return place;
      place = (place + 1) & mask;
    }
  }

  #grow(): void {
    const old = this.#places;
    const wanted = this.#size > (old.length * MAX_LOAD) / 2 ? old.length * 2 : old.length;
    this.#places = new Float64Array(wanted);
    this.#used = this.#size;
    for (const member of old) {
      if (member !== EMPTY && member !== DELETED) this.#places[this.#find(member)] = member;
    }
  }
}
