import type { Line, PageText } from "./text-run.ts";

/** Running heads are within this share of the page's height, at the top or at the bottom. */
const MARGIN_SHARE = 0.12;
const MIN_PAGES = 3;

/**
 * Removes text that repeats in the margins: page numbers altogether, running heads after their first occurrence, or all
 * of them when the document has the same words as a heading.
 */
export function withoutRunningHeads(pages: readonly PageText[]): PageText[] {
  const counts = new Map<string, number>();
  for (const page of pages) {
    for (const key of new Set(marginLines(page).map((line) => keyOf(line, page))))
      counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const seen = new Set<string>();
  const inText = new Set(pages.flatMap(textLines).map((line) => wordsOf(line)));
  return pages.map((page) => {
    const margins = new Set(marginLines(page));
    const isKept = (line: Line): boolean => {
      if (!margins.has(line)) return true;
      const key = keyOf(line, page);
      if ((counts.get(key) ?? 0) < MIN_PAGES) return true;
      const isFirst = !seen.has(key) && /\p{L}{3}/u.test(line.text) && !inText.has(wordsOf(line));
      seen.add(key);
      return isFirst;
    };
    const regions = page.regions.map((lines) => lines.filter(isKept)).filter((lines) => lines.length > 0);
    return { ...page, regions };
  });
}

function marginLines(page: PageText): Line[] {
  const top = page.height * MARGIN_SHARE;
  const bottom = page.height * (1 - MARGIN_SHARE);
  return page.regions.flat().filter((line) => line.bottom < top || line.top > bottom);
}

function textLines(page: PageText): Line[] {
  const margins = new Set(marginLines(page));
  return page.regions.flat().filter((line) => !margins.has(line));
}

/**
 * Returns the same key for the same words at the same height, whatever the numbers in them; page numbers may be at the
 * top or bottom.
 */
function keyOf(line: Line, page: PageText): string {
  const words = wordsOf(line);
  return words === "" ? "number" : `${Math.round((line.baseline / page.height) * 50)}:${words}`;
}

function wordsOf(line: Line): string {
  const words = line.text
    .replace(/^[\s–—-]*(page\s+)?([ivxlc]+|\d+)(\s*(\/|of)\s*\d+)?[\s–—-]*$/i, "")
    .replace(/\d+/g, "#");
  return withoutNumbersAround(words).replace(/^(chapter|section|appendix) #?:?\s*/i, "");
}

function withoutNumbersAround(words: string): string {
  let end = words.length;
  while (end > 0 && /[#\s]/.test(words.charAt(end - 1))) end--;
  return words.slice(0, end).replace(/^[#\s]+/, "");
}
