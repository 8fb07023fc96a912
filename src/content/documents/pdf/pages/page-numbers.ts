import type { Line, PageText } from "../text-run.ts";

interface PageNumber {
  value: number;
  /** Set when words or dashes around the number say that it numbers the page. */
  isLabelled: boolean;
}

/** How the numbers in the margins of a document relate to its pages. */
export interface PageNumbers {
  /** Reports whether a line numbers its page: it says so, or the pages near it go on counting. */
  isCounting: (line: Line, page: PageText) => boolean;
  /** Reports whether a line is the number of its page in the file. */
  isOwn: (line: Line, page: PageText) => boolean;
}

/** Page numbers are within this share of the page's height, at the top or at the bottom. */
export const NUMBER_SHARE = 0.18;
/** Larger text than this, in multiples of the body size, is a title. */
const TITLE_RATIO = 1.15;
/** Numbers of pages at most this far apart are compared. */
export const MAX_PAGE_DISTANCE = 3;
/** A page with more numbers in its margins is a table; only the first ones are compared. */
const MAX_NUMBERS = 8;
/** Characters of a line that is a page number and nothing else. */
const MAX_NUMBER_CHARS = 200;

/** Words before a page number, as alternatives of a pattern. */
export const PAGE_LABEL = String.raw`page|p\.|seite|página|pagina|strona|sida|side|sivu|стр\.?|страница|σελίδα|صفحة|עמוד|หน้า|पृष्ठ`;
const PAGE_NUMBER = new RegExp(
  String.raw`^([\s–—|·•-]*)((?:${PAGE_LABEL})\s*)?([ivxlc]{1,7}|[A-Z]-?\d{1,4}|\d{1,3}-\d{1,4}|\d{1,5}|[٠-٩۰-۹०-९]{1,4})(?:\s*(\/|of|von|de|di|sur|из|z)\s*\d{1,4})?(\s*\|\s*p\s?a\s?g\s?e)?([\s–—|·•-]*)$`,
  "iu",
);
const CJK_PAGE_NUMBER = /^[\s–—-]*第?\s*[\d一二三四五六七八九十百]{1,5}\s*[頁页ページ쪽](?:\s*\/.*)?[\s–—-]*$/u;
/** Roman numerals from 1 to 99 in their usual spelling. */
const ROMAN = /^(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})$/;
const ROMAN_DIGITS: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };
/** Code points of the digit zero in Arabic, Persian and Devanagari. */
const ZEROS = [0x660, 0x6f0, 0x966];

/** Reports whether a text has the form of a page number and says nothing else. */
export function isPageNumber(text: string): boolean {
  return parsePageNumber(text) !== undefined;
}

/** Reports whether a line is larger than the text around it, as titles are. */
export function isTitleSize(line: Line, bodySize: number): boolean {
  return line.size > bodySize * TITLE_RATIO;
}

/** Compares the numbers in the margins of all pages. `bodySize` is the size of the text in points. */
export function pageNumbers(pages: Iterable<PageText>, bodySize: number): PageNumbers {
  const values = new Map<number, number[]>();
  for (const page of pages) values.set(page.pageNumber, numbersOf(page));
  const isSequence = (value: number, pageNumber: number): boolean => {
    for (let distance = -MAX_PAGE_DISTANCE; distance <= MAX_PAGE_DISTANCE; distance++) {
      // A sheet may hold two pages.
      const counts = [value + distance, value + 2 * distance];
      if (distance !== 0 && values.get(pageNumber + distance)?.some((other) => counts.includes(other)) === true)
        return true;
    }
    return false;
  };
  return {
    isCounting: (line, page) => {
      const number = parsePageNumber(line.text);
      if (number === undefined) return false;
      if (number.isLabelled) return true;
      const isTitle = isTitleSize(line, bodySize) && line.bottom < page.height / 2;
      return !isTitle && isSequence(number.value, page.pageNumber);
    },
    isOwn: (line, page) => parsePageNumber(line.text)?.value === page.pageNumber && !isTitleSize(line, bodySize),
  };
}

function numbersOf(page: PageText): number[] {
  const isInMargin = ({ bottom, top }: Line): boolean =>
    bottom < page.height * NUMBER_SHARE || top > page.height * (1 - NUMBER_SHARE);
  return page.regions
    .flat()
    .filter((line) => isInMargin(line))
    .flatMap((line) => parsePageNumber(line.text)?.value ?? [])
    .slice(0, MAX_NUMBERS);
}

function parsePageNumber(text: string): PageNumber | undefined {
  if (text.length > MAX_NUMBER_CHARS) return undefined;
  if (CJK_PAGE_NUMBER.test(text)) return { value: 0, isLabelled: true };
  const [, before = "", label, number = "", of, bar, after = ""] = PAGE_NUMBER.exec(text) ?? [];
  const value = valueOf(number);
  if (value === undefined) return undefined;
  const isBetweenDashes = before.trim() !== "" && after.trim() !== "";
  const isOfPages = of !== undefined && of !== "/";
  return { value, isLabelled: label !== undefined || bar !== undefined || isOfPages || isBetweenDashes };
}

/** Returns the value of a number, without the number of the chapter before it. */
function valueOf(number: string): number | undefined {
  const digits = /\d+$/.exec(number)?.[0];
  if (digits !== undefined) return Number(digits);
  if (/^[ivxlc]+$/i.test(number)) return romanValue(number);
  if (number === "") return undefined;
  return [...number].reduce((sum, digit) => {
    const code = digit.codePointAt(0) ?? 0;
    return sum * 10 + code - (ZEROS.find((zero) => code >= zero && code < zero + 10) ?? code);
  }, 0);
}

function romanValue(number: string): number | undefined {
  const small = number.toLowerCase();
  if (!ROMAN.test(small) || (number !== small && number !== number.toUpperCase())) return undefined;
  const values = [...small].map((letter) => ROMAN_DIGITS[letter] ?? 0);
  return values.reduce((sum, value, at) => sum + (value < (values[at + 1] ?? 0) ? -value : value), 0);
}
