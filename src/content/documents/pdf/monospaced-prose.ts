import type { Line, PageText } from "./text-run.ts";

/** A document with a larger share of its characters in fixed-width fonts is typewritten, or has an old OCR layer. */
const MIN_SHARE = 0.6;
/** Code has more of these signs than this share of its characters. */
const MAX_CODE_SIGNS = 0.03;
const CODE_SIGNS = /[{}()<>[\]=;_|\\$&#@`~^]/g;

/** Marks the lines of a document that is typewritten throughout as text: only code among other text is code. */
export function withMonospacedProse(pages: readonly PageText[]): PageText[] {
  const lines = pages.flatMap((page) => page.regions.flat());
  const [all, fixed] = [lines, lines.filter((line) => line.isMonospaced)].map((some) =>
    some.map((line) => line.text).join(""),
  ) as [string, string];
  const signs = fixed.match(CODE_SIGNS)?.length ?? 0;
  if (fixed.length < all.length * MIN_SHARE || signs > fixed.length * MAX_CODE_SIGNS) return [...pages];
  const asText = (line: Line): Line => ({ ...line, isMonospaced: false });
  return pages.map((page) => ({ ...page, regions: page.regions.map((region) => region.map(asText)) }));
}
