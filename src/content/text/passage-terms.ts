import { withoutStopWords } from "../../core/search/stop-words.ts";
import { foldText, wordsOf } from "../../core/search/words.ts";

/** Weight of a word that merely begins like the term. */
const INFLECTED = 0.6;
/** Shorter stems match whole words only. */
const MIN_STEM_CHARS = 4;
/** Characters by which a word may be longer than the stem that it begins with. */
const MAX_ENDING_CHARS = 5;
/** Up to so many terms, searching a sentence for each is faster than splitting it into words. */
const MAX_SEARCHED = 8;
const NONE: ReadonlyMap<number, number> = new Map();

/** The terms that a sentence holds. */
export interface HeldTerms {
  /** Count of each term that is held, by its number. */
  held: ReadonlyMap<number, number>;
  /** Words of the sentence; estimated where it holds no term. */
  length: number;
  /** Look-ups that were made. */
  steps: number;
}

/**
 * The distinct words of a query, without stop words. The words of a text are looked up among them, so that a text takes
 * as long for a thousand terms as for ten.
 */
export class PassageTerms {
  /** In the order of the query. */
  readonly terms: readonly string[];
  readonly #numbers: ReadonlyMap<string, number>;
  /** Numbers of the terms of each stem. */
  readonly #byStem = new Map<string, number[]>();
  /** Beginnings of the stems: most words begin like none of them. */
  readonly #starts = new Set<string>();
  readonly #searched: readonly string[];

  constructor(query: string) {
    this.terms = [...new Set(withoutStopWords(wordsOf(query)))];
    this.#numbers = new Map(this.terms.map((term, number) => [term, number]));
    const stems = this.terms.map(stemOf);
    for (const [number, stem] of stems.entries()) {
      if (stem.length < MIN_STEM_CHARS) continue;
      const same = this.#byStem.get(stem);
      if (same === undefined) this.#byStem.set(stem, [number]);
      else same.push(number);
      this.#starts.add(stem.slice(0, MIN_STEM_CHARS));
    }
    this.#searched = this.terms.length <= MAX_SEARCHED ? stems : [];
  }

  /** Counts the terms in a sentence: 1 for a term as it is, less for a word that begins like it. */
  countIn(sentence: string): HeldTerms {
    const estimated = Math.ceil(sentence.length / 6);
    if (this.#searched.length > 0) {
      const folded = foldText(sentence);
      if (!this.#searched.some((stem) => folded.includes(stem))) return { held: NONE, length: estimated, steps: 1 };
    }
    const words = wordsOf(sentence);
    let held: Map<number, number> | undefined;
    for (const word of words) {
      for (const [number, weight] of this.#alike(word)) {
        held ??= new Map();
        held.set(number, (held.get(number) ?? 0) + weight);
      }
    }
    const isEstimated = held === undefined && this.#searched.length === 0;
    return { held: held ?? NONE, length: isEstimated ? estimated : words.length, steps: 1 + words.length };
  }

  /** Returns the numbers of the terms that a word counts for, with its weight for each. */
  #alike(word: string): [number, number][] {
    const same = this.#numbers.get(word);
    const found: [number, number][] = same === undefined ? [] : [[same, 1]];
    if (!this.#starts.has(word.slice(0, MIN_STEM_CHARS))) return found;
    for (let length = Math.max(MIN_STEM_CHARS, word.length - MAX_ENDING_CHARS); length <= word.length; length++) {
      for (const number of this.#byStem.get(word.slice(0, length)) ?? []) {
        if (number !== same) found.push([number, INFLECTED]);
      }
    }
    return found;
  }
}

/** Returns a term without the endings of an English plural or verb: enough to match `ferries` and `ferry`. */
function stemOf(term: string): string {
  if (term.length < 5 || !/^[a-z]+$/.test(term)) return term;
  return term.replace(/(?:ies|ing|es|ed|s|y)$/, "");
}
