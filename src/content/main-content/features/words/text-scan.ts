import { keepShape } from "../../../../core/kept-shapes.ts";
import { IN_DESCRIPTION, IN_TITLE } from "./head-words.ts";
import { CURRENCY_WORDS, STOP_WORDS } from "./known-words.ts";
import { translateHash } from "./translations.ts";
import {
  addToHash,
  foldCase,
  HASH_START,
  hashPair,
  HashTable,
  hashWord,
  isCurrency,
  isDigit,
  isForeignPunctuation,
  isIdeograph,
  isSoutheastAsian,
  isWordCode,
  NUMBER_WORD,
} from "./word-hash.ts";

/** Maximum number of distinct words of a text that are looked up in the tables of odds. */
export const MAX_KEPT_WORDS = 24;
/** Number of words among which stop words are counted. */
const JUDGED_WORDS = 400;

const NUMBER_HASH = hashWord(NUMBER_WORD);
const STOP_TABLE = tableOf(STOP_WORDS);
const CURRENCY_TABLE = tableOf(CURRENCY_WORDS);

function tableOf(words: readonly string[]): HashTable {
  const table = new HashTable(words.length);
  for (const word of words) table.set(hashWord(word), 1);
  return table;
}

/** Classes of characters; from `SMALL` on a character is part of a word. */
const PLAIN = 0;
const SPACE = 1;
const PUNCTUATION = 2;
const SYMBOL = 3;
const CURRENCY = 4;
const SMALL = 5;
const CAPITAL = 6;
const DIGIT = 7;
const UNDERSCORE = 8;
/** Characters of scripts without spaces between words, from here on. */
const IDEOGRAPH = 9;
const SOUTHEAST_ASIAN = 10;
const ASCII_SORTS = new Uint8Array(128).map((_, code) => sortOfAscii(String.fromCharCode(code)));

