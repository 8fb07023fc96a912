import { describe, expect, test } from "vitest";
import { joinDocument, repeatedMetadata, toDocumentParts } from "../../src/core/scrape/document-text.ts";
import { repeatId, rowKeyOf, timesOf } from "../../src/core/scrape/scrape-id.ts";
import type { CachedPage, PageCache, ScrapeStore } from "../../src/ports/storage/stores.ts";
import { cacheKey, someRecord } from "./scrape-store.ts";

const NOW = Date.UTC(2026, 5, 15);
const BOUNDS = { minAgeMs: 0, maxAgeMs: 100_000, waitForMs: 0, nowMs: NOW + 1_000 };

/** A scrape of a page of its own with its document in a shape. */
function scraped(title: string, given: { url?: string; teamId?: string; storedAtMs?: number } = {}) {
  const { url = `https://pages.example/${crypto.randomUUID()}`, teamId, storedAtMs = NOW } = given;
  const record = someRecord({
    target: url,
    expiresAtMs: NOW + 86_400_000,
    ...(teamId === undefined ? {} : { teamId }),
  });
  const key = cacheKey(url, record.teamId);
  const page: CachedPage = {
    key,
    waitForMs: 0,
    storedAtMs,
    page: {
      url, statusCode: 200, headers: {}, contentType: "text/html", engine: "fetch", warnings: [], body: `<h1>${title}</h1>`,
    },
  }; // prettier-ignore
  const metadata = { sourceURL: url, title, scrapeId: record.id, creditsUsed: 1, cacheState: "miss" as const };
  return { record, key, page, document: toDocumentParts({ markdown: `# ${title}`, metadata }) };
}

