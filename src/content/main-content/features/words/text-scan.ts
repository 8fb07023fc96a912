import { IN_DESCRIPTION, IN_TITLE } from "./head-words.ts";
import {
  addToHash,
  foldCase,
  HASH_START,
  hashPair,
  HashTable,
  hashWord,
  isDigit,
  isWordCode,
  NUMBER_WORD,
} from "./word-hash.ts";

/** Maximum number of distinct words of a text that are looked up in the tables of odds. */
export const MAX_KEPT_WORDS = 24;
/** Number of words among which stop words are counted. */
const JUDGED_WORDS = 400;

const NUMBER_HASH = hashWord(NUMBER_WORD);
const STOP_WORDS = (
  "the a an and or of to in is it that for on with as was are be this by at from not but have has you your we our they " +
  "their i he she his her its will can more der die das und ist zu den mit von im ein eine für auf nicht auch le la les " +
  "de des et est un une que pour dans qui sur pas el los las en y es por con para no se del al il di che e per non sono " +
  "het van op voor niet dat met zijn o os um do da em não na w i z się nie jest"
).split(" ");
const STOP_TABLE = new HashTable(STOP_WORDS.length);
for (const word of STOP_WORDS) STOP_TABLE.set(hashWord(word), 1);

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
const IDEOGRAPH = 9;
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
  const isIdeograph =
    (code >= 0x3040 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af);
  if (isIdeograph) return IDEOGRAPH;
  if (code === 0x3002 || code === 0xff0c) return PUNCTUATION;
  if (code === 0xa3 || code === 0xa5 || code === 0x20ac || code === 0x20b9) return CURRENCY;
  return isWordCode(code) ? SMALL : PLAIN;
}

/**
 * Counts the parts of a text in one pass over its characters. The results of `read` are valid until the next `read`.
 */
export class TextScan {
  /** Runs of letters and digits. */
  runs = 0;
  hasPrice = false;
  /** Words that the page's title has, pairs of words that its descriptions have. */
  inTitle = 0;
  inDescription = 0;
  /** The numbers of the first distinct words. */
  readonly firstWords = new Int32Array(MAX_KEPT_WORDS);
  wordCount = 0;
  /** Counts by character class. */
  readonly #counts = new Int32Array(IDEOGRAPH + 1);
  #stopWords = 0;
  #lastWord = 0;
  readonly #headWords: HashTable;

  constructor(headWords: HashTable) {
    this.#headWords = headWords;
  }

  read(text: string): void {
    this.#reset();
    const counts = this.#counts;
    let hash = HASH_START;
    let firstSort = PLAIN;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const sort = code < 128 ? ASCII_SORTS[code]! : sortBeyondAscii(code);
      counts[sort] = counts[sort]! + 1;
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

  /** Number of characters of scripts without spaces between words. */
  get ideographs(): number {
    return this.#counts[IDEOGRAPH]!;
  }

  get stopShare(): number {
    return this.#stopWords / Math.max(1, Math.min(this.runs, JUDGED_WORDS));
  }

  #reset(): void {
    this.#counts.fill(0);
    this.runs = this.#stopWords = this.wordCount = this.#lastWord = 0;
    this.inTitle = this.inDescription = 0;
    this.hasPrice = false;
  }

  /** `spelled` distinguishes numbers, which `word` does not. */
  #endWord(word: number, spelled: number): void {
    const headWords = this.#headWords;
    const lastWord = this.#lastWord;
    this.runs++;
    if (this.runs <= JUDGED_WORDS && STOP_TABLE.get(word) !== 0) this.#stopWords++;
    if (this.wordCount < MAX_KEPT_WORDS) this.#keep(word);
    if ((headWords.get(spelled) & IN_TITLE) !== 0) this.inTitle++;
    if (lastWord !== 0 && (headWords.get(hashPair(lastWord, spelled)) & IN_DESCRIPTION) !== 0) this.inDescription++;
    this.#lastWord = spelled;
  }

  #keep(word: number): void {
    for (let index = 0; index < this.wordCount; index++) if (this.firstWords[index] === word) return;
    this.firstWords[this.wordCount++] = word;
  }
}

function isBesideDigit(text: string, at: number): boolean {
  return isDigit(text.charCodeAt(at + 1)) || isDigit(text.charCodeAt(at - 1));
}