function sortOfAscii(character: string): number {
  if (/[a-z]/.test(character)) return SMALL;
  if (/[A-Z]/.test(character)) return CAPITAL;
  if (/\d/.test(character)) return DIGIT;
  if (/[,.:;!?]/.test(character)) return PUNCTUATION;
  if (/[#%&*+/<=>@[\\\]^`{|}~]/.test(character)) return SYMBOL;
  return character === "_" ? UNDERSCORE : character === " " ? SPACE : character === "$" ? CURRENCY : PLAIN;
}

function sortBeyondAscii(code: number): number {
  if (code < 0xe01) return sortOfAlphabet(code);
  if (isIdeograph(code)) return IDEOGRAPH;
  if (isSoutheastAsian(code)) return SOUTHEAST_ASIAN;
  return sortOfAlphabet(code);
}

function sortOfAlphabet(code: number): number {
  if (isCurrency(code)) return CURRENCY;
  if (isForeignPunctuation(code)) return PUNCTUATION;
  if (!isWordCode(code)) return PLAIN;
  return foldCase(code) === code ? SMALL : CAPITAL;
}

/**
 * Counts the parts of a text in one pass over its characters. The results of `read` are valid until the next `read`.
 */
export class TextScan {
  /** Words: runs of letters and digits, and pairs of characters of scripts without spaces. */
  runs = 0;
  /** The pairs among them. */
  pairs = 0;
  hasPrice = false;
  /** Words that the page's title has, pairs of words that its descriptions have. */
  inTitle = 0;
  inDescription = 0;
  /** The numbers of the first distinct words. */
  readonly firstWords = new Int32Array(MAX_KEPT_WORDS);
  wordCount = 0;
  /** Counts by character class. */
  readonly #counts = new Int32Array(SOUTHEAST_ASIAN + 1);
  #stopWords = 0;
  #lastWord = 0;
  #followsNumber = false;
  readonly #headWords: HashTable;

  constructor(headWords: HashTable) {
    this.#headWords = headWords;
    keepShape(this);
  }

  read(text: string): void {
    this.#reset();
    const counts = this.#counts;
    // The texts of a page are strings of many kinds to the engine, which would look up the length at each character.
    const { length } = text;
    let hash = HASH_START;
    let firstSort = PLAIN;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      const sort = code < 128 ? ASCII_SORTS[code]! : sortBeyondAscii(code);
      counts[sort] = counts[sort]! + 1;
      if (sort >= IDEOGRAPH) {
        if (firstSort !== PLAIN) this.#endWord(firstSort === DIGIT ? NUMBER_HASH : hash, hash);
        firstSort = PLAIN;
        hash = HASH_START;
        this.#readUnspaced(text, at, code);
        continue;
      }
      if (sort >= SMALL) {
        if (firstSort === PLAIN) firstSort = sort;
        hash = addToHash(hash, sort === SMALL && code < 128 ? code : foldCase(code));
        continue;
      }
      if (sort === CURRENCY && isBesideDigit(text, at)) this.hasPrice = true;
      if (firstSort === PLAIN) continue;
      this.#endWord(firstSort === DIGIT ? NUMBER_HASH : hash, hash);
      hash = HASH_START;
      firstSort = PLAIN;
    }
    if (firstSort !== PLAIN) this.#endWord(firstSort === DIGIT ? NUMBER_HASH : hash, hash);
  }

  get spaces(): number {
    return this.#counts[SPACE]!;
  }

  get capitals(): number {
    return this.#counts[CAPITAL]!;
  }

  get digits(): number {
    return this.#counts[DIGIT]!;
  }

  get punctuation(): number {
    return this.#counts[PUNCTUATION]!;
  }

  /** Number of characters that are typical of code and addresses. */
  get symbols(): number {
    return this.#counts[SYMBOL]! + this.#counts[UNDERSCORE]!;
  }

  /** Number of words of scripts without spaces between them, as far as characters tell. */
  get unspacedWords(): number {
    return this.#counts[IDEOGRAPH]! / 2 + this.#counts[SOUTHEAST_ASIAN]! / 5;
  }

  get stopShare(): number {
    return this.#stopWords / Math.max(1, Math.min(this.runs, JUDGED_WORDS));
  }

  #reset(): void {
    this.#counts.fill(0);
    this.runs = this.pairs = this.#stopWords = this.wordCount = this.#lastWord = 0;
    this.inTitle = this.inDescription = 0;
    this.hasPrice = this.#followsNumber = false;
  }

  /** Reads a character of a script without spaces: a word with the next one, or alone when there is none on either side. */
  #readUnspaced(text: string, at: number, code: number): void {
    const single = addToHash(HASH_START, code);
    if (this.runs <= JUDGED_WORDS && STOP_TABLE.get(single) !== 0) this.#stopWords++;
    const next = text.charCodeAt(at + 1);
    if (next >= 128 && sortBeyondAscii(next) >= IDEOGRAPH) this.#endPair(addToHash(single, next));
    else if (at === 0 || !isUnspacedBefore(text, at)) this.#endPair(single);
  }

  #endPair(word: number): void {
    this.pairs++;
    this.#endWord(word, word);
  }

  /** `spelled` distinguishes numbers, which `word` does not. */
  #endWord(word: number, spelled: number): void {
    const headWords = this.#headWords;
    const lastWord = this.#lastWord;
    this.runs++;
    if (this.runs <= JUDGED_WORDS && STOP_TABLE.get(word) !== 0) this.#stopWords++;
    if (this.#followsNumber && CURRENCY_TABLE.get(word) !== 0) this.hasPrice = true;
    this.#followsNumber = word === NUMBER_HASH;
    if (this.wordCount < MAX_KEPT_WORDS) this.#keep(translateHash(word));
    if ((headWords.get(spelled) & IN_TITLE) !== 0) this.inTitle++;
    if (lastWord !== 0 && (headWords.get(hashPair(lastWord, spelled)) & IN_DESCRIPTION) !== 0) this.inDescription++;
    this.#lastWord = spelled;
  }

  #keep(word: number): void {
    for (let index = 0; index < this.wordCount; index++) if (this.firstWords[index] === word) return;
    this.firstWords[this.wordCount++] = word;
  }
}

function isUnspacedBefore(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before >= 128 && sortBeyondAscii(before) >= IDEOGRAPH;
}

function isBesideDigit(text: string, at: number): boolean {
  return isDigit(text.charCodeAt(at + 1)) || isDigit(text.charCodeAt(at - 1));
}
