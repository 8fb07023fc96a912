/** Facts about a block from its text alone, found in one pass over its characters. */
import type { Block } from "../blocks.ts";
import { MAX_KEPT_WORDS, TextScan } from "./words/text-scan.ts";
import type { HashTable } from "./words/word-hash.ts";

export interface TextFacts {
  /** Words; in scripts without spaces by the number of characters. */
  words: Float64Array;
  /** Words as they are compared: runs of letters and digits, so that "$12.99" has two and "–" none; at least 0.2. */
  sizes: Float64Array;
  lengths: Float64Array;
  linkDensities: Float64Array;
  /** Characters of good text: unlinked, in a block of ten words or more of which less than 40 % is links. */
  good: Float64Array;
  upperShares: Float64Array;
  digitShares: Float64Array;
  /** Share of characters that are typical of code and addresses rather than of sentences. */
  symbolShares: Float64Array;
  /** Punctuation marks per word. */
  punctuation: Float64Array;
  /** Share of stop words among the first 400 words. */
  stopShares: Float64Array;
  /** Number of blocks of the page with the same text, and of those before this one. */
  copies: Float64Array;
  earlierCopies: Float64Array;
  /** 1 where the text ends like a sentence. */
  sentenceEnds: Uint8Array;
  /** 1 where the text's start or end sounds like the small print of a footer. */
  legal: Uint8Array;
  /** 1 where the text contains an amount of money. */
  prices: Uint8Array;
  /** Share of the words that the page's title has, and of the pairs of words in its descriptions. */
  titleShares: Float64Array;
  describedShares: Float64Array;
  /** The numbers of each block's first distinct words: `wordCounts[block]` from `block * MAX_KEPT_WORDS` on. */
  firstWords: Int32Array;
  wordCounts: Uint8Array;
}

const SENTENCE_END = /[.!?。！？…؟۔।॥။។]["'”’»）」』)\]]?$/;
const LEGAL =
  /©|\bcopyright\b|all rights reserved|privacy policy|terms of (?:use|service)|cookie|alle rechte vorbehalten|datenschutz|impressum|tous droits réservés|mentions légales|confidentialité|todos (?:los derechos|os direitos)|pol[ií]tica de privaci|tutti i diritti|informativa sulla privacy|alle rechten|wszelkie prawa|polityka prywatności|všechna práva|všetky práva|ochrana osobních|все права|права защищены|конфиденциальности|усі права|всі права|tüm hakları|gizlilik|جميع الحقوق|حقوق محفوظ|कॉपीराइट|सर्वाधिकार|bản quyền|hak cipta|저작권|개인정보|版权所有|版權所有|隐私|隱私|著作権|無断転載|プライバシー|สงวนลิขสิทธิ์/i;
const GOOD_WORDS = 10;
const GOOD_LINK_DENSITY = 0.4;
/** Number of the facts that are arrays of 64-bit floats. */
const NUMBERS = 14;

export function collectTextFacts(blocks: readonly Block[], headWords: HashTable): TextFacts {
  const facts = emptyFacts(blocks.length);
  const firstOf = new Map<string, number>();
  const firsts = new Int32Array(blocks.length);
  const scan = new TextScan(headWords);
  blocks.forEach((block, index) => {
    scan.read(block.text);
    describe(facts, index, block, scan);
    firsts[index] = countCopy(facts, firstOf, block.text, index);
  });
  firsts.forEach((first, index) => {
    facts.copies[index] = facts.copies[first]!;
  });
  return facts;
}

function emptyFacts(count: number): TextFacts {
  // One allocation for all: memory outside of the engine's heap takes longer to get than the numbers take to compute.
  const all = new Float64Array(NUMBERS * count);
  let taken = 0;
  const numbers = () => all.subarray(taken, (taken += count));
  return {
    words: numbers(),
    sizes: numbers(),
    lengths: numbers(),
    linkDensities: numbers(),
    good: numbers(),
    upperShares: numbers(),
    digitShares: numbers(),
    symbolShares: numbers(),
    punctuation: numbers(),
    stopShares: numbers(),
    copies: numbers(),
    earlierCopies: numbers(),
    sentenceEnds: new Uint8Array(count),
    legal: new Uint8Array(count),
    prices: new Uint8Array(count),
    titleShares: numbers(),
    describedShares: numbers(),
    firstWords: new Int32Array(count * MAX_KEPT_WORDS),
    wordCounts: new Uint8Array(count),
  };
}

function describe(facts: TextFacts, index: number, { text, linkLength }: Block, scan: TextScan): void {
  const { length } = text;
  const words = scan.spaces + 1 + scan.unspacedWords;
  const linkDensity = linkLength / length;
  const pairs = Math.max(1, scan.runs - 1);
  facts.words[index] = words;
  facts.sizes[index] = Math.max(0.2, scan.runs - scan.pairs + scan.unspacedWords);
  facts.lengths[index] = length;
  facts.linkDensities[index] = linkDensity;
  facts.good[index] = words >= GOOD_WORDS && linkDensity < GOOD_LINK_DENSITY ? length - linkLength : 0;
  facts.upperShares[index] = scan.capitals / length;
  facts.digitShares[index] = scan.digits / length;
  facts.symbolShares[index] = scan.symbols / length;
  facts.punctuation[index] = scan.punctuation / words;
  facts.stopShares[index] = scan.stopShare;
  facts.sentenceEnds[index] = endsSentence(text, length) ? 1 : 0;
  facts.legal[index] = LEGAL.test(sample(text)) ? 1 : 0;
  facts.prices[index] = scan.hasPrice ? 1 : 0;
  facts.titleShares[index] = scan.inTitle / Math.max(1, scan.runs);
  facts.describedShares[index] = scan.inDescription / pairs;
  for (let word = 0; word < scan.wordCount; word++)
    facts.firstWords[index * MAX_KEPT_WORDS + word] = scan.firstWords[word]!;
  facts.wordCounts[index] = scan.wordCount;
}

/** Reports whether a text ends like a sentence. Most texts end with a letter, and need not be searched. */
function endsSentence(text: string, length: number): boolean {
  const last = text.charCodeAt(length - 1);
  const isAsciiLetter = (last >= 97 && last <= 122) || (last >= 65 && last <= 90);
  return !isAsciiLetter && SENTENCE_END.test(text.slice(-3));
}

/** Counts a copy at the index of its first occurrence, and returns that index. */
function countCopy(facts: TextFacts, firstOf: Map<string, number>, text: string, index: number): number {
  const key = copyKey(text);
  const first = firstOf.get(key) ?? index;
  if (first === index) firstOf.set(key, index);
  facts.earlierCopies[index] = facts.copies[first]!;
  facts.copies[first] = facts.copies[first]! + 1;
  return first;
}

/** Returns the part of a text that represents all of it when copies are looked for. */
function copyKey(text: string): string {
  return text.length > 200 ? text.slice(0, 200) : text;
}

/** Returns the first and last 150 characters of a long text. */
function sample(text: string): string {
  return text.length > 300 ? `${text.slice(0, 150)} ${text.slice(-150)}` : text;
}
