import type { UrlLine } from "../crawl-types.ts";

const MAX_DEPTHS = 8;

/** Returns the number of pages in each of the last `seconds` seconds, oldest first. */
export function perSecond(
  arrivalsMs: readonly number[],
  { nowMs, seconds }: { nowMs: number; seconds: number },
): number[] {
  const counts = Array.from({ length: seconds }, () => 0);
  for (let at = arrivalsMs.length - 1; at >= 0; at--) {
    const age = Math.floor((nowMs - (arrivalsMs[at] ?? 0)) / 1_000);
    if (age >= seconds) break;
    const place = seconds - 1 - Math.max(0, age);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

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
