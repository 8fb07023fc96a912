import { type Line, textOfRuns } from "../text-run.ts";
import { isTitleSize, MAX_PAGE_DISTANCE } from "./page-numbers.ts";

/** A number at the start of a line, as `47 Pears`, `47 – Pears`, `(47) Pears`, `47 / 99 Pears`, `F-47 Pears`. */
const FIRST = /^[\s(–—-]*(?:\p{L}-)?(\d{1,5})(?:\s*\/\s*\d{1,5})?(?:\)|\s*[–—]|\s-)?\s/du;
/** A number at the end of a line. One after a digit and a dash is the end of a range, or the day of a date. */
const LAST = /(?:\s|\(|(?<!\d)[–—])(?:-|\p{L}-)?(\d{1,5})(?:\s*\/\s*\d{1,5})?[\s)–—-]*$/du;
const MAX_END_LENGTH = 24;
/** A longer line is no running head. */
const MAX_LENGTH = 200;
/** A line with more segments is a row of a table. */
export const MAX_SEGMENTS = 8;
/** Numbers of a line that are compared with those of other pages. */
const MAX_NUMBERS = 8;
/** A number counts the pages when it runs on over so many. */
const MIN_PAGES = 3;
/** A number of pages is at most so much larger than the place of its page, beside the number of pages in the file. */
const MAX_OFFSET = 100;

/** Pages on which the difference between a number and the number of the page in the file stays the same. */
interface Run {
  offset: number;
  pages: number;
  lastPage: number;
}

interface Runs {
  byPage: Map<number, Run>;
  last: Run;
  count: number;
}

/** A number in one place of lines with the same words. */
interface Place {
  pages: number;
  /** Pages on which it is neither that of the page before nor has run on from it. */
  changes: number;
  lastPage: number;
  lastValue: number;
}

/** The first and the last numbers of lines in margins, compared from page to page. */
export class NumberRuns {
  readonly #bodySize: number;
  readonly #runs = new Map<string, Runs>();
  readonly #places = new Map<string, Place>();
  #pageCount = 0;
  #letterCount: number | undefined;

  constructor(bodySize: number) {
    this.#bodySize = bodySize;
  }

  /** Learns the numbers of a page; pages are learned in their order. */
  learn(lines: readonly Line[], pageNumber: number): void {
    this.#pageCount = Math.max(this.#pageCount, pageNumber);
    this.#letterCount = undefined;
    for (const line of lines) {
      if (line.text.length > MAX_LENGTH || !/\d/.test(line.text)) continue;
      this.#learnPlaces(line, pageNumber);
      for (const { key, value } of this.#endsOf(line)) this.#learnRun(key, value - pageNumber, pageNumber);
    }
  }

  /** Returns where in the text of a segment numbers begin that count the pages. */
  countingAt(line: Line, segment: number, pageNumber: number): number[] {
    return this.#endsOf(line)
      .filter((end) => end.segment === segment && this.#isCounting(end.key, pageNumber))
      .map(({ at }) => at);
  }

  #isCounting(key: string, pageNumber: number): boolean {
    const runs = this.#runs.get(key);
    const run = runs?.byPage.get(pageNumber);
    if (runs === undefined || run === undefined || run.pages < MIN_PAGES) return false;
    // Other numbers run on by chance, on few of the pages.
    if (runs.count * 2 > runs.byPage.size || run.offset >= this.#pageCount + MAX_OFFSET) return false;
    this.#letterCount ??= this.#countLetters();
    return this.#letterCount * 2 < run.pages;
  }

  /** Returns on how many pages a line differs in numbers that do not count them, as the sums of letters in one file do. */
  #countLetters(): number {
    let count = 0;
    for (const { pages, changes } of this.#places.values())
      if (pages >= MIN_PAGES && changes * 2 >= pages) count = Math.max(count, pages);
    return count;
  }

  #learnPlaces(line: Line, pageNumber: number): void {
    const words = wordsOf(line);
    if (!/\p{L}/u.test(words)) return;
    for (const [at, digits] of (line.text.match(/\d+/g) ?? []).slice(0, MAX_NUMBERS).entries()) {
      const key = `${Math.round(line.baseline)}:${at}:${words}`;
      const value = Number(digits);
      const { pages, changes, lastPage, lastValue } = this.#places.get(key) ?? { pages: 0, changes: 0, lastPage: 0, lastValue: value }; // prettier-ignore
      if (lastPage === pageNumber) continue;
      const isChange = lastPage > 0 && value !== lastValue && value - lastValue !== pageNumber - lastPage;
      this.#places.set(key, { pages: pages + 1, changes: changes + (isChange ? 1 : 0), lastPage: pageNumber, lastValue: value }); // prettier-ignore
    }
  }

  #learnRun(key: string, offset: number, pageNumber: number): void {
    const runs = this.#runs.get(key);
    const last = runs?.last;
    const isSame = last?.offset === offset && pageNumber - last.lastPage <= MAX_PAGE_DISTANCE;
    const run = last !== undefined && isSame ? last : { offset, pages: 0, lastPage: 0 };
    if (run.lastPage !== pageNumber) run.pages++;
    run.lastPage = pageNumber;
    const byPage = runs?.byPage ?? new Map<number, Run>();
    this.#runs.set(key, {
      byPage: byPage.set(pageNumber, run),
      last: run,
      count: (runs?.count ?? 0) + (isSame ? 0 : 1),
    });
  }

  /** Returns the first and the last number of a line, unless it is a title or text. */
  #endsOf(line: Line): { key: string; segment: number; at: number; value: number }[] {
    const { segments, text } = line;
    if (text.length > MAX_LENGTH || segments.length > MAX_SEGMENTS || isTitleSize(line, this.#bodySize)) return [];
    const words = wordsOf(line);
    const texts = segments.map(({ runs }) => textOfRuns(runs));
    const first = FIRST.exec((texts[0] ?? "").slice(0, MAX_END_LENGTH));
    const lastText = texts.at(-1) ?? "";
    const start = Math.max(0, lastText.length - MAX_END_LENGTH);
    const last = LAST.exec(lastText.slice(start));
    return [
      { key: `>${words}`, segment: 0, at: first?.indices?.[1]?.[0], value: Number(first?.[1]) },
      { key: `<${words}`, segment: segments.length - 1, at: last?.indices?.[1]?.[0], value: Number(last?.[1]) },
    ].flatMap((end, place) => (end.at === undefined ? [] : [{ ...end, at: end.at + (place === 0 ? 0 : start) }]));
  }
}

function wordsOf({ text }: Line): string {
  return text.replace(/\d+/g, "#");
}
