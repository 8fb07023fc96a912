import { expect, test } from "vitest";
import { toDocumentParts } from "../../../../src/core/scrape/document-text.ts";
import type { LocalCache } from "../../../../src/ports/storage/local-cache.ts";
import type { CachedPage } from "../../../../src/ports/storage/stores.ts";
import { withNearDocuments } from "../../../../src/storage/scrape/near-documents.ts";
import { pageCacheContract } from "../../../contracts/page-cache.ts";
import { pageStoreContract } from "../../../contracts/page-store.ts";
import { cacheKey, someRecord } from "../../../contracts/scrape-store.ts";
import { memoryPageStore, memoryShards } from "../../../fakes/memory/memory-page-store.ts";

const NOW = Date.UTC(2026, 5, 15);
const BOUNDS = { minAgeMs: 0, maxAgeMs: 100_000, waitForMs: 0, nowMs: NOW + 1_000 };

/** A data centre's cache: entries by their keys, which tests may read and break. */
function memoryCache() {
  const entries = new Map<string, string>();
  const lives: number[] = [];
  const cache: LocalCache = {
    get: async (key) => entries.get(key),
    put: async (key, text, lifeMs) => {
      entries.set(key, text);
      if (text.includes("documents")) lives.push(lifeMs);
    },
    delete: async (key) => void entries.delete(key),
  };
  return { cache, entries, lives };
}

/** Stores behind a cache, and the number of questions that have reached the objects. */
function nearStores(cache: LocalCache = memoryCache().cache, shared = memoryShards(() => NOW)) {
  let lookups = 0;
  const shard: typeof shared.shard = (name) => {
    const { findPage, ...others } = shared.shard(name);
    return { ...others, findPage: (query) => ((lookups += 1), findPage(query)) };
  };
  const stores = withNearDocuments(memoryPageStore({ shard }), {
    cache,
    defer: () => undefined,
    cacheMs: 7 * 86_400_000,
  });
  return { ...stores, lookups: () => lookups };
}

function scraped(
  title: string,
  { url = "https://near.example/", teamId = "team", storedAtMs = NOW, screenshot = "", waitForMs = 0 } = {},
) {
  const record = someRecord({ target: url, teamId, expiresAtMs: NOW + 86_400_000 });
  const page: CachedPage = {
    key: { ...cacheKey(url, teamId), screenshot },
    waitForMs,
    storedAtMs,
    page: {
      url, statusCode: 200, headers: {}, contentType: "text/html", engine: "fetch", warnings: [], body: `<h1>${title}</h1>`,
    },
  }; // prettier-ignore
  const metadata = { sourceURL: url, title, scrapeId: record.id, creditsUsed: 1, cacheState: "miss" as const };
  return { record, page, document: toDocumentParts({ markdown: `# ${title}`, metadata }), shape: "markdown" };
}

pageCacheContract("SQLite in memory behind a data centre's cache", () => nearStores().pageCache);
pageStoreContract("SQLite in memory behind a data centre's cache", () => nearStores());

test("asks the object once for a document, and no object for the next requests", async () => {
  const { scrapes, pageCache, lookups } = nearStores();
  const one = scraped("One");
  await scrapes.insert(one);
  const first = await pageCache.find(one.page.key, BOUNDS, "markdown");
  for (let at = 0; at < 3; at++) expect(await pageCache.find(one.page.key, BOUNDS, "markdown")).toEqual(first);
  expect(first).toMatchObject({ kind: "document", found: { document: one.document, storedAtMs: NOW } });
  expect(lookups()).toBe(1);
});

test("returns no older page after a newer one was stored", async () => {
  const { scrapes, pageCache } = nearStores();
  const key = scraped("").page.key;
  for (const [at, title] of ["One", "Two", "Three"].entries()) {
    const next = scraped(title, { storedAtMs: NOW + at });
    await (at === 2 ? pageCache.store(next.page) : scrapes.insert(next));
    const found = await pageCache.find(key, BOUNDS, "markdown");
    expect(found).toMatchObject({ kind: at === 2 ? "page" : "document", found: { storedAtMs: NOW + at } });
  }
});

test.each([
  ["with a screenshot", { screenshot: "full" }],
  ["with another wait", { waitForMs: 500 }],
])("returns no older page after a newer one was stored %s", async (_, load) => {
  const { scrapes, pageCache } = nearStores();
  const key = scraped("").page.key;
  await scrapes.insert(scraped("One"));
  await pageCache.find(key, BOUNDS, "markdown");
  const two = scraped("Two", { ...load, storedAtMs: NOW + 1 });
  await scrapes.insert(two);
  const newest = { found: { document: two.document, storedAtMs: NOW + 1 } };
  expect(await pageCache.find(key, BOUNDS, "markdown")).toMatchObject(newest);
});

