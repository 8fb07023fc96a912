import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { Meter } from "../../../src/core/account/meter.ts";
import { parseSearchQuery } from "../../../src/core/search/search-query.ts";
import type { IndexedPage, PageQuery } from "../../../src/ports/search/page-index.ts";
import { measuredObjects } from "../../../src/platform/metering/metered-objects.ts";
import { indexShards } from "../../../src/platform/search/index-shards.ts";
import { meteredSql } from "../../../src/platform/crawl/metered-sql.ts";
import { IndexShard, ONE_SHARD } from "../../../src/storage/search/index-shard.ts";
import { createPageIndex, INDEX_LIMITS, type IndexLimits } from "../../../src/storage/search/page-index.ts";
import { urlMark } from "../../../src/storage/search/page-marks.ts";
import { storeEarlierPartition } from "../../fakes/memory/earlier-index.ts";
import { given } from "../../fakes/given.ts";

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

const HOSTILE = [
  `"`, `""`, `"""`, `en" OR marks : "x`, `en) OR (lfr`, `en*`, `*`, `^en`, `NOT`, `OR`, `AND NEAR`, `NEAR(a b, 5)`, `{title} : x`, `marks : x`,
  `a + b`, `-`, `--`, `' OR 1=1 --`, `;DROP TABLE page_words`, `\u0000`, `a\u0000b`, `\ud800`, `%`, `_`, `(((((`, `)))))`, `\\`, "x".repeat(5_000), `${"(".repeat(5_000)}`,
  Array.from({ length: 700 }, (_, index) => `-w${index}`).join(" "), Array.from({ length: 700 }, (_, index) => `w${index} OR`).join(" "),
  Array.from({ length: 350 }, (_, index) => `site:s${index}.example`).join(" "), Array.from({ length: 350 }, (_, index) => `-site:s${index}.example`).join(" "),
  Array.from({ length: 350 }, (_, index) => `filetype:f${index}`).join(" "), Array.from({ length: 500 }, (_, index) => `"p${index} q"`).join(" "), `site:") OR (`, `filetype:")`,
]; // prettier-ignore

// The texts themselves cannot be names: half a surrogate pair breaks the test reporter.
test.each([...HOSTILE.keys()])("reads no syntax out of hostile text %i", async (index) => {
  const text = given(HOSTILE[index]);
  const { put, found } = newTeam();
  await put([page("https://a.example/ferry", { body: "The ferry leaves.", language: text }), page("https://b.example/", { body: "Nothing of it." })]);
  await expect(found(text)).resolves.toEqual(expect.any(Array));
  await expect(found("ferry", { language: text })).resolves.toEqual(expect.any(Array));
  await expect(found(`ferry site:${text} filetype:${text}`)).resolves.toEqual(expect.any(Array));
  expect(await found("ferry")).toEqual(["a.example/ferry"]);
  expect(await found("ferry", { language: "xx" })).not.toContain("b.example/");
}); // prettier-ignore

/** An index, and a team of the test's own. */
function newTeam({ limits = INDEX_LIMITS, meter = new Meter() }: { limits?: IndexLimits; meter?: Meter } = {}) {
  const shard = indexShards(measuredObjects(env.SEARCH_INDEX, meter));
  const index = createPageIndex({ shard, limits, layouts: new Map() });
  const teamId = crypto.randomUUID();
  return {
    index,
    teamId,
    put: (pages: IndexedPage[], nowMs = NOW) => index.put(teamId, pages, { nowMs, retentionMs: RETENTION_MS }),
    found: async (query: string, options: Partial<PageQuery> = {}) => {
      const terms = parseSearchQuery(query);
      const pages = await index.search(teamId, { terms, limit: 10, indexedAfterMs: NOW - RETENTION_MS, ...options });
      return pages.map(({ url }) => url.replace("https://", ""));
    },
  };
}

