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
  if (code < 0xc0 || code > 0x42f) return code;
  if (code <= 0xde) return code === 0xd7 ? code : code + 32;
  if (code >= 0x100 && code <= 0x17f) return foldExtendedLatin(code);
  if (code >= 0x391 && code <= 0x3a9) return code + 32;
  if (code >= 0x400) return code + (code < 0x410 ? 80 : 32);
  return code;
}

/** Capitals of Latin Extended-A are even and before their small letters, but for two ranges where they are odd. */
function foldExtendedLatin(code: number): number {
  if (code === 0x130 || code === 0x131 || code === 0x138 || code === 0x149 || code >= 0x17f) return code;
  if (code === 0x178) return 0xff;
  const isOddCapital = (code >= 0x139 && code <= 0x148) || code >= 0x179;
  return code % 2 === (isOddCapital ? 1 : 0) ? code + 1 : code;
}

/** True for the characters of words: letters and digits, as far as they matter here, and the underscore. */
export function isWordCode(code: number): boolean {
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || isDigit(code) || code === 95;
  if (code < 0xc0 || isForeignPunctuation(code) || isCurrency(code)) return false;
  return code < 0x2000 || code > 0x303f || code === 0x200c || code === 0x200d;
}

/** True for marks that end or divide sentences in scripts other than Latin: Arabic, Indic, Chinese and Japanese. */
export function isForeignPunctuation(code: number): boolean {
  if (code < 0x60c) return false;
  if (code <= 0x6d4) return code === 0x60c || code === 0x61b || code === 0x61f || code === 0x6d4;
  if (code < 0x3001) return code === 0x964 || code === 0x965 || code === 0x104a || code === 0x104b || code === 0x17d4;
  if (code <= 0x3002) return true;
  return code === 0xff01 || code === 0xff0c || code === 0xff0e || code === 0xff1a || code === 0xff1b || code === 0xff1f;
}

export function isCurrency(code: number): boolean {
  return (code >= 0xa2 && code <= 0xa5) || code === 0xe3f || (code >= 0x20a0 && code <= 0x20bf) || code === 0xffe5;
}

/** True for the characters of Chinese and Japanese, of which two are about a word. */
export function isIdeograph(code: number): boolean {
  return (code >= 0x3040 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff);
}

/** True for the letters of Thai, Lao, Burmese and Khmer, which have no spaces between words and some five to a word. */
export function isSoutheastAsian(code: number): boolean {
  return (
    (code >= 0xe01 && code <= 0xedf && code !== 0xe3f) ||
    (code >= 0x1000 && code <= 0x1049) ||
    (code >= 0x1780 && code <= 0x17d3)
  );
}

/** Reports whether a character is of a script without spaces: its words are pairs of neighbours. */
export function isUnspaced(code: number): boolean {
  return code >= 0xe01 && (isIdeograph(code) || isSoutheastAsian(code));
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** The tables of odds treat all numbers as one word. */
export const NUMBER_WORD = "0";

/**
 * Calls `visit` with each word of a text in order: its start and end, and its number. In scripts without spaces, each
 * character makes a word with the next one.
 */
export function eachWord(text: string, visit: (start: number, end: number, hash: number) => void): void {
  const { length } = text;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (!isWordCode(code)) continue;
    if (isUnspaced(code)) {
      const next = text.charCodeAt(at + 1);
      const hash = addToHash(HASH_START, code);
      if (isUnspaced(next)) visit(at, at + 2, addToHash(hash, next));
      else if (at === 0 || !isUnspaced(text.charCodeAt(at - 1))) visit(at, at + 1, hash);
      continue;
    }
    const start = at;
    let hash = HASH_START;
    for (; at < length; at++) {
      const next = text.charCodeAt(at);
      if (!isSpacedWordCode(next)) break;
      hash = addToHash(hash, foldCase(next));
    }
    visit(start, at, hash);
    at--;
  }
}

function isSpacedWordCode(code: number): boolean {
  return isWordCode(code) && !isUnspaced(code);
}

/** Spreads the numbers of words that are known beforehand. */
const KNOWN_FACTOR = 0x9e3779b1 | 0;

/**
 * Returns an odd factor for `slotFor`. A table of the words of a page has one of its own: with a known one, a page could
 * have words that all fall on neighbouring slots.
 */
export function randomFactor(): number {
  return (Math.random() * 0x1_0000_0000) | 1;
}

/** Returns the slot at which the search for a number begins. @param bits the table has two to the power of these slots */
export function slotFor(hash: number, factor: number, bits: number): number {
  return Math.imul(hash, factor) >>> (32 - bits);
}

/** A table from the numbers of words to a small number each, with open addressing; 0 for words that are not in it. */
export class HashTable {
  readonly #keys: Int32Array;
  readonly #values: Float32Array;
  readonly #bits: number;
  readonly #mask: number;
  readonly #factor: number;

  /** @param factor a random one for words that a page has chosen */
  constructor(capacity: number, factor = KNOWN_FACTOR) {
    let bits = 4;
    while (2 ** bits < capacity * 2) bits++;
    this.#keys = new Int32Array(2 ** bits);
    this.#values = new Float32Array(2 ** bits);
    this.#bits = bits;
    this.#mask = 2 ** bits - 1;
    this.#factor = factor;
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
    let slot = slotFor(hash, this.#factor, this.#bits);
    while (this.#values[slot] !== 0 && this.#keys[slot] !== hash) slot = (slot + 1) & this.#mask;
    return slot;
  }
}
