import { expect, test } from "vitest";
import { toDocumentParts } from "../../../../src/core/scrape/document-text.ts";
import type { LocalCache } from "../../../../src/ports/storage/local-cache.ts";
import type { CachedPage } from "../../../../src/ports/storage/stores.ts";
import { withNearDocuments } from "../../../../src/storage/scrape/near-documents.ts";
import { pageCacheContract } from "../../../contracts/page-cache.ts";
import { pageStoreContract } from "../../../contracts/page-store.ts";
import { cacheKey, someRecord } from "../../../contracts/scrape-store.ts";
import { memoryPageStore, memoryShards } from "../../../fakes/memory-page-store.ts";

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
      lives.push(lifeMs);
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

function scraped(title: string, { url = "https://near.example/", teamId = "team", storedAtMs = NOW } = {}) {
  const record = someRecord({ target: url, teamId, expiresAtMs: NOW + 86_400_000 });
  const page: CachedPage = {
    key: cacheKey(url, teamId),
    waitForMs: 0,
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
