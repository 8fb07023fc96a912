import { inPieces } from "../in-pieces.ts";
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
  const terms = termsOf(query);
  if (terms.length === 0) return [...pages];
  return ranked(
    pages,
    terms,
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
  const terms = termsOf(query);
  if (terms.length === 0) return [...pages];
  const counted: CountedTerms[] = [];
  await inPieces(pages, PAGES_A_PIECE, (page) => void counted.push(countTerms(page, terms)));
  return ranked(pages, terms, counted);
}

interface CountedTerms {
  weights: number[];
  length: number;
}

function termsOf(query: string): string[] {
  return [...new Set(wordsOf(query))];
}

function ranked<Page>(pages: readonly Page[], terms: readonly string[], counted: readonly CountedTerms[]): Page[] {
  const meanLength = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const rarity = terms.map((_, term) => {
    const holders = counted.filter(({ weights }) => (weights[term] ?? 0) > 0).length;
    return Math.log(1 + (pages.length - holders + 0.5) / (holders + 0.5));
  });
  const scores = counted.map(({ weights, length }) => {
    const slack = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / Math.max(1, meanLength));
    return weights.reduce((sum, weight, term) => sum + ((rarity[term] ?? 0) * weight) / (weight + slack), 0);
  });
  const order = pages.map((_, index) => index).sort((left, right) => (scores[right] ?? 0) - (scores[left] ?? 0));
  return order.flatMap((index) => pages[index] ?? []);
}

function countTerms(page: RankedPage, terms: readonly string[]): CountedTerms {
  const weights = terms.map(() => 0);
  let length = 0;
  for (const field of ["title", "linkText", "url", "description"] as const) {
    const text = field === "url" ? urlText(page.url) : page[field];
    if (text === undefined || text === "") continue;
    const words = wordsOf(text);
    length += words.length;
    for (const word of words) {
      for (const [term, wanted] of terms.entries()) {
        if (matches(word, wanted)) weights[term] = (weights[term] ?? 0) + WEIGHTS[field];
      }
    }
  }
  return { weights, length };
}

/** Also matches the beginning of a longer word: `install` matches `installation`. */
function matches(word: string, wanted: string): boolean {
  return word === wanted || (wanted.length >= 4 && word.startsWith(wanted));
}

function urlText(url: string): string {
  return decodePercent(url.replace(/^https?:\/\//, ""));
}

/** Splits a text into words in lower case, without the s of a plural. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) =>
    word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word,
  );
}
