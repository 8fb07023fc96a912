import { keepShape } from "../../../../core/kept-shapes.ts";
/** Letters, and the dash between the parts of a name; all other characters count as one. */
const ALPHABET = "abcdefghijklmnopqrstuvwxyz-";
const OTHER = ALPHABET.length;
const SYMBOLS = OTHER + 1;
const DASH = OTHER - 1;
const SMALL_A = 97;

const ASCII_SYMBOLS = Uint8Array.from({ length: 128 }, (_, code) => {
  const symbol = ALPHABET.indexOf(String.fromCharCode(code).toLowerCase());
  return symbol < 0 ? OTHER : symbol;
});

/**
 * Finds the kinds of words that occur anywhere in the names of an element, in one pass over their characters: an
 * automaton after Aho and Corasick, "Efficient string matching" (1975). Case does not count, and a capital behind a
 * small letter begins a new part, as if a dash preceded it.
 */
export class PartFinder {
  /** The next state for each state and symbol. */
  readonly #next: Int16Array;
  /** For each state a bit for every kind that has a word ending there. */
  readonly #kinds: Int32Array;

  /** For each kind, at most 31, its words, separated by spaces. */
  constructor(words: readonly string[]) {
    const states = 1 + words.reduce((sum, list) => sum + list.length, 0);
    this.#next = new Int16Array(states * SYMBOLS);
    this.#kinds = new Int32Array(states);
    let size = 1;
    words.forEach((list, kind) => {
      for (const word of list.split(" ")) size = this.#add(word, 1 << kind, size);
    });
    this.#link(size);
    keepShape(this);
  }

  /** Returns a bit for each kind of which a word occurs in the text. */
  find(text: string): number {
    const next = this.#next;
    const kinds = this.#kinds;
    const { length } = text;
    let state = 0;
    let found = 0;
    let wasSmall = false;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      const symbol = code < 128 ? ASCII_SYMBOLS[code]! : OTHER;
      const isCapital = code < SMALL_A && symbol < DASH;
      if (isCapital && wasSmall) found |= kinds[(state = next[state * SYMBOLS + DASH]!)]!;
      wasSmall = code >= SMALL_A && symbol < DASH;
      found |= kinds[(state = next[state * SYMBOLS + symbol]!)]!;
    }
    return found;
  }

  #add(word: string, bit: number, size: number): number {
    let state = 0;
    let count = size;
    for (let at = 0; at < word.length; at++) {
      const step = state * SYMBOLS + ASCII_SYMBOLS[word.charCodeAt(at)]!;
      if (this.#next[step] === 0) this.#next[step] = count++;
      state = this.#next[step]!;
    }
    this.#kinds[state] = this.#kinds[state]! | bit;
    return count;
  }

  /**
   * Links each state to the longest word that its last characters begin, where the search continues after a mismatch.
   */
  #link(size: number): void {
    const next = this.#next;
    const kinds = this.#kinds;
    const fallback = new Int16Array(size);
    const queue = [0];
    for (const state of queue) {
      for (let symbol = 0; symbol < SYMBOLS; symbol++) {
        const step = state * SYMBOLS + symbol;
        const below = state === 0 ? 0 : next[fallback[state]! * SYMBOLS + symbol]!;
        const child = next[step]!;
        if (child === 0) next[step] = below;
        else {
          fallback[child] = below;
          kinds[child] = kinds[child]! | kinds[below]!;
          queue.push(child);
        }
      }
    }
  }
}
