/** What can be said about a block from its text alone, in one pass over its characters. */
import type { Block } from "../blocks.ts";

export interface TextFacts {
  /** Words; a character of a script without spaces counts half a word. */
  words: Float64Array;
  lengths: Float64Array;
  linkDensities: Float64Array;
  /** Characters of good text: unlinked, in a block of ten words or more of which less than 40 % is links. */
  good: Float64Array;
  upperShares: Float64Array;
  digitShares: Float64Array;
  /** Punctuation marks per word. */
  punctuation: Float64Array;
  /** Share of stop words among the first 400 words. */
  stopShares: Float64Array;
  /** How many blocks of the page have the same text. */
  copies: Float64Array;
  /** Bit mask of `PATTERNS` that match. */
  patterns: Int32Array;
}

const STOP_WORDS = new Set(
  (
    "the a an and or of to in is it that for on with as was are be this by at from not but have has you your we our they " +
    "their i he she his her its will can more der die das und ist zu den mit von im ein eine für auf nicht auch le la les " +
    "de des et est un une que pour dans qui sur pas el los las en y es por con para no se del al il di che e per non sono " +
    "het van op voor niet dat met zijn o os um do da em não na w i z się nie jest"
  ).split(" "),
);

/** Phrases that tell what a block is for. Tried on the first and last 150 characters. */
export const PATTERNS = {
  legal: /©|\bcopyright\b|all rights reserved|privacy policy|terms of (?:use|service)|cookie/i,
  social:
    /\b(?:share|tweet|pin it|facebook|twitter|whatsapp|linkedin|instagram|pinterest|telegram|email this|print)\b/i,
  account:
    /\b(?:log ?in|sign ?(?:in|up)|register|subscribe|newsletter|my account|forgot|password|join (?:now|us)|create an account)\b/i,
  related:
    /\b(?:related|recommended|you (?:may|might) (?:also )?like|more (?:from|in|stories|articles|on)|read (?:more|next|also)|see also|popular|trending|latest|up next|similar|most read|featured (?:posts?|articles?))\b/i,
  comment: /\b(?:comments?|repl(?:y|ies)|leave a (?:comment|reply)|post a comment|respond)\b/i,
  action:
    /^(?:click|learn more|read more|view all|see all|show more|load more|next|previous|prev|back|home|menu|search|close|skip|continue|download|buy now|add to (?:cart|bag|basket|wishlist)|shop now|get started|book a demo|contact us|sort by|filter|apply|clear)/i,
  price: /[$€£¥₹]\s?\d|\d\s?(?:€|USD|EUR|GBP|kr|zł)/,
  date: /\b(?:19|20)\d\d\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}\b|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}/i,
  byLine:
    /^(?:by|von|par|por|di)\s+[A-Z]|\bmin(?:ute)?s? read\b|\b(?:posted|published|updated|written) (?:on|by|:)|\bago\b/i,
  advertisement: /^(?:ads?|advertisement|advertising|sponsored|promoted|anzeige|werbung|publicidad|publicité)\b/i,
  question: /\?$/,
  numeric: /^[\d\s.,:%/()+-]+$/,
  sentenceEnd: /[.!?。！？…]["'”’)\]]?$/,
  credit: /\b(?:photo|image|credit|getty|reuters|photograph|picture)\b/i,
} as const;

export type PatternName = keyof typeof PATTERNS;
export const PATTERN_NAMES = Object.keys(PATTERNS) as PatternName[];

const SPACELESS_SCRIPT = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;
const GOOD_WORDS = 10;
const GOOD_LINK_DENSITY = 0.4;
const COUNTED_CHARACTERS = 4000;
const COUNTED_WORDS = 400;

/** The part of a text that stands for all of it when copies are looked for. */
export function copyKey(text: string): string {
  return text.length > 200 ? text.slice(0, 200) : text;
}

export function collectTextFacts(blocks: readonly Block[]): TextFacts {
  const numbers = () => new Float64Array(blocks.length);
  const facts: TextFacts = {
    words: numbers(),
    lengths: numbers(),
    linkDensities: numbers(),
    good: numbers(),
    upperShares: numbers(),
    digitShares: numbers(),
    punctuation: numbers(),
    stopShares: numbers(),
    copies: numbers(),
    patterns: new Int32Array(blocks.length),
  };
  const copies = new Map<string, number>();
  blocks.forEach((block, index) => {
    describe(facts, index, block);
    const key = copyKey(block.text);
    copies.set(key, (copies.get(key) ?? 0) + 1);
  });
  blocks.forEach((block, index) => {
    facts.copies[index] = copies.get(copyKey(block.text)) ?? 1;
  });
  return facts;
}

function describe(facts: TextFacts, index: number, { text, linkLength }: Block): void {
  const { spaces, upper, digits, punctuation, spaceless } = countCharacters(text);
  const words = spaces + 1 + (spaceless ? (text.match(SPACELESS_SCRIPT)?.length ?? 0) / 2 : 0);
  const linkDensity = linkLength / text.length;
  facts.words[index] = words;
  facts.lengths[index] = text.length;
  facts.linkDensities[index] = linkDensity;
  facts.good[index] = words >= GOOD_WORDS && linkDensity < GOOD_LINK_DENSITY ? text.length - linkLength : 0;
  facts.upperShares[index] = upper / text.length;
  facts.digitShares[index] = digits / text.length;
  facts.punctuation[index] = punctuation / words;
  facts.stopShares[index] = stopShare(text);
  facts.patterns[index] = matchPatterns(text);
}

function countCharacters(text: string) {
  const end = Math.min(text.length, COUNTED_CHARACTERS);
  let spaces = 0;
  let upper = 0;
  let digits = 0;
  let punctuation = 0;
  let spaceless = false;
  for (let k = 0; k < end; k++) {
    const code = text.charCodeAt(k);
    if (code === 32) spaces++;
    else if (code >= 65 && code <= 90) upper++;
    else if (code >= 48 && code <= 57) digits++;
    else if (code < 64) {
      // , . : ; ! ?
      if (code === 44 || code === 46 || code === 58 || code === 59 || code === 33 || code === 63) punctuation++;
    } else if (code > 0x3000) {
      spaceless = true;
      if (code === 0x3002 || code === 0xff0c) punctuation++;
    }
  }
  for (let k = end; k < text.length; k++) if (text.charCodeAt(k) === 32) spaces++;
  return { spaces, upper, digits, punctuation, spaceless };
}

function stopShare(text: string): number {
  let stops = 0;
  let words = 0;
  let start = 0;
  while (words < COUNTED_WORDS && start <= text.length) {
    let end = text.indexOf(" ", start);
    if (end < 0) end = text.length;
    if (end - start <= 5 && STOP_WORDS.has(text.slice(start, end).toLowerCase())) stops++;
    words++;
    start = end + 1;
  }
  return stops / words;
}

function matchPatterns(text: string): number {
  const sample = text.length > 300 ? `${text.slice(0, 150)} ${text.slice(-150)}` : text;
  let bits = 0;
  for (let k = 0; k < PATTERN_NAMES.length; k++) {
    if (PATTERNS[PATTERN_NAMES[k] as PatternName].test(sample)) bits |= 1 << k;
  }
  return bits;
}
