import type { TypeScale } from "./block.ts";
import type { Line, PageText } from "./text-run.ts";

/** A heading is set at least this much larger than the text around it. */
const MIN_HEADING_RATIO = 1.12;
const MAX_HEADING_CHARACTERS = 200;
const MAX_HEADING_LEVELS = 5;

/** Finds the size of running text, which is the most frequent one, and the sizes of headings above it. */
export function typeScale(pages: Iterable<PageText>): TypeScale {
  const characters = new Map<number, number>();
  /** Sizes of lines that are short enough for a heading. */
  const short = new Set<number>();
  for (const { regions } of pages) {
    for (const line of regions.flat()) {
      const size = roundSize(line.size);
      characters.set(size, (characters.get(size) ?? 0) + line.text.length);
      if (line.text.length <= MAX_HEADING_CHARACTERS) short.add(size);
    }
  }
  const bodySize = [...characters].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
  const headingSizes = [...short].filter((size) => isLargerSize(size, bodySize)).toSorted((a, b) => b - a);
  return { bodySize, headingSizes: headingSizes.slice(0, MAX_HEADING_LEVELS) };
}

export function roundSize(size: number): number {
  return Math.round(size * 2) / 2;
}

export function isLarger(line: Line, bodySize: number): boolean {
  return isLargerSize(roundSize(line.size), bodySize);
}

function isLargerSize(size: number, bodySize: number): boolean {
  return size >= bodySize * MIN_HEADING_RATIO;
}
