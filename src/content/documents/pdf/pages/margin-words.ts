import { type Line, type PageText, textOfRuns } from "../text-run.ts";
import { MAX_SEGMENTS, NumberRuns } from "./number-runs.ts";
import { isPageNumber, isTitleSize, MAX_PAGE_DISTANCE, PAGE_LABEL } from "./page-numbers.ts";

/** Digits of a page number; a longer number says something else. */
const MAX_DIGITS = 5;
/** The end of a text before a number that it calls a page number. */
const LABEL_BEFORE = new RegExp(String.raw`(?:^|[^\p{L}])(?:${PAGE_LABEL})\s*(?:[A-Z]-)?$`, "iu");
const MAX_LABEL_LENGTH = 12;
/** Numbers that a sign parts from the words of their line. */
const PARTED_FIRST = /^(\d{1,5})\s*[|•·]/;
const PARTED_LAST = /[|•·]\s*(\d{1,5})$/;
const MAX_PARTED_LENGTH = 12;

/**
 * The words of lines in margins. A number that counts the pages is none of them, so that the same running head has the same words
 * on all pages; any other number is, as that of an invoice.
 */
export class MarginWords {
  readonly #bodySize: number;
  /** Values by page of numbers that stand apart from the words of their line, by these words. */
  readonly #values = new Map<string, Map<number, number>>();
  readonly #runs: NumberRuns;

  constructor(bodySize: number) {
    this.#bodySize = bodySize;
    this.#runs = new NumberRuns(bodySize);
  }

  /** Learns the numbers of a page. The words of a line are known once all pages are learned. */
  learn(lines: readonly Line[], { pageNumber }: PageText): void {
    this.#runs.learn(lines, pageNumber);
    for (const line of lines) {
      for (const [segment, text] of textsOf(line).entries()) {
        for (const at of apartNumbers(line, text)) {
          const key = keyOf(line, segment, at > 0);
          const values = this.#values.get(key) ?? new Map<number, number>();
          this.#values.set(key, values.set(pageNumber, Number.parseInt(text.slice(at), 10)));
        }
      }
    }
  }

  /** Returns the words of a line, with `#` for a number among them that counts the pages; an empty string for a page number. */
  of(line: Line, page: PageText): string {
    if (isPageNumber(line.text)) return "";
    if (!/\d/.test(line.text)) return withoutEnds(line.text);
    const texts = textsOf(line).map((text, segment) => {
      const apart = apartNumbers(line, text);
      const running = this.#runs.countingAt(line, segment, page.pageNumber);
      return text.replace(/\d+/g, (digits, at: number) => {
        if (digits.length > MAX_DIGITS) return digits;
        const isApart = apart.includes(at) && this.#isSequence(keyOf(line, segment, at > 0), page.pageNumber);
        const isCounting = isApart || running.includes(at);
        const isLabelled = LABEL_BEFORE.test(text.slice(Math.max(0, at - MAX_LABEL_LENGTH), at));
        const isOwn = Number(digits) === page.pageNumber && !isTitleSize(line, this.#bodySize);
        return isCounting || isLabelled || isOwn ? "#" : digits;
      });
    });
    return withoutEnds(texts.join(" "));
  }

  /** Reports whether the number in the place of `key` goes on counting on a page near by. */
  #isSequence(key: string, pageNumber: number): boolean {
    const values = this.#values.get(key);
    const value = values?.get(pageNumber);
    if (values === undefined || value === undefined) return false;
    for (let distance = -MAX_PAGE_DISTANCE; distance <= MAX_PAGE_DISTANCE; distance++) {
      const other = values.get(pageNumber + distance);
      // A sheet may hold two pages.
      if (distance !== 0 && (other === value + distance || other === value + 2 * distance)) return true;
    }
    return false;
  }
}

function textsOf(line: Line): string[] {
  return line.segments.map(({ runs }) => textOfRuns(runs));
}

/** Returns where numbers begin that a gap or a sign parts from the words of their line. */
function apartNumbers(line: Line, text: string): number[] {
  if (line.segments.length > MAX_SEGMENTS) return [];
  if (line.segments.length > 1 && isPageNumber(text)) return [text.search(/\d/)].filter((at) => at >= 0);
  const last = PARTED_LAST.exec(text.slice(-MAX_PARTED_LENGTH))?.[1];
  return [...(PARTED_FIRST.test(text) ? [0] : []), ...(last === undefined ? [] : [text.length - last.length])];
}

/** The same for a place in lines with the same words, whatever their numbers. */
function keyOf({ text }: Line, segment: number, isLast: boolean): string {
  return `${segment}${isLast ? "<" : ">"}${text.replace(/\d+/g, "#")}`;
}

function withoutEnds(words: string): string {
  let end = words.length;
  while (end > 0 && /[#\s]/.test(words.charAt(end - 1))) end--;
  return words
    .slice(0, end)
    .replace(/^[#\s]+/, "")
    .replace(/^(chapter|section|appendix) #?:?\s*/i, "");
}
