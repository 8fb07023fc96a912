/**
 * Learned log-odds of words: how much more often than usual a word occurs in main content. Three tables: words in the
 * attributes of elements, words of short blocks, words of the heading above a block.
 */
import { keepShape } from "../../../../core/kept-shapes.ts";
import { type ElementNode, NO_ATTRIBUTES } from "../../../html/tree/tree.ts";
import { translateHash, translateWord } from "./translations.ts";
import { addToHash, eachWord, HASH_START, HashTable, hashWord, isDigit, NUMBER_WORD } from "./word-hash.ts";

export type OddsKind = "classes" | "texts" | "headings";

/** As learned, and as stored in the model file. */
export type LearnedOdds = Record<OddsKind, ReadonlyMap<string, number>>;

/** As looked up: by the numbers of words. */
export type WordOdds = Record<OddsKind, HashTable>;

export function compileOdds({ classes, texts, headings }: LearnedOdds): WordOdds {
  return { classes: compileTable(classes), texts: compileTable(texts), headings: compileTable(headings) };
}

function compileTable(words: ReadonlyMap<string, number>): HashTable {
  const table = new HashTable(words.size);
  for (const [word, odds] of words) if (odds !== 0) table.set(hashWord(word), odds);
  return table;
}

/** Summary of one text or one element in a table. */
export interface OddsSummary {
  highest: number;
  lowest: number;
  sum: number;
  /** Number of its words that are in the table. */
  known: number;
}

/** Sums up the odds of `words[from]` to `words[to - 1]`. */
export function summarizeOdds(words: Int32Array, from: number, to: number, table: HashTable): OddsSummary {
  const summary: OddsSummary = { highest: 0, lowest: 0, sum: 0, known: 0 };
  for (let at = from; at < to; at++) {
    const odds = table.get(words[at]!);
    if (odds === 0) continue;
    if (odds > summary.highest) summary.highest = odds;
    else if (odds < summary.lowest) summary.lowest = odds;
    summary.sum += odds;
    summary.known++;
  }
  return summary;
}

const MAX_NAME_LENGTH = 300;
const MIN_CLASS_WORD = 2;
const MAX_CLASS_WORD = 23;

/** Attributes that name an element beside its tag, with the sign that the first word of some begins with. */
const NAMING: readonly (readonly [attribute: string, prefix: string])[] = [
  ["class", ""],
  ["id", "#"],
  ["role", "r="],
  ["itemprop", "i="],
  ["data-testid", ""],
  ["data-component", ""],
  ["aria-label", "l="],
];

function eachName({ tag, attributes }: ElementNode, visit: (value: string, prefix: string) => void): void {
  visit(tag, "");
  if (attributes === NO_ATTRIBUTES) return;
  for (const [attribute, prefix] of NAMING) {
    const value = attributes[attribute];
    if (value) visit(value, prefix);
  }
}

/**
 * Returns the distinct words of an element's tag and names in lower case, cut where letters end or a capital follows a
 * small one.
 */
export function classWords(element: ElementNode): string[] {
  const words = new Set<string>();
  eachName(element, (value, prefix) => {
    const parted = `${prefix}${value.slice(0, MAX_NAME_LENGTH).replace(/([a-z])([A-Z])/g, "$1 $2")}`;
    for (const word of parted.toLowerCase().split(/[^a-z#=]+/)) words.add(word);
  });
  return [...words].filter(({ length }) => length >= MIN_CLASS_WORD && length <= MAX_CLASS_WORD);
}

/**
 * Returns the distinct words of a text, in lower case; numbers are one word, and words that
 * pages of other languages use around their content are English ones. For training: the classifier itself hashes
 * words.
 */
export function textWords(text: string, most: number): string[] {
  const words = new Map<number, string>();
  eachWord(text, (start, end, hash) => {
    if (words.size >= most) return;
    const isNumber = isDigit(text.charCodeAt(start));
    const word = isNumber ? NUMBER_WORD : translateWord(text.slice(start, end).toLowerCase());
    words.set(isNumber ? hashWord(NUMBER_WORD) : translateHash(hash), word);
  });
  return [...words.values()];
}

/** Writes the numbers of `classWords(element)` into `words`. @returns their number, at most the length of `words` */
export function hashClassWords(element: ElementNode, words: Int32Array): number {
  const collector = new ClassWordCollector(words);
  eachName(element, (value, prefix) => collector.read(prefix, value));
  return collector.count;
}

class ClassWordCollector {
  count = 0;
  readonly #words: Int32Array;
  #hash = HASH_START;
  #length = 0;

  constructor(words: Int32Array) {
    this.#words = words;
    keepShape(this);
  }

  read(prefix: string, value: string): void {
    for (let at = 0; at < prefix.length; at++) this.#add(prefix.charCodeAt(at));
    let isSmall = false;
    const end = Math.min(value.length, MAX_NAME_LENGTH);
    for (let at = 0; at < end; at++) {
      const code = value.charCodeAt(at);
      const isCapital = code >= 65 && code <= 90;
      if (isCapital && isSmall) this.#endWord();
      isSmall = code >= 97 && code <= 122;
      if (isSmall || code === 35 || code === 61) this.#add(code);
      else if (isCapital) this.#add(code + 32);
      else this.#endWord();
    }
    this.#endWord();
  }

  #add(code: number): void {
    this.#hash = addToHash(this.#hash, code);
    this.#length++;
  }

  #endWord(): void {
    const { count } = this;
    const hash = this.#hash;
    const length = this.#length;
    const words = this.#words;
    if (length >= MIN_CLASS_WORD && length <= MAX_CLASS_WORD && count < words.length && !this.#has(hash)) {
      words[this.count++] = hash;
    }
    this.#hash = HASH_START;
    this.#length = 0;
  }

  #has(hash: number): boolean {
    for (let index = 0; index < this.count; index++) if (this.#words[index] === hash) return true;
    return false;
  }
}
