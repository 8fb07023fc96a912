import type { TypeScale } from "./block.ts";
import type { Line, PageText } from "./text-run.ts";

/** A heading is set at least this much larger than the text around it. */
const MIN_HEADING_RATIO = 1.12;
const MAX_HEADING_CHARACTERS = 200;
const MAX_HEADING_LEVELS = 5;

/** Finds the size of running text, which is the most frequent one, and the sizes of headings above it. */
export function typeScale(pages: readonly PageText[]): TypeScale {
  const lines = pages.flatMap((page) => page.regions.flat());
  const characters = new Map<number, number>();
  for (const line of lines) {
    const size = roundSize(line.size);
    characters.set(size, (characters.get(size) ?? 0) + line.text.length);
  }
  const bodySize = [...characters].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
  const larger = lines.filter((line) => isLarger(line, bodySize) && line.text.length <= MAX_HEADING_CHARACTERS);
  const headingSizes = [...new Set(larger.map((line) => roundSize(line.size)))].toSorted((a, b) => b - a);
  return { bodySize, headingSizes: headingSizes.slice(0, MAX_HEADING_LEVELS) };
}

export function roundSize(size: number): number {
  return Math.round(size * 2) / 2;
}

export function isLarger(line: Line, bodySize: number): boolean {
  return roundSize(line.size) >= bodySize * MIN_HEADING_RATIO;
}
