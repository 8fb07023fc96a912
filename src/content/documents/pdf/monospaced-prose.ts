import type { Line, PageText } from "./text-run.ts";

/** A document with a larger share of its characters in fixed-width fonts is typewritten, or has an old OCR layer. */
const MIN_SHARE = 0.6;
/** Code has more of these signs than this share of its characters. */
const MAX_CODE_SIGNS = 0.03;
const CODE_SIGNS = /[{}()<>[\]=;_|\\$&#@`~^]/g;

/**
 * Returns a function that marks the lines of a page as text when the document is typewritten throughout: only code among other text
 * is code.
 */
export function monospacedProse(pages: Iterable<PageText>): (page: PageText) => PageText {
  let [all, fixed, signs] = [0, 0, 0];
  for (const { regions } of pages) {
    for (const { text, isMonospaced } of regions.flat()) {
      all += text.length;
      if (!isMonospaced) continue;
      fixed += text.length;
      signs += text.match(CODE_SIGNS)?.length ?? 0;
    }
  }
  if (fixed < all * MIN_SHARE || signs > fixed * MAX_CODE_SIGNS) return (page) => page;
  const asText = (line: Line): Line => ({ ...line, isMonospaced: false });
  return (page) => ({ ...page, regions: page.regions.map((region) => region.map(asText)) });
}
