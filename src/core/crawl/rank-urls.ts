import { inPieces } from "../in-pieces.ts";
import { wordsOf } from "../search/words.ts";
import { decodePercent } from "../url/decode-percent.ts";

/** Properties of a page that are known without loading it. */
export interface RankedPage {
  url: string;
  title?: string | undefined;
  description?: string | undefined;
  /** Text of the links that lead to it. */
  linkText?: string | undefined;
}

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.5;
/** Weight of a word by field. */
const WEIGHTS = { title: 2, linkText: 1.5, url: 1.5, description: 1 };

/**
 * Sorts pages by relevance to a query: BM25 (Robertson, Zaragoza 2009) over the words of URL, title, description and
 * link text, each weighted (BM25F). Returns all pages; the sort is stable.
 */
export function rankUrls<Page extends RankedPage>(query: string, pages: readonly Page[]): Page[] {
  const terms = new Terms(query);
  if (terms.count === 0) return [...pages];
  return ranked(
    pages,
    pages.map((page) => countTerms(page, terms)),
  );
}

/** Pages whose words are counted in a few milliseconds. */
const PAGES_A_PIECE = 500;

/** Sorts pages as `rankUrls` does, and lets other requests run meanwhile. */
export async function rankUrlsInPieces<Page extends RankedPage>(
  query: string,
  pages: readonly Page[],
): Promise<Page[]> {
  const terms = new Terms(query);
  if (terms.count === 0) return [...pages];
  const counted: CountedTerms[] = [];
  await inPieces(pages, PAGES_A_PIECE, (page) => void counted.push(countTerms(page, terms)));
  return ranked(pages, counted);
}

/** Characters of a word that also stand for longer words: `install` matches `installation`. */
const LEAST_START = 4;
/** Characters of a longer word that are compared with the words of a query. */
const MOST_START = 32;

/** The different words of a query. The time to look a word up does not depend on their number. */
class Terms {
  readonly #numbers = new Map<string, number>();
  /** Lengths of those that stand for longer words. */
  readonly #lengths: number[];

  constructor(query: string) {
    for (const word of termsOf(query)) if (!this.#numbers.has(word)) this.#numbers.set(word, this.#numbers.size);
    const lengths = [...this.#numbers.keys()].map(({ length }) => length);
    this.#lengths = [...new Set(lengths)].filter((length) => length >= LEAST_START && length <= MOST_START);
    this.#lengths.sort((one, other) => one - other);
  }

  get count(): number {
    return this.#numbers.size;
  }

  /** Calls `found` with the number of each term that the word is, or begins with. */
  forEachOf(word: string, found: (term: number) => void): void {
    const whole = this.#numbers.get(word);
    if (whole !== undefined) found(whole);
    for (const length of this.#lengths) {
      if (length >= word.length) break;
      const term = this.#numbers.get(word.slice(0, length));
      if (term !== undefined) found(term);
    }
  }
}

interface CountedTerms {
  /** Of the terms that a page has. */
  weights: ReadonlyMap<number, number>;
  length: number;
}

function ranked<Page>(pages: readonly Page[], counted: readonly CountedTerms[]): Page[] {
  const meanLength = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const holders = new Map<number, number>();
  for (const { weights } of counted) for (const term of weights.keys()) holders.set(term, (holders.get(term) ?? 0) + 1);
  const rarity = (term: number): number => {
    const count = holders.get(term) ?? 0;
    return Math.log(1 + (pages.length - count + 0.5) / (count + 0.5));
  };
  const scores = counted.map(({ weights, length }) => {
    const slack = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / Math.max(1, meanLength));
    let score = 0;
    // In the order of the query, so that rounding does not depend on the page.
    for (const [term, weight] of [...weights].sort(([one], [other]) => one - other))
      score += (rarity(term) * weight) / (weight + slack);
    return score;
  });
  const order = pages.map((_, index) => index).sort((left, right) => (scores[right] ?? 0) - (scores[left] ?? 0));
  return order.flatMap((index) => pages[index] ?? []);
}

function countTerms(page: RankedPage, terms: Terms): CountedTerms {
  const weights = new Map<number, number>();
  let length = 0;
  for (const field of ["title", "linkText", "url", "description"] as const) {
    const text = field === "url" ? urlText(page.url) : page[field];
    if (text === undefined || text === "") continue;
    const words = termsOf(text);
    length += words.length;
    for (const word of words)
      terms.forEachOf(word, (term) => weights.set(term, (weights.get(term) ?? 0) + WEIGHTS[field]));
  }
  return { weights, length };
}

function urlText(url: string): string {
  return decodePercent(url.replace(/^https?:\/\//, ""));
}

/** Returns the words of a text as `wordsOf` does, without the s of a plural. */
function termsOf(text: string): string[] {
  return wordsOf(text).map((word) =>
    word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word,
  );
}
