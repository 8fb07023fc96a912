import { describe, expect, test } from "vitest";
import { cached, fresh, hits, scrape, scraped } from "../client.ts";
import { shortAndLong } from "../../sample.ts";

/** Leaves the age to the service, as `scrape` of the tests turns the cache off; and takes the whole of these tiny pages. */
const DEFAULT_AGE = { maxAge: undefined, onlyMainContent: false };
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

interface Situation {
  why: string;
  /** Options of two scrapes of one page, one right after the other. */
  first: object;
  second: object;
  /** What the first and the second answer say. */
  says: ["hit" | "miss" | undefined, "hit" | "miss" | undefined];
}

const LANGUAGES = (...languages: string[]) => ({ location: { languages } });

describe("the cache", () => {
  for (const { tags, entries } of shortAndLong<Situation>(
    [
      { why: "is used when nobody says otherwise", first: {}, second: {}, says: ["miss", "hit"] },
      { why: "is not read with maxAge 0", first: {}, second: { maxAge: 0 }, says: ["miss", undefined] },
      { why: "is filled with maxAge 0", first: { maxAge: 0 }, second: {}, says: [undefined, "hit"] },
      { why: "has nothing as young as maxAge 1", first: {}, second: { maxAge: 1 }, says: ["miss", "miss"] },
      {
        why: "is not filled with storeInCache false",
        first: { storeInCache: false },
        second: {},
        says: ["miss", "miss"],
      },
      {
        why: "is left alone when there are actions",
        first: { actions: [{ type: "wait", milliseconds: 1 }] },
        second: {},
        says: [undefined, "miss"],
      },
      {
        why: "has nothing for a request with actions",
        first: {},
        second: { actions: [{ type: "wait", milliseconds: 1 }] },
        says: ["miss", undefined],
      },
      {
        why: "keeps no page that custom headers brought",
        first: { headers: { a: "b" } },
        second: {},
        says: [undefined, "miss"],
      },
      { why: "is not read for a stealth proxy", first: {}, second: { proxy: "stealth" }, says: ["miss", undefined] },
      { why: "keeps what a stealth proxy brought", first: { proxy: "stealth" }, second: {}, says: [undefined, "hit"] },
      { why: "tells phones from desktops", first: {}, second: { mobile: true }, says: ["miss", "miss"] },
      { why: "tells pages with advertising apart", first: {}, second: { blockAds: false }, says: ["miss", "miss"] },
      { why: "tells countries apart", first: {}, second: { location: { country: "DE" } }, says: ["miss", "miss"] },
      { why: "tells languages apart", first: {}, second: LANGUAGES("de"), says: ["miss", "miss"] },
      {
        why: "takes languages as a set",
        first: LANGUAGES("de", "en"),
        second: LANGUAGES("EN", "de"),
        says: ["miss", "hit"],
      },
      { why: "does not mind other formats", first: {}, second: { formats: ["html", "links"] }, says: ["miss", "hit"] },
      {
        why: "has no picture of a page that was only read",
        first: {},
        second: { formats: ["screenshot"] },
        says: ["miss", "miss"],
      },
      {
        why: "has the picture of the same kind",
        first: { formats: ["screenshot"] },
        second: { formats: ["screenshot"] },
        says: ["miss", "hit"],
      },
      {
        why: "reads a page that was photographed",
        first: { formats: ["screenshot"] },
        second: {},
        says: ["miss", "hit"],
      },
      {
        why: "tells a picture of the window from one of the whole page",
        first: { formats: ["screenshot"] },
        second: { formats: [{ type: "screenshot", fullPage: true }] },
        says: ["miss", "miss"],
      },
      { why: "has no page that waited as long", first: {}, second: { waitFor: 50 }, says: ["miss", "miss"] },
      {
        why: "takes a page that waited longer",
        first: { waitFor: 60 },
        second: { waitFor: 50 },
        says: ["miss", "hit"],
      },
    ],
    ({ why }) => !/actions|photographed|window|waited longer/.test(why) || why.startsWith("has nothing for"),
  ))
    test.each(entries)("$why", { tags }, async ({ first, second, says }) => {
      const page = fresh("/counter");
      const one = await scraped(page, { ...DEFAULT_AGE, ...first });
      const two = await scraped(page, { ...DEFAULT_AGE, ...second });
      expect([one.metadata.cacheState, two.metadata.cacheState]).toEqual(says);
    });

  test("gives the page as it was, tells since when, and costs the same", async () => {
    const page = fresh("/counter");
    const before = Date.now();
    const first = await scraped(page, DEFAULT_AGE);
    const second = await scraped(page, DEFAULT_AGE);
    expect(second.markdown).toBe(first.markdown);
    expect(second.metadata).toMatchObject({ cacheState: "hit", creditsUsed: 1, engine: "cache" });
    expect(second.metadata.cachedAt).toMatch(ISO_TIME);
    expect(Date.parse(second.metadata.cachedAt ?? "")).toBeGreaterThanOrEqual(before);
    expect(Date.parse(second.metadata.cachedAt ?? "")).toBeLessThanOrEqual(Date.now());
    expect(second.metadata.scrapeId).not.toBe(first.metadata.scrapeId);
    expect(first.metadata).not.toHaveProperty("cachedAt");
  });

  test("knows a page without its fragment, and not with another query", async () => {
    const page = fresh("/counter");
    await scraped(`${page}#top`, DEFAULT_AGE);
    expect((await scraped(`${page}#end`, DEFAULT_AGE)).metadata.cacheState).toBe("hit");
    expect((await scraped(`${page}&more=1`, DEFAULT_AGE)).metadata.cacheState).toBe("miss");
  });

  test.each(["/missing", "/server-error", "/bot-wall/503", "/soft-404", "/login-wall"])(
    "does not keep %s",
    async (path) => {
      const page = fresh(path);
      expect((await scraped(page, { ...DEFAULT_AGE, fastMode: true })).metadata.cacheState).toBe("miss");
      expect((await scraped(page, { ...DEFAULT_AGE, fastMode: true })).metadata.cacheState).toBe("miss");
    },
  );

  test("serves many that come at once", async () => {
    const page = fresh("/counter");
    const many = () => Promise.all(Array.from({ length: 12 }, () => scraped(page, DEFAULT_AGE)));
    expect((await many()).every(({ markdown }) => markdown?.includes("The turnstile"))).toBe(true);
    expect(new Set((await many()).map(({ metadata }) => metadata.cacheState))).toEqual(new Set(["hit"]));
  });
});

