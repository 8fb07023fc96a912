import { describe, expect, test } from "vitest";
import type { ArrivedPage } from "../../../src/ui/jobs/crawl-types.ts";
import { MAX_LIVE, NO_PAGES, earlierCount, withEarlier, withLater } from "../../../src/ui/jobs/detail/held-pages.ts";
import type { HeldPages } from "../../../src/ui/jobs/detail/held-pages.ts";

/** Returns pages from one index up to but excluding another. */
const pages = (from: number, to: number): ArrivedPage[] =>
  Array.from({ length: to - from }, (_, at) => ({
    url: String(from + at),
    title: undefined,
    statusCode: 200,
    scrapeId: undefined,
  }));
const ends = ({ pages: held }: HeldPages): (string | undefined)[] => [held[0]?.url, held.at(-1)?.url];

describe("the pages of a crawl that are held", () => {
  test("are the latest thousand, newest first", () => {
    const held = withLater(withLater(NO_PAGES, pages(0, 900)), pages(900, 1_500));
    expect(held.pages).toHaveLength(MAX_LIVE);
    expect(ends(held)).toEqual(["1499", "500"]);
    expect(earlierCount(held)).toBe(500);
  });

  test("include earlier pages on request, also when newer ones arrive", () => {
    const latest = withLater(NO_PAGES, pages(0, 1_500));
    const all = withEarlier(latest, { earlier: pages(0, 500), to: 500 });
    expect([...ends(all), earlierCount(all)]).toEqual(["1499", "0", 0]);
    const later = withLater(withEarlier(latest, { earlier: pages(100, 500), to: 500 }), pages(1_500, 1_501));
    expect(ends(later)).toEqual(["1500", "101"]);
  });

  test("have no gap: pages that are no longer adjacent are not added, and the limit is raised for the next attempt", () => {
    const latest = withLater(NO_PAGES, pages(0, 1_500));
    const moved = withLater(latest, pages(1_500, 1_510));
    const tried = withEarlier(moved, { earlier: pages(0, 500), to: 500 });
    expect(ends(tried)).toEqual(["1509", "510"]);
    expect(ends(withLater(tried, pages(1_510, 1_600)))).toEqual(["1599", "510"]);
  });
});