test("keeps documents of several loads beside each other, and drops those that a newer version replaces", async () => {
  const { cache, entries } = memoryCache();
  const shared = memoryShards(() => NOW);
  const { scrapes, pageCache, lookups } = nearStores(cache, shared);
  const [plain, waited] = [scraped("One", { storedAtMs: NOW + 1 }), scraped("Waited", { waitForMs: 500 })];
  await scrapes.insert(waited);
  await scrapes.insert(plain);
  const key = plain.page.key;
  for (let at = 0; at < 2; at++) {
    expect(await pageCache.find(key, BOUNDS, "markdown")).toMatchObject({ found: { document: plain.document } });
    const late = await pageCache.find(key, { ...BOUNDS, waitForMs: 500 }, "markdown");
    expect(late).toMatchObject({ found: { document: waited.document } });
  }
  expect(lookups()).toBe(2);
  // Another data centre stores a version that answers both.
  const newer = scraped("Newer", { waitForMs: 500, storedAtMs: NOW + 2 });
  await nearStores(undefined, shared).scrapes.insert({ ...newer, shape: "html" });
  await pageCache.find(key, { ...BOUNDS, waitForMs: 500 }, "html");
  expect([...entries.values()].join("")).not.toContain('"markdown"');
});

test("does not use what a slow lookup writes after a newer version was stored", async () => {
  const { cache } = memoryCache();
  const late: (() => Promise<void>)[] = [];
  const slow: LocalCache = {
    ...cache,
    put: async (key, text, lifeMs) => void late.push(() => cache.put(key, text, lifeMs)),
  };
  const shared = memoryShards(() => NOW);
  const one = scraped("One");
  await nearStores(cache, shared).scrapes.insert(one);
  await nearStores(slow, shared).pageCache.find(one.page.key, BOUNDS, "markdown");
  const { scrapes, pageCache, lookups } = nearStores(cache, shared);
  const two = scraped("Two", { storedAtMs: NOW + 1 });
  await scrapes.insert(two);
  expect(late).toHaveLength(1);
  await late[0]?.();
  for (let at = 0; at < 2; at++) {
    const newest = { found: { document: two.document, storedAtMs: NOW + 1 } };
    expect(await pageCache.find(one.page.key, BOUNDS, "markdown")).toMatchObject(newest);
  }
  expect(lookups()).toBe(1);
});

test("leaves the stores as they are without a cache", () => {
  const stores = memoryPageStore({ shard: memoryShards(() => NOW).shard });
  expect(withNearDocuments(stores, { cache: undefined, defer: () => undefined, cacheMs: 1 })).toBe(stores);
});

test.each([
  ["is older than maxAge", { maxAgeMs: 999 }],
  ["is younger than minAge", { minAgeMs: 1_001 }],
  ["is from the future of this clock", { nowMs: NOW - 1 }],
  ["is older than cached pages are used", { nowMs: NOW + 8 * 86_400_000, maxAgeMs: 30 * 86_400_000 }],
])("asks the object when the document %s", async (_, bounds) => {
  const { scrapes, pageCache, lookups } = nearStores();
  const one = scraped("One");
  await scrapes.insert(one);
  await pageCache.find(one.page.key, BOUNDS, "markdown");
  expect(await pageCache.find(one.page.key, { ...BOUNDS, ...bounds }, "markdown")).toBeUndefined();
  expect(lookups()).toBe(2);
});

test("never returns the document of another team, page, option or shape", async () => {
  const { cache } = memoryCache();
  const { scrapes, pageCache, lookups } = nearStores(cache);
  const one = scraped("One");
  await scrapes.insert(one);
  await pageCache.find(one.page.key, BOUNDS, "markdown");
  const others = [
    { team: "other" },
    { url: "https://near.example/b" },
    { mobile: true },
    { country: "de" },
    { languages: "de" },
  ];
  for (const other of others) {
    expect(await pageCache.find({ ...one.page.key, ...other }, BOUNDS, "markdown")).toBeUndefined();
  }
  expect(await pageCache.find(one.page.key, BOUNDS, "html")).toMatchObject({ kind: "page" });
  expect(await pageCache.find(one.page.key, BOUNDS)).toMatchObject({ kind: "page" });
  expect(await pageCache.find(one.page.key, { ...BOUNDS, waitForMs: 500 }, "markdown")).toBeUndefined();
  expect(lookups()).toBe(1 + others.length + 3);
});

test("keeps documents in several shapes of one version, for at most five minutes", async () => {
  const { cache, lives } = memoryCache();
  const { scrapes, pageCache, lookups } = nearStores(cache);
  const one = scraped("One");
  await scrapes.insert(one);
  const { page: _, ...place } = one.page;
  const html = scraped("One as HTML");
  await scrapes.insert({ ...html, page: place, shape: "html" });
  for (let at = 0; at < 3; at++) {
    for (const shape of ["markdown", "html"]) {
      expect(await pageCache.find(one.page.key, BOUNDS, shape)).toMatchObject({ kind: "document" });
    }
  }
  expect(lookups()).toBe(2);
  expect(Math.max(...lives)).toBe(300_000);
});

test("answers from the object when the cache fails or holds something else", async () => {
  const broken: LocalCache = {
    get: () => Promise.reject(new Error("down")),
    put: () => Promise.resolve(),
    delete: () => Promise.reject(new Error("down")),
  };
  const foreign: LocalCache = {
    get: async () => `{"version":2}`,
    put: async () => undefined,
    delete: async () => undefined,
  };
  for (const cache of [broken, foreign]) {
    const { scrapes, pageCache } = nearStores(cache);
    const one = scraped("One");
    await scrapes.insert(one);
    expect(await pageCache.find(one.page.key, BOUNDS, "markdown")).toMatchObject({ found: { document: one.document } });
  }
});