describe.each([
  { option: "lockdown", value: true, code: "SCRAPE_LOCKDOWN_CACHE_MISS", credits: 5 },
  { option: "minAge", value: 1, code: "SCRAPE_NO_CACHED_DATA", credits: 1 },
])("$option", ({ option, value, code, credits }) => {
  const only = { ...DEFAULT_AGE, [option]: value };

  test("answers from the cache alone", async () => {
    const page = fresh("/counter");
    await scraped(page, DEFAULT_AGE);
    await cached(page);
    const { markdown, metadata } = await scraped(page, only);
    expect(markdown).toContain("**1** times");
    expect(metadata).toMatchObject({ cacheState: "hit", creditsUsed: credits });
  });

  test("says that there is nothing, and asks nobody", async () => {
    const path = `/tree/${1 + Math.floor(Math.random() * 1999)}`;
    const before = await hits(path);
    const { status, body } = await scrape(fresh(path), only);
    expect({ status, success: body.success, code: body.code }).toEqual({ status: 404, success: false, code });
    expect(await hits(path)).toBe(before);
  });
});

test("minAge passes over what is younger", async () => {
  const page = fresh("/counter");
  await scraped(page, DEFAULT_AGE);
  await cached(page);
  const { status, body } = await scrape(page, { ...DEFAULT_AGE, minAge: 600_000 });
  expect({ status, code: body.code }).toEqual({ status: 404, code: "SCRAPE_NO_CACHED_DATA" });
});

test("lockdown takes pages that are too old for others", async () => {
  const page = fresh("/counter");
  await scraped(page, DEFAULT_AGE);
  await cached(page);
  expect((await scraped(page, { maxAge: 1, storeInCache: false })).metadata.cacheState).toBe("miss");
  expect((await scraped(page, { ...DEFAULT_AGE, lockdown: true })).markdown).toContain("**1** times");
});

test("a screenshot from the cache has the URL of the first one", { tags: ["long"] }, async () => {
  const page = fresh("/final");
  const first = await scraped(page, { ...DEFAULT_AGE, formats: ["screenshot"] });
  await cached(page, { formats: ["screenshot"] });
  const second = await scraped(page, { ...DEFAULT_AGE, formats: ["screenshot"] });
  expect(second.metadata.cacheState).toBe("hit");
  expect(second.screenshot).toBe(first.screenshot);
});
