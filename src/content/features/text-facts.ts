/** What can be said about a block from its text alone, in one pass over its characters. */
import type { Block } from "../blocks.ts";

export interface TextFacts {
  /** Words; a character of a script without spaces counts half a word. */
  words: Float64Array;
  /** Words as they are compared: runs of letters and digits, so that "$12.99" has two and "–" none; at least 0.2. */
  sizes: Float64Array;
  lengths: Float64Array;
  linkDensities: Float64Array;
  /** Characters of good text: unlinked, in a block of ten words or more of which less than 40 % is links. */
  good: Float64Array;
  upperShares: Float64Array;
  /** Punctuation marks per word. */
  punctuation: Float64Array;
  /** Share of stop words among the first 400 words. */
  stopShares: Float64Array;
  /** How many blocks of the page have the same text. */
  copies: Float64Array;
  /** 1 where the text ends like a sentence. */
  sentenceEnds: Uint8Array;
  /** 1 where the text's start or end sounds like the small print of a footer. */
  legal: Uint8Array;
}

const STOP_WORDS = new Set(
  (
    "the a an and or of to in is it that for on with as was are be this by at from not but have has you your we our they " +
    "their i he she his her its will can more der die das und ist zu den mit von im ein eine für auf nicht auch le la les " +
    "de des et est un une que pour dans qui sur pas el los las en y es por con para no se del al il di che e per non sono " +
    "het van op voor niet dat met zijn o os um do da em não na w i z się nie jest"
  ).split(" "),
);

const SENTENCE_END = /[.!?。！？…]["'”’)\]]?$/;
const LEGAL = /©|\bcopyright\b|all rights reserved|privacy policy|terms of (?:use|service)|cookie/i;

const SPACELESS_SCRIPT = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;
const GOOD_WORDS = 10;
const GOOD_LINK_DENSITY = 0.4;
const COUNTED_WORDS = 400;

/** The part of a text that stands for all of it when copies are looked for. */
export function copyKey(text: string): string {
  return text.length > 200 ? text.slice(0, 200) : text;
}

export function collectTextFacts(blocks: readonly Block[]): TextFacts {
  const numbers = () => new Float64Array(blocks.length);
  const facts: TextFacts = {
    words: numbers(),
    sizes: numbers(),
    lengths: numbers(),
    linkDensities: numbers(),
    good: numbers(),
    upperShares: numbers(),
    punctuation: numbers(),
    stopShares: numbers(),
    copies: numbers(),
    sentenceEnds: new Uint8Array(blocks.length),
    legal: new Uint8Array(blocks.length),
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
  const { spaces, upper, punctuation, spaceless, runs } = countCharacters(text);
  const spacelessWords = spaceless ? (text.match(SPACELESS_SCRIPT)?.length ?? 0) / 2 : 0;
  const words = spaces + 1 + spacelessWords;
  const linkDensity = linkLength / text.length;
  facts.words[index] = words;
  facts.sizes[index] = Math.max(0.2, runs + spacelessWords);
  facts.lengths[index] = text.length;
  facts.linkDensities[index] = linkDensity;
  facts.good[index] = words >= GOOD_WORDS && linkDensity < GOOD_LINK_DENSITY ? text.length - linkLength : 0;
  facts.upperShares[index] = upper / text.length;
  facts.punctuation[index] = punctuation / words;
  facts.stopShares[index] = stopShare(text);
  facts.sentenceEnds[index] = SENTENCE_END.test(text.slice(-3)) ? 1 : 0;
  facts.legal[index] = LEGAL.test(sample(text)) ? 1 : 0;
}

function countCharacters(text: string) {
  let spaces = 0;
  let upper = 0;
  let punctuation = 0;
  let runs = 0;
  let spaceless = false;
  let inRun = false;
  for (let k = 0; k < text.length; k++) {
    const code = text.charCodeAt(k);
    let isWord = false;
    if (code === 32) spaces++;
    else if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) isWord = true;
    else if (code >= 65 && code <= 90) {
      upper++;
      isWord = true;
    } else if (code < 128) {
      // , . : ; ! ? are punctuation; the underscore counts as a letter.
      if (code === 44 || code === 46 || code === 58 || code === 59 || code === 33 || code === 63) punctuation++;
      isWord = code === 95;
    } else {
      isWord = code >= 0xc0 && (code < 0x2000 || code > 0x303f);
      if (code > 0x3000) spaceless = true;
      if (code === 0x3002 || code === 0xff0c) punctuation++;
    }
    if (isWord && !inRun) runs++;
    inRun = isWord;
  }
  return { spaces, upper, punctuation, spaceless, runs };
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

/** The first and last 150 characters of a long text. */
function sample(text: string): string {
  return text.length > 300 ? `${text.slice(0, 150)} ${text.slice(-150)}` : text;
}
