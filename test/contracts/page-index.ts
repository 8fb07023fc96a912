import { describe, expect, test } from "vitest";
import { parseSearchQuery } from "../../src/core/search/search-query.ts";
import type { IndexedPage, PageIndex, PageQuery } from "../../src/ports/search/page-index.ts";

const NOW = Date.UTC(2026, 5, 15);
const DAY_MS = 86_400_000;
const RETENTION_MS = 30 * DAY_MS;

const page = (url: string, fields: Partial<IndexedPage> = {}): IndexedPage => ({
  url,
  title: "",
  description: "",
  language: "en",
  body: "",
  fileType: "html",
  datedAtMs: NOW,
  scrapeId: "a scrape",
  ...fields,
});

/** An index with a team that only one test uses. */
function newTeam(index: PageIndex) {
  const teamId = crypto.randomUUID();
  const search = async (query: string, options: Partial<PageQuery> = {}) =>
    await index.search(teamId, { terms: parseSearchQuery(query), limit: 10, indexedAfterMs: 0, ...options });
  return {
    search,
    put: async (pages: IndexedPage[], nowMs = NOW) =>
      await index.put(teamId, pages, { nowMs, retentionMs: RETENTION_MS }),
    found: async (...query: Parameters<typeof search>) => (await search(...query)).map(({ url }) => url).toSorted(),
  };
}

/** Requirements of every page index. */
export function pageIndexContract(name: string, makeIndex: () => PageIndex): void {
  const [FERRY, BELL, TIDES] = ["https://a.example/ferry", "https://a.example/bell", "https://b.example/tides.pdf"];

  describe(`${name} as a page index`, () => {
    test.each([
      { query: "ferry", urls: [BELL, FERRY] },
      { query: '"to the island"', urls: [FERRY] },
      { query: '"island the to"', urls: [] },
      { query: "ferry -bell", urls: [FERRY] },
      { query: "ferry site:b.example", urls: [] },
      { query: "ferry -site:a.example/bell", urls: [FERRY] },
      { query: "noon OR cast", urls: [BELL, TIDES] },
      { query: "filetype:pdf water", urls: [TIDES] },
      { query: "volcano", urls: [] },
    ])("answers $query", async ({ query, urls }) => {
      const { put, found } = newTeam(makeIndex());
      await put([
        page(FERRY, { title: "The ferry", body: "The ferry to the island leaves at nine." }),
        page(BELL, { body: "A bell was cast for the ferry in 1821." }),
        page(TIDES, { body: "High water at noon.", fileType: "pdf" }),
      ]);
      expect(await found(query)).toEqual(urls);
    });

    test("returns the stored fields of a page, and no pages of another team", async () => {
      const index = makeIndex();
      const { put, search } = newTeam(index);
      const own = page(FERRY, { title: "Ferry", description: "Times", body: "It leaves at nine.", datedAtMs: 1000 });
      await put([own]);
      const { url, title, description, body, datedAtMs, scrapeId } = own;
      expect(await search("ferry")).toEqual([{ url, title, description, body, datedAtMs, scrapeId }]);
      expect(await newTeam(index).found("ferry")).toEqual([]);
    });

    test("replaces the entry of a URL, whatever its spelling", async () => {
      const { put, found } = newTeam(makeIndex());
      await put([page("https://a.example/", { body: "oldword shared" })]);
      await put([page("http://www.a.example", { body: "newword shared" })]);
      expect(await found("oldword")).toEqual([]);
      expect(await found("shared")).toEqual(["http://www.a.example"]);
    });

    test("filters by language and date, and returns the newest first on request", async () => {
      const { put, found, search } = newTeam(makeIndex());
      await put([
        page("https://a.example/", { language: "fr", body: "port", datedAtMs: NOW - 1000 }),
        page("https://b.example/", { language: "de", body: "port", datedAtMs: NOW - 40 * DAY_MS }),
        page("https://c.example/", { language: "", body: "port", datedAtMs: NOW }),
      ]);
      expect(await found("port", { language: "fr" })).toEqual(["https://a.example/", "https://c.example/"]);
      const newest = await search("port", { newestFirst: true, limit: 2 });
      expect(newest.map(({ url }) => url)).toEqual(["https://c.example/", "https://a.example/"]);
      const span = { fromMs: NOW - 60 * DAY_MS, toMs: NOW - DAY_MS };
      expect(await found("port", span)).toEqual(["https://b.example/"]);
    });

    test("deletes pages read before a moment, up to a limit, and does not return them before", async () => {
      const index = makeIndex();
      const { put, found } = newTeam(index);
      const urls = [1, 2, 3, 4].map((number) => `https://p${number}.example/`);
      await put(urls.slice(0, 3).map((url) => page(url, { body: "tide" })), 1000); // prettier-ignore
      await put(urls.slice(3).map((url) => page(url, { body: "tide" })), 5000); // prettier-ignore
      expect(await found("tide", { indexedAfterMs: 4000 })).toEqual(urls.slice(3));
      expect(await index.purge(4000, 2)).toBe(2);
      expect(await found("tide")).toHaveLength(2);
      expect(await index.purge(4000, 2)).toBe(1);
      expect(await found("tide")).toEqual(urls.slice(3));
    });
  });
}
