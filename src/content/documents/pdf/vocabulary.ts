import type { Line } from "./text-run.ts";

/** A longer run of letters in front of a hyphen is not a word. */
export const MAX_WORD_LENGTH = 100;
/** A document that divides words at line ends does so on more than this share of its lines; only compounds end at the others. */
const MAX_UNDIVIDED_SHARE = 0.02;
/** With fewer lines, one hyphen tells nothing. */
const MIN_LINES = 20;
/** With fewer lines and fewer hyphens at their ends, one of the parts is to be a word of the document. */
const MIN_SURE = { lines: 75, hyphens: 4 };
/** Shorter lines are headings, cells and ends of paragraphs. */
const MIN_LINE_CHARACTERS = 30;
/** Parts of compounds are at least this long; shorter ones are syllables. */
const MIN_PART_LENGTH = 3;
const MIN_REST_LENGTH = 4;
/**
 * Parts of English compounds at whose hyphen hardly any other word is divided: of 36,000 line ends of web pages that were divided
 * by the patterns of TeX, those with one of these were the compound in at least 9 of 10.
 */
const FIRST_PARTS = new Set(["all", "full", "long", "low", "one", "self", "two", "third", "well"]);
const LAST_PARTS = new Set([
  "based", "driven", "efficient", "focused", "free", "friendly", "generated", "level", "powered", "scale", "specific", "style", "term",
]); // prettier-ignore
/** Numbers of two words, as in `twenty-three`, have a hyphen. */
const TENS = new Set(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]);
const UNITS = new Set([
  "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
  "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
]); // prettier-ignore
const ENDINGS = new Set(["less", "ness", "self"]);

/** The words of a document. They tell whether a hyphen at the end of a line divides a word or belongs to a compound. */
export class Vocabulary {
  /** Words that occur unbroken, in lower case, compounds with their hyphens. */
  readonly #words = new Set<string>();
  /** The first and last parts of compounds. */
  readonly #first = new Set<string>();
  readonly #last = new Set<string>();
  readonly #dividesWords: boolean;
  readonly #isSure: boolean;

  /** @param regions lines that follow each other */
  constructor(regions: Iterable<readonly Pick<Line, "text">[]> = []) {
    const divided: string[] = [];
    let [lines, hyphens] = [0, 0];
    for (const region of regions) {
      let isCut = false;
      for (const [at, { text }] of region.entries()) {
        // The rest of a word that the line before has cut is no word.
        const whole = isCut ? text.replace(/^[\p{L}-]+/u, "") : text;
        for (const word of wholeWords(whole.toLowerCase())) this.#add(word);
        isCut = text.endsWith("-");
        if (text.length >= MIN_LINE_CHARACTERS) lines++;
        const before = /(\p{L}+)-$/u.exec(text.slice(-MAX_WORD_LENGTH))?.[1];
        const after = before && /^\p{Ll}+/u.exec(region[at + 1]?.text.slice(0, MAX_WORD_LENGTH) ?? "")?.[0];
        if (before === undefined || after === undefined) continue;
        hyphens++;
        divided.push((before + after).toLowerCase());
      }
    }
    this.#isSure = lines >= MIN_SURE.lines || hyphens >= MIN_SURE.hyphens;
    const isRare = hyphens <= Math.max(1, lines * MAX_UNDIVIDED_SHARE) && lines >= MIN_LINES;
    this.#dividesWords = !isRare || divided.some((word) => this.#words.has(word));
  }

  #add(word: string): void {
    this.#words.add(word);
    if (!word.includes("-")) return;
    this.#first.add(word.slice(0, word.indexOf("-")));
    this.#last.add(word.slice(word.lastIndexOf("-") + 1));
  }

  /** Reports whether a word, in lower case, occurs unbroken. */
  has(word: string): boolean {
    return this.#words.has(word);
  }

  /** Reports whether the document has a compound, and not the same word without its hyphen. */
  hasCompound(before: string, after: string): boolean {
    return this.#words.has(`${before}-${after}`) && !this.#words.has(before + after);
  }

  /**
   * Reports whether the hyphen between the parts of a word, in lower case, at the end of a line is kept: the document has the
   * compound, or hardly any other hyphen at a line end, or the parts are those of compounds.
   */
  isCompound(before: string, after: string): boolean {
    if (this.hasCompound(before, after)) return true;
    if (this.#words.has(before + after)) return false;
    if (TENS.has(before) && UNITS.has(after)) return true;
    const known = [before, after].filter((part) => part.length >= MIN_PART_LENGTH && this.#words.has(part));
    if (!this.#dividesWords && (this.#isSure || known.length > 0)) return true;
    if (FIRST_PARTS.has(before) && after.length >= MIN_REST_LENGTH && !ENDINGS.has(after)) return true;
    if (LAST_PARTS.has(after) && before.length >= MIN_PART_LENGTH && this.#words.has(before)) return true;
    return known.length === 2 && (this.#first.has(before) || this.#last.has(after));
  }
}

/** Returns the words of a line with their hyphens, without those that the end of the line may have cut. */
export function wholeWords(line: string): string[] {
  return [...line.matchAll(/[\p{L}-]+/gu)].flatMap(({ 0: run, index }) => {
    if (index + run.length === line.length || run.endsWith("-")) return [];
    const afterDash = run.lastIndexOf("--");
    return [run.slice(afterDash === -1 ? 0 : afterDash + 2).replace(/^-/, "")];
  });
}
