/**
 * Words as 32-bit numbers (FNV-1a over case-folded characters), so that the thousands of words in a page allocate no
 * strings.
 */

export const HASH_START = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

export function addToHash(hash: number, code: number): number {
  return Math.imul(hash ^ code, PRIME);
}

/** Returns the number of a word that is in lower case already. */
export function hashWord(word: string): number {
  let hash = HASH_START;
  for (let index = 0; index < word.length; index++) hash = addToHash(hash, word.charCodeAt(index));
  return hash;
}

/** Returns a number for two words in a row. */
export function hashPair(first: number, second: number): number {
  return (Math.imul(first, 31) + second) | 0;
}

/** Returns the lower case of Latin, Greek and Cyrillic letters; other characters unchanged. */
export function foldCase(code: number): number {
  if (code < 128) return code >= 65 && code <= 90 ? code + 32 : code;
  const hasPartner =
    (code >= 0xc0 && code <= 0xde && code !== 0xd7) ||
    (code >= 0x391 && code <= 0x3a9) ||
    (code >= 0x410 && code <= 0x42f);
  return hasPartner ? code + 32 : code;
}

/** True for the characters of words: letters and digits, as far as they matter here, and the underscore. */
export function isWordCode(code: number): boolean {
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || isDigit(code) || code === 95;
  return code >= 0xc0 && (code < 0x2000 || code > 0x303f);
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** The tables of odds treat all numbers as one word. */
export const NUMBER_WORD = "0";

/** Calls `visit` with each word of a text in order: its start and end, and its number. */
export function eachWord(text: string, visit: (start: number, end: number, hash: number) => void): void {
  for (let start = 0; start < text.length; start++) {
    if (!isWordCode(text.charCodeAt(start))) continue;
    let end = start;
    let hash = HASH_START;
    for (; end < text.length && isWordCode(text.charCodeAt(end)); end++) {
      hash = addToHash(hash, foldCase(text.charCodeAt(end)));
    }
    visit(start, end, hash);
    start = end;
  }
}

/** A table from the numbers of words to a small number each, with open addressing; 0 for words that are not in it. */
export class HashTable {
  readonly #keys: Int32Array;
  readonly #values: Float32Array;
  readonly #mask: number;

  constructor(capacity: number) {
    let slots = 16;
    while (slots < capacity * 2) slots *= 2;
    this.#keys = new Int32Array(slots);
    this.#values = new Float32Array(slots);
    this.#mask = slots - 1;
  }

  get(hash: number): number {
    return this.#values[this.#slotOf(hash)]!;
  }

  /** `value` must not be 0. */
  set(hash: number, value: number): void {
    const slot = this.#slotOf(hash);
    this.#keys[slot] = hash;
    this.#values[slot] = value;
  }

  #slotOf(hash: number): number {
    let slot = (hash ^ (hash >>> 15)) & this.#mask;
    while (this.#values[slot] !== 0 && this.#keys[slot] !== hash) slot = (slot + 1) & this.#mask;
    return slot;
  }
}
