import { describe, expect, test } from "vitest";
import { extrapolateUrls, shareOfFurther, spread } from "../../../../src/core/crawl/extrapolate-urls.ts";
import { seededRandom } from "../../../bench/load/article-pages.ts";

/** Draws a sample of pages that each link to some of so many URLs, and counts the links to each. */
function sampleOf({ pages, urls, links }: { pages: number; urls: number; links: number }): number[] {
  const random = seededRandom(7);
  const counts = new Map<number, number>();
  for (let page = 0; page < pages; page++) {
    const targets = new Set(Array.from({ length: links }, () => Math.floor(random() * urls)));
    for (const target of targets) counts.set(target, (counts.get(target) ?? 0) + 1);
  }
  return [...counts.values()];
}

describe("the number of URLs that pages link to", () => {
  test("is what was seen when all pages were read", () => {
    expect(extrapolateUrls({ counts: [1, 1, 2], sampled: 5, parents: 5 })).toBe(3);
    expect(extrapolateUrls({ counts: [], sampled: 5, parents: 100 })).toBe(0);
  });

  test("grows with the pages where they share no links", () => {
    const counts = Array.from({ length: 50 }, () => 1);
    expect(extrapolateUrls({ counts, sampled: 10, parents: 100 })).toBe(500);
  });

  test("levels off where pages link to the same ones", () => {
    const counts = sampleOf({ pages: 20, urls: 300, links: 10 });
    const estimated = extrapolateUrls({ counts, sampled: 20, parents: 2_000 });
    expect(estimated).toBeGreaterThan(300 * 0.8);
    expect(estimated).toBeLessThan(300 * 1.25);
  });
});

describe("the share of new URLs that lead further", () => {
  test("is one where no link leads back, or where all pages of the distance are known", () => {
    expect(shareOfFurther({ found: 10, back: 0, coverage: 0.1 })).toBe(1);
    expect(shareOfFurther({ found: 10, back: 5, coverage: 1 })).toBe(1);
    expect(shareOfFurther({ found: 0, back: 5, coverage: 0.1 })).toBe(1);
  });

  test("is smaller the more links lead back to the few known pages", () => {
    expect(shareOfFurther({ found: 100, back: 20, coverage: 0.5 })).toBe(0.8);
    expect(shareOfFurther({ found: 100, back: 20, coverage: 0.1 })).toBe(0);
  });
});

test("a sample is spread over the list", () => {
  expect(spread([1, 2, 3], 5)).toEqual([1, 2, 3]);
  expect(
    spread(
      Array.from({ length: 100 }, (_, index) => index),
      4,
    ),
  ).toEqual([12, 37, 62, 87]);
});