const SITE = [
  page("https://harrow.example/ferry", {
    title: "The ferry",
    body: "The ferry to Skell Island leaves at nine. Dogs travel free.",
  }),
  page("https://harrow.example/bell", { title: "The bell foundry", body: "A bell was cast for the ferry in 1821." }),
  page("https://www.skell.example/island/birds", { title: "Birds", body: "Skell Island has puffins and gannets." }),
  page("https://blog.skell.example/café", {
    title: "Café des Îles",
    language: "fr",
    body: "Le café ouvre à neuf heures, près de l'île.",
  }),
  page("https://jp.example/minato", {
    title: "港",
    language: "ja",
    body: "冬の日曜日には渡し船は出ない。東京都の港。",
  }),
  page("https://jp.example/gakko", { title: "がっこう", language: "ja", body: "ガラスのベルが鳴る。" }),
  page("https://ru.example/zvonok", { title: "Мой звонок", language: "ru", body: "Колокол у моря, й и ё." }),
  page("https://files.example/tides.pdf", { title: "Tide tables", fileType: "pdf", body: "High water at noon." }),
];

test("takes a page of characters that become many others", async () => {
  const { put, found } = newTeam();
  await put([page("https://a.example/ferry", { body: `The ferry ${"\ufdfa".repeat(99_000)}` })]);
  expect(await found("ferry")).toEqual(["a.example/ferry"]);
});

