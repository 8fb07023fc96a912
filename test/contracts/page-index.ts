import { describe, expect, test } from "vitest";
import { parseSearchQuery } from "../../src/core/search/search-query.ts";
import type { IndexedPage, PageIndex, PageQuery } from "../../src/ports/search/page-index.ts";

const DAY_MS = 86_400_000;
/** Noon of today: objects delete by their own clock what has expired. */
const NOW = (Math.floor(Date.now() / DAY_MS) + 0.5) * DAY_MS;
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
    teamId,
    search,
    put: async (pages: IndexedPage[], nowMs = NOW) =>
      await index.put(teamId, pages, { nowMs, retentionMs: RETENTION_MS }),
    found: async (...query: Parameters<typeof search>) => (await search(...query)).map(({ url }) => url).toSorted(),
  };
}

interface OpenIndex {
  index: PageIndex;
  /** Lets the index of a team delete what has expired at a time. */
  expire(teamId: string, nowMs: number): Promise<void>;
}

/** Requirements of every page index. */
export function pageIndexContract(name: string, open: () => OpenIndex): void {
  const makeIndex = (): PageIndex => open().index;
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
      // No text of a caller is parsed as an expression.
      for (const language of ['"', 'fr" OR "lde', "fr) OR (", "*"]) await found("port", { language });
      const newest = await search("port", { newestFirst: true, limit: 2 });
      expect(newest.map(({ url }) => url)).toEqual(["https://c.example/", "https://a.example/"]);
      const span = { fromMs: NOW - 60 * DAY_MS, toMs: NOW - DAY_MS };
      expect(await found("port", span)).toEqual(["https://b.example/"]);
    });

    test("deletes pages after their retention, and does not return them before", async () => {
      const { index, expire } = open();
      const { put, found, teamId } = newTeam(index);
      const urls = [1, 2, 3, 4].map((number) => `https://p${number}.example/`);
      await put(urls.slice(0, 3).map((url) => page(url, { body: "tide" })), NOW); // prettier-ignore
      await put(urls.slice(3).map((url) => page(url, { body: "tide" })), NOW + 20 * DAY_MS); // prettier-ignore
      expect(await found("tide", { indexedAfterMs: NOW })).toEqual(urls.slice(3));
      await expire(teamId, NOW + RETENTION_MS);
      expect(await found("tide")).toEqual(urls);
      // Pages of some days are deleted together.
      await expire(teamId, NOW + RETENTION_MS + 8 * DAY_MS);
      expect(await found("tide")).toEqual(urls.slice(3));
      expect((await index.size(teamId)).pages).toBe(1);
      await expire(teamId, NOW + RETENTION_MS + 28 * DAY_MS);
      expect((await index.size(teamId)).pages).toBe(0);
    });

    test("renews pages that are confirmed when half of their retention is over, and leaves those that have expired", async () => {
      const { index, expire } = open();
      const { put, search, found, teamId } = newTeam(index);
      const confirm = async (urls: string[], nowMs: number) =>
        await index.confirm(teamId, urls, { nowMs, retentionMs: RETENTION_MS });
      const urls = ["https://a.example/", "https://b.example/", "https://c.example/"];
      await put(urls.map((url) => page(url, { title: "Tide", body: `tide ${"sand ".repeat(400)}`, datedAtMs: NOW - DAY_MS }))); // prettier-ignore
      const before = await search("tide");
      // Too early to matter, in another spelling, and a page that the index does not have.
      await confirm(["https://b.example/"], NOW + 10 * DAY_MS);
      await confirm(["http://www.a.example", "https://other.example/"], NOW + 20 * DAY_MS);
      expect((await index.size(teamId)).pages).toBe(3);
      expect(await search("tide")).toEqual(expect.arrayContaining(before));
      const atMs = NOW + RETENTION_MS + DAY_MS;
      expect(await found("tide", { indexedAfterMs: atMs - RETENTION_MS })).toEqual(["https://a.example/"]);
      await confirm(urls, atMs);
      expect(await found("tide", { indexedAfterMs: atMs - RETENTION_MS })).toEqual(["https://a.example/"]);
      await expire(teamId, NOW + 20 * DAY_MS + RETENTION_MS - DAY_MS);
      expect(await found("tide")).toEqual(["https://a.example/"]);
    });

    test("finds a page right after it was put, among others that were put before and after", async () => {
      const index = makeIndex();
      const { put, found, teamId } = newTeam(index);
      for (let round = 0; round < 45; round++) {
        await put([page(`https://p.example/${round}`, { title: `Round ${round}`, body: `tide number${round}` })]);
        if (round % 9 === 0)
          expect(await found(`number${round}`), `round ${round}`).toEqual([`https://p.example/${round}`]);
      }
      expect(await found("tide", { limit: 100 })).toHaveLength(45);
      expect(await index.size(teamId)).toMatchObject({ pages: 45, shards: 1, isFull: false });
    });

    test("replaces an entry that was put weeks before, and ranks the pages of all weeks together", async () => {
      const { put, found, search } = newTeam(makeIndex());
      const filler = Array.from({ length: 40 }, (_, number) =>
        page(`https://f.example/${number}`, { body: "sand dune" }),
      );
      await put([page("https://a.example/", { body: "tide oldword" }), page("https://b.example/", { body: `tide ${"sand ".repeat(400)}` }), ...filler], NOW); // prettier-ignore
      await put([page("https://a.example/", { title: "Tide", body: "tide newword" })], NOW + 16 * DAY_MS);
      expect(await found("oldword")).toEqual([]);
      // Rare among all pages, the word counts in the newest partition too, whose only page has it.
      expect((await search("tide")).map(({ url }) => url)).toEqual(["https://a.example/", "https://b.example/"]);
    });

    test("stores bodies of 100,000 characters of a script without spaces, and such as are numbers", async () => {
      const { put, search } = newTeam(makeIndex());
      const long = Array.from({ length: 100_000 }, (_, at) =>
        String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)),
      ).join("");
      const pages = Array.from({ length: 4 }, (_, at) =>
        page(`https://j.example/${at}`, { body: long, language: "ja" }),
      );
      await put([...pages, page("https://n.example/", { title: "number", body: "0123" })]);
      const found = await search(long.slice(5_000, 5_004), { limit: 20 });
      expect(found).toHaveLength(4);
      expect(found[0]?.body).toBe(long);
      expect((await search("number"))[0]?.body).toBe("0123");
    });
  });
}
