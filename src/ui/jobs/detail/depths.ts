import type { UrlLine } from "../crawl-types.ts";

const MAX_DEPTHS = 8;

/** Returns the number of scraped pages at each depth. Deeper pages count to the last entry. */
export function depthsOf(lines: readonly UrlLine[]): number[] {
  const counts: number[] = [];
  for (const { depth, outcome } of lines) {
    if (outcome !== "scraped") continue;
    const place = Math.min(depth, MAX_DEPTHS - 1);
    while (counts.length <= place) counts.push(0);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}