describe("the page index", () => {
  test.each([
    { query: "ferry", urls: ["harrow.example/ferry", "harrow.example/bell"] },
    { query: "FERRY bell", urls: ["harrow.example/bell", "harrow.example/ferry"] },
    { query: '"skell island"', urls: ["www.skell.example/island/birds", "harrow.example/ferry"] },
    { query: '"island skell"', urls: [] },
    { query: "ferry -bell", urls: ["harrow.example/ferry"] },
    { query: "site:harrow.example dogs", urls: ["harrow.example/ferry"] },
    { query: "site:skell.example", urls: ["blog.skell.example/café", "www.skell.example/island/birds"] },
    { query: "site:skell.example/island", urls: ["www.skell.example/island/birds"] },
    { query: "skell -site:skell.example", urls: ["harrow.example/ferry"] },
    { query: "skell -site:skell.example/island", urls: ["blog.skell.example/café", "harrow.example/ferry"] },
    { query: "cafe ile", urls: ["blog.skell.example/café"] },
    { query: "puffins OR dogs", urls: ["harrow.example/ferry", "www.skell.example/island/birds"] },
    { query: "渡し船", urls: ["jp.example/minato"] },
    { query: "京都港", urls: ["jp.example/minato"] },
    { query: '"東京都の港"', urls: ["jp.example/minato"] },
    { query: '"港の東京都"', urls: [] },
    { query: "ガラス", urls: ["jp.example/gakko"] },
    { query: `"カラス"`, urls: [] },
    { query: "мой", urls: ["ru.example/zvonok"] },
    { query: "filetype:pdf water", urls: ["files.example/tides.pdf"] },
    { query: "tides", urls: ["files.example/tides.pdf"] },
    { query: "puffin", urls: ["www.skell.example/island/birds"] },
    { query: "what is the ferry", urls: ["harrow.example/ferry", "harrow.example/bell"] },
    { query: '"', urls: [] },
    { query: "volcano", urls: [] },
    { query: "a) OR NEAR(b* ^ {", urls: [] },
  ])("answers $query", async ({ query, urls }) => {
    const { put, found } = newTeam();
    await put(SITE);
    const got = await found(query);
    expect(got.toSorted()).toEqual(urls.toSorted());
  });

  test("puts first what has the words in its title and all of them", async () => {
    const { put, found } = newTeam();
    await put(SITE);
    expect((await found("ferry"))[0]).toBe("harrow.example/ferry");
    expect((await found("ferry bell"))[0]).toBe("harrow.example/bell");
  });

  test("finds nothing of another team", async () => {
    const { put } = newTeam();
    await put(SITE);
    const other = newTeam();
    expect(await other.found("ferry")).toEqual([]);
    await other.put([page("https://harrow.example/ferry", { body: "Our own ferry page." })]);
    expect(await other.found("ferry")).toEqual(["harrow.example/ferry"]);
    expect(await other.found("dogs")).toEqual([]);
  });

  test("keeps one entry a page however its URL is written, with its last text", async () => {
    const { put, found, index, teamId } = newTeam();
    await put([page("https://harrow.example/", { body: "oldword shared" })]);
    await put([page("http://www.harrow.example", { body: "newword shared", scrapeId: "second" })]);
    await put([page("http://www.harrow.example", { body: "newword shared", scrapeId: "third" })]);
    expect(await found("oldword")).toEqual([]);
    expect(await found("shared")).toHaveLength(1);
    const terms = parseSearchQuery("newword");
    const [entry] = await index.search(teamId, { terms, limit: 5, indexedAfterMs: 0 });
    expect(entry).toEqual({
      url: "http://www.harrow.example",
      title: "",
      description: "",
      body: "newword shared",
      datedAtMs: NOW,
      scrapeId: "second",
    });
  });

  test("writes nothing for a page that has not changed, until half of its time is over", async () => {
    const meter = new Meter();
    const team = newTeam({ meter });
    const put = async (nowMs: number) => {
      const before = meter.counts.durableObjectRowsWritten;
      await team.put(SITE, nowMs);
      return meter.counts.durableObjectRowsWritten - before;
    };
    expect(await put(NOW)).toBeGreaterThan(0);
    expect(await put(NOW + DAY_MS)).toBe(0);
    expect(await put(NOW + 16 * DAY_MS)).toBeGreaterThan(0);
  });

  test("narrows down to a language, and keeps pages that do not tell theirs", async () => {
    const { put, found } = newTeam();
    await put([
      page("https://a.example/", { language: "fr", body: "port" }),
      page("https://b.example/", { language: "de", body: "port" }),
      page("https://c.example/", { language: "", body: "port" }),
    ]);
    expect((await found("port", { language: "fr" })).toSorted()).toEqual(["a.example/", "c.example/"]);
  });

  test.each([
    { why: "a day", fromMs: NOW - DAY_MS, toMs: NOW, urls: ["new.example/"] },
    { why: "two months", fromMs: NOW - 60 * DAY_MS, toMs: NOW, urls: ["new.example/", "month.example/"] },
    {
      why: "a span that ended",
      fromMs: Date.UTC(2024, 0, 1),
      toMs: Date.UTC(2026, 0, 1),
      urls: ["old.example/"],
    },
    { why: "all time", fromMs: 0, toMs: NOW, urls: ["new.example/", "month.example/", "old.example/"] },
  ])("narrows down to $why", async ({ fromMs, toMs, urls }) => {
    const { put, found } = newTeam();
    await put([
      page("https://new.example/", { body: "tide", datedAtMs: NOW - 1000 }),
      page("https://month.example/", { body: "tide", datedAtMs: NOW - 40 * DAY_MS }),
      page("https://old.example/", { body: "tide", datedAtMs: Date.UTC(2025, 2, 3) }),
    ]);
    expect(await found("tide", { fromMs, toMs, newestFirst: true })).toEqual(urls);
  });

  test("forgets what was read before a moment, and no longer finds it before it is deleted", async () => {
    const { put, found, index, teamId } = newTeam();
    const pages = Array.from({ length: 5 }, (_, number) => page(`https://p${number}.example/`, { body: "tide" }));
    await put(pages.slice(0, 4), NOW - 20 * DAY_MS);
    await put(pages.slice(4), NOW);
    expect(await found("tide", { indexedAfterMs: NOW - DAY_MS })).toEqual(["p4.example/"]);
    expect((await index.size(teamId)).pages).toBe(5);
    const object = env.SEARCH_INDEX.getByName(`${teamId}/0`);
    const alarmMs = await runInDurableObject(object, async (_, { storage }) => await storage.getAlarm());
    expect(alarmMs).toBeGreaterThanOrEqual(NOW + 10 * DAY_MS);
    expect(alarmMs).toBeLessThanOrEqual(NOW + 19 * DAY_MS);
    const now = vi.spyOn(Date, "now").mockReturnValue(Number(alarmMs));
    await runDurableObjectAlarm(object);
    now.mockRestore();
    expect((await index.size(teamId)).pages).toBe(1);
    expect(await found("tide", { indexedAfterMs: 0 })).toEqual(["p4.example/"]);
    expect(await runInDurableObject(object, async (_, { storage }) => await storage.getAlarm())).toBeGreaterThan(
      Number(alarmMs),
    );
  });

  test("takes pages too large for one statement, and very many", async () => {
    const { put, found } = newTeam();
    const body = "lorem ipsum dolor ".repeat(20_000);
    await put(Array.from({ length: 12 }, (_, number) => page(`https://big.example/${number}`, { body })));
    await put(Array.from({ length: 300 }, (_, number) => page(`https://many.example/${number}`, { body: "sit amet" })));
    expect(await found("dolor", { limit: 100 })).toHaveLength(12);
    expect(await found("amet", { limit: 1000 })).toHaveLength(300);
  });

  test.each([
    { together: 1, requests: 64 },
    { together: 32, requests: 2 },
  ])("is written with one row for a page, $together at a time", async ({ together, requests }) => {
    const meter = new Meter();
    const { put, found } = newTeam({ meter });
    const numbers = Array.from({ length: 64 }, (_, number) => number);
    const pages = numbers.map((number) =>
      page(`https://many.example/${number}`, { title: `Page ${number}`, body: "sit amet" }),
    );
    // The first creates the partition.
    await put([page("https://first.example/")]);
    const before = { ...meter.counts };
    for (let from = 0; from < pages.length; from += together) await put(pages.slice(from, from + together));
    expect(meter.counts.durableObjectRequests - before.durableObjectRequests).toBe(requests);
    expect(meter.counts.durableObjectRowsWritten - before.durableObjectRowsWritten).toBe(64);
    expect(await found("amet", { limit: 100 })).toHaveLength(64);
  });

  test("reads a partition of an earlier version, and replaces and drops what is in it", async () => {
    const object = env.SEARCH_INDEX.getByName(crypto.randomUUID());
    await runInDurableObject(object, (_, { storage }) => {
      const sql = meteredSql(storage, () => undefined);
      const dropAtMs = Math.ceil((NOW + RETENTION_MS) / DAY_MS) * DAY_MS;
      const [waits, added] = ["https://a.example/waits", "https://a.example/added"];
      const earlier = { title: "Tides", contentHash: "one", indexedAtMs: NOW - DAY_MS };
      const entries = [
        { ...earlier, url: added, body: "high water" },
        { ...earlier, url: waits, body: "low water" },
      ];
      storeEarlierPartition(sql, entries, { startMs: NOW - 2 * DAY_MS, dropAtMs, waiting: 1 });
      const shard = new IndexShard(sql, () => storage.sql.databaseSize);
      const urls = (query: string) =>
        shard.search({ terms: parseSearchQuery(query), limit: 5, indexedAfterMs: 0 }).hits.map(({ url }) => url);
      expect(urls("water").toSorted()).toEqual([added, waits]);
      const entry = { ...page(waits, { body: "no sea" }), mark: urlMark(waits), contentHash: "two" };
      const options = { nowMs: NOW, retentionMs: RETENTION_MS, layout: ONE_SHARD, fullBytes: 1e9 };
      expect(shard.put([entry], options).kind).toBe("stored");
      expect(urls("water")).toEqual([added]);
      expect(urls("sea")).toEqual([waits]);
      expect(shard.size().pages).toBe(2);
      shard.dropExpired(dropAtMs);
      expect(shard.size().pages).toBe(1);
    });
  });

  test("is divided when it grows: every page is found once, and replaced wherever it was", async () => {
    const limits = { growBytes: 300_000, fullBytes: 9_000_000, maxShards: 8 };
    const { put, found, index, teamId } = newTeam({ limits });
    const text = (seed: number): string =>
      Array.from({ length: 400 }, (_, at) => ((seed * 7919 + at * 104_729) % 60_466_176).toString(36)).join(" ");
    const urls = Array.from({ length: 480 }, (_, number) => `https://many.example/${number}`);
    for (let start = 0; start < urls.length; start += 40) {
      await put(
        urls
          .slice(start, start + 40)
          .map((url, at) => page(url, { title: `Page ${start + at}`, body: `tide ${text(start + at)}` })),
      );
    }
    const { shards, pages } = await index.size(teamId);
    expect(shards).toBeGreaterThanOrEqual(4);
    expect(pages).toBe(urls.length);
    // Another isolate knows of one shard, and learns of the others from it.
    const other = createPageIndex({ shard: indexShards(env.SEARCH_INDEX), limits, layouts: new Map() });
    const terms = parseSearchQuery("tide");
    const all = await other.search(teamId, { terms, limit: 1000, indexedAfterMs: 0 });
    expect(all.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
    const third = createPageIndex({ shard: indexShards(env.SEARCH_INDEX), limits, layouts: new Map() });
    await third.put(teamId, urls.map((url) => page(url, { body: "ebb" })), { nowMs: NOW + 1, retentionMs: RETENTION_MS }); // prettier-ignore
    expect(await found("tide", { limit: 1000 })).toEqual([]);
    expect(await found("ebb", { limit: 1000 })).toHaveLength(urls.length);
    expect((await index.size(teamId)).pages).toBe(urls.length);
  });

  test("is renewed in every shard by an isolate that knows of one", async () => {
    const limits = { growBytes: 100_000, fullBytes: 9_000_000, maxShards: 2 };
    const { put, found, index, teamId } = newTeam({ limits });
    await put([page("https://large.example/", { body: "sand ".repeat(20_000) })]);
    await put([page("https://large.example/", { body: Array.from({ length: 2_000 }, () => crypto.randomUUID()).join(" ") })]); // prettier-ignore
    const urls = Array.from({ length: 8 }, (_, number) => `https://many.example/${number}`);
    await put(urls.map((url) => page(url, { body: "tide" })));
    expect((await index.size(teamId)).shards).toBe(2);
    const laterMs = NOW + 16 * DAY_MS;
    for (const url of urls) {
      const other = createPageIndex({ shard: indexShards(env.SEARCH_INDEX), limits, layouts: new Map() });
      await other.confirm(teamId, [url], { nowMs: laterMs, retentionMs: RETENTION_MS });
    }
    expect(await found("tide", { indexedAfterMs: NOW })).toHaveLength(urls.length);
  });

  test("takes no more pages when it is full, says how many, and takes them again when others have expired", async () => {
    const { index, teamId, found } = newTeam();
    const limits = { growBytes: 200_000, fullBytes: 200_000, maxShards: 1 };
    const small = createPageIndex({ shard: indexShards(env.SEARCH_INDEX), limits, layouts: new Map() });
    const put = async (number: number, nowMs: number) =>
      await small.put(teamId, [page(`https://a.example/${number}`, { body: crypto.randomUUID().repeat(3) + String(number) + Array.from({ length: 500 }, () => crypto.randomUUID()).join(" ") })], { nowMs, retentionMs: RETENTION_MS }); // prettier-ignore
    let refused = 0;
    let stored = 0;
    for (let number = 0; number < 20; number++) {
      const answer = await put(number, NOW);
      refused += answer.refused;
      stored += 1 - answer.refused;
    }
    expect(refused).toBeGreaterThan(5);
    expect(stored).toBeGreaterThan(2);
    expect(await small.size(teamId)).toMatchObject({ isFull: true, pages: stored });
    expect(await found("site:a.example", { limit: 100 })).toHaveLength(stored);
    expect(await put(50, NOW + 40 * DAY_MS)).toEqual({ refused: 0 });
    expect(await small.size(teamId)).toMatchObject({ isFull: false, pages: 1 });
    expect((await index.size(teamId)).shards).toBe(1);
  });
});