/** Requirements of the stores of scrapes and pages together. */
export function pageStoreContract(name: string, make: () => { scrapes: ScrapeStore; pageCache: PageCache }): void {
  describe(`${name} as a store of scrapes with their pages`, () => {
    test("returns the document of a page in the same shape, and the page for another shape", async () => {
      const { scrapes, pageCache } = make();
      const { record, document, key, page } = scraped("One");
      await scrapes.insert({ record, document, page, shape: "markdown" });
      expect(await pageCache.find(key, BOUNDS, "markdown")).toMatchObject({
        kind: "document",
        found: { document, storedAtMs: NOW },
      });
      for (const shape of ["html", undefined]) {
        const found = await pageCache.find(key, BOUNDS, shape);
        expect(found).toMatchObject({ kind: "page", found: { page: { body: "<h1>One</h1>", engine: "cache" } } });
      }
      expect(await pageCache.find(key, { ...BOUNDS, minAgeMs: 1_001 }, "markdown")).toBeUndefined();
      expect(await pageCache.find(key, { ...BOUNDS, maxAgeMs: 999 }, "markdown")).toBeUndefined();
    });

    test("returns a document that was derived from the cached page later", async () => {
      const { scrapes, pageCache } = make();
      const first = scraped("Two");
      await scrapes.insert({ ...first, shape: "markdown" });
      const { page: _, ...cached } = first.page;
      const second = scraped("Two as HTML", { url: first.key.url, teamId: first.record.teamId });
      await scrapes.insert({ record: second.record, document: second.document, page: cached, shape: "html" });
      expect(await pageCache.find(first.key, BOUNDS, "html")).toMatchObject({ found: { document: second.document } });
      expect(await pageCache.find(first.key, BOUNDS, "markdown")).toMatchObject({
        found: { document: first.document },
      });
      expect(await pageCache.find(first.key, BOUNDS, "links")).toMatchObject({ kind: "page" });
    });

    test("finds a page after any number of documents that were derived from it", async () => {
      const { scrapes, pageCache } = make();
      const first = scraped("Many");
      await scrapes.insert({ ...first, shape: "markdown" });
      const { page: _, ...cached } = first.page;
      for (let at = 0; at < 25; at++) {
        const { record, document } = scraped("Derived", { url: first.key.url, teamId: first.record.teamId });
        await scrapes.insert({ record, document, page: cached, ...(at % 2 === 0 ? { shape: `shape ${at}` } : {}) });
      }
      expect(await pageCache.find(first.key, BOUNDS, "links")).toMatchObject({ kind: "page" });
      expect(await pageCache.find(first.key, BOUNDS, "shape 0")).toMatchObject({ kind: "document" });
      expect(await pageCache.find(first.key, BOUNDS, "markdown")).toMatchObject({
        found: { document: first.document },
      });
    });

    test("returns nothing for an id that was not given out, and a scrape by its id in capitals", async () => {
      const { scrapes, pageCache } = make();
      const { record, document, key, page } = scraped("Altered");
      await scrapes.insert({ record, document, page, shape: "markdown" });
      const found = await pageCache.find(key, BOUNDS, "markdown");
      if (found?.kind !== "document") throw new Error("There is no document");
      const at = { teamId: record.teamId, nowMs: NOW + 1_000 };
      expect((await scrapes.find(record.id.toUpperCase(), at))?.record.id).toBe(record.id);
      // Later than any cache keeps the page.
      const late = NOW + 400 * 86_400_000;
      expect(await scrapes.find(repeatId(found.found.row, late, 7), { ...at, nowMs: late })).toBeUndefined();
      const uncached = scraped("Without a page");
      await scrapes.insert({ record: uncached.record, document: uncached.document });
      const repeat = repeatId(rowKeyOf(uncached.record.id), NOW + 500, 7);
      expect(await scrapes.find(repeat, { ...at, teamId: uncached.record.teamId })).toBeUndefined();
    });

    test("returns no document of a page that was loaded again, which stays readable by its id", async () => {
      const { scrapes, pageCache } = make();
      const first = scraped("Old");
      await scrapes.insert({ ...first, shape: "markdown" });
      const again = scraped("New", { url: first.key.url, teamId: first.record.teamId, storedAtMs: NOW + 500 });
      await scrapes.insert({ ...again, shape: "html" });
      expect(await pageCache.find(first.key, BOUNDS, "markdown")).toMatchObject({
        kind: "page",
        found: { page: { body: "<h1>New</h1>" } },
      });
      const { id, teamId } = first.record;
      expect((await scrapes.find(id, { teamId, nowMs: NOW }))?.documentJson).toBe(joinDocument(first.document));
    });

    test("writes the document of a repeat again from its id, for its team and its time", async () => {
      const { scrapes, pageCache } = make();
      const { record, document, key, page } = scraped("Three");
      await scrapes.insert({ record, document, page, shape: "markdown" });
      const found = await pageCache.find(key, BOUNDS, "markdown");
      if (found?.kind !== "document") throw new Error("There is no document");
      const createdAtMs = NOW + 3_600_000;
      const id = repeatId(found.found.row, createdAtMs, 7);
      const at = { teamId: record.teamId, nowMs: createdAtMs };
      const metadata = repeatedMetadata(document.metadata, { id, cachedAtMs: NOW, lookupMs: timesOf(id).lookupMs });
      expect(await scrapes.find(id, at)).toEqual({
        record: { ...record, id, createdAtMs, expiresAtMs: createdAtMs + 86_400_000 },
        documentJson: joinDocument({ ...document, metadata }),
      });
      expect(JSON.parse(metadata)).toMatchObject({
        scrapeId: id,
        cacheState: "hit",
        title: "Three",
        attempts: [{ engine: "cache", outcome: "loaded", ms: 7 }],
      });
      expect(await scrapes.find(id, { ...at, teamId: crypto.randomUUID() })).toBeUndefined();
      expect(await scrapes.find(id, { ...at, nowMs: createdAtMs + 86_400_000 })).toBeUndefined();
      // An id whose time lies before the stored scrape is none that was given out.
      expect(await scrapes.find(repeatId(found.found.row, NOW - 1, 7), at)).toBeUndefined();
    });

    test("stores the page of a scrape whose id was made elsewhere", async () => {
      const { scrapes, pageCache } = make();
      const { record, document, key, page } = scraped("Four");
      const foreign = { ...record, id: crypto.randomUUID() };
      await scrapes.insert({ record: foreign, document, page, shape: "markdown" });
      expect(await pageCache.find(key, BOUNDS, "markdown")).toMatchObject({ kind: "page" });
      const at = { teamId: record.teamId, nowMs: NOW };
      expect((await scrapes.find(foreign.id, at))?.documentJson).toBe(joinDocument(document));
    });

    test("replaces a placeholder by the scrape that was promised", async () => {
      const { scrapes, pageCache } = make();
      const { record, document, key, page } = scraped("Five");
      const { metadata } = document;
      await scrapes.insert({ record, document: { fields: '"warning":"still being scraped"', metadata } });
      await scrapes.insert({ record, document, page, shape: "markdown" });
      const at = { teamId: record.teamId, nowMs: NOW };
      expect((await scrapes.find(record.id, at))?.documentJson).toBe(joinDocument(document));
      expect(await pageCache.find(key, BOUNDS, "markdown")).toMatchObject({ kind: "document" });
    });
  });
}
