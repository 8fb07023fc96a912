import { describe, expect, test } from "vitest";
import { placeOfPage, type PageCacheKey } from "../../src/core/scrape/cache-key.ts";
import { toDocumentParts, joinDocument } from "../../src/core/scrape/document-text.ts";
import { newScrapeId } from "../../src/core/scrape/scrape-id.ts";
import type { ScrapeRecord, ScrapeStore } from "../../src/ports/storage/stores.ts";

const NOW = Date.UTC(2026, 5, 15);
/** Longer than a document that is stored beside the record, also when it is compressed. */
const LONG = Array.from({ length: 40_000 }, () => crypto.randomUUID()).join(" ");

/** Returns the key of a page in the cache. */
export function cacheKey(url: string, team: string): PageCacheKey {
  return { team, url, mobile: false, blockAds: true, country: "", languages: "", screenshot: "" };
}

/** A record with an id of its page, as the service makes them. */
export function someRecord(fields: Partial<ScrapeRecord> = {}): ScrapeRecord {
  const { target = "https://site.example/", teamId = crypto.randomUUID() } = fields;
  const url = target.includes("://") ? target : `http://${target}`;
  return {
    id: newScrapeId(placeOfPage(cacheKey(url, teamId))),
    teamId,
    keyId: "key",
    apiVersion: "v2",
    endpoint: "scrape",
    target,
    creditsUsed: 1,
    createdAtMs: NOW,
    expiresAtMs: NOW + 1000,
    ...fields,
  };
}

const documentOf = (metadata: object, markdown = "") =>
  toDocumentParts({ markdown, metadata: { sourceURL: "https://site.example/", ...metadata } });

/** Requirements of every store of scrapes. */
export function scrapeStoreContract(name: string, makeStore: () => ScrapeStore): void {
  describe(`${name} as a store of scrapes`, () => {
    test("returns a scrape with the exact text of its document, short or long", async () => {
      const store = makeStore();
      for (const markdown of ["", "short ünïcödé", "x".repeat(150_000), LONG]) {
        const record = someRecord({ replay: '{"waitFor":5}' });
        const document = documentOf({ title: "A" }, markdown);
        await store.insert({ record, document });
        const found = await store.find(record.id, { teamId: record.teamId, nowMs: NOW });
        expect(found).toEqual({ record, documentJson: joinDocument(document) });
      }
    });

    test("does not find an expired scrape, an unknown one, or one of another team", async () => {
      const store = makeStore();
      const record = someRecord();
      const { id, teamId, expiresAtMs } = record;
      await store.insert({ record, document: documentOf({}) });
      expect(await store.find(id, { teamId, nowMs: expiresAtMs - 1 })).toBeDefined();
      expect(await store.find(id, { teamId, nowMs: expiresAtMs })).toBeUndefined();
      expect(await store.find(id, { teamId: crypto.randomUUID(), nowMs: NOW })).toBeUndefined();
      expect(await store.find(crypto.randomUUID(), { teamId, nowMs: NOW })).toBeUndefined();
    });

    test("replaces the document of a repeated scrape", async () => {
      const store = makeStore();
      const record = someRecord();
      await store.insert({ record, document: documentOf({ title: "first" }) });
      await store.insert({ record, document: documentOf({ title: "second" }) });
      const found = await store.find(record.id, { teamId: record.teamId, nowMs: NOW });
      expect(found?.documentJson).toBe(joinDocument(documentOf({ title: "second" })));
    });

    test("lists the pages of a host that a team has scraped, each once", async () => {
      const store = makeStore();
      const { teamId } = someRecord();
      const scraped = (target: string, metadata: object, fields: Partial<ScrapeRecord> = {}, markdown = "") =>
        store.insert({ record: someRecord({ teamId, target, ...fields }), document: documentOf(metadata, markdown) });
      await scraped("https://site.example/a", { title: "A", description: "About a", statusCode: 200 });
      await scraped("https://site.example/a", { title: "A", description: "About a", statusCode: 200 });
      await scraped("www.site.example/b", {});
      await scraped("http://www.site.example/long", { title: "Long" }, {}, LONG);
      await scraped("https://site.example/missing", { statusCode: 404 });
      await scraped("https://site.example/old", {}, { expiresAtMs: NOW });
      await scraped("https://site.example/parsed", {}, { endpoint: "parse" });
      await scraped("https://site.example/foreign", {}, { teamId: crypto.randomUUID() });
      await scraped("https://other.example/?from=site.example", {});
      const pages = await store.pagesOf("www.site.example", { teamId, nowMs: NOW, limit: 10 });
      expect(pages.toSorted((left, right) => (left.url < right.url ? -1 : 1))).toEqual([
        { url: "http://www.site.example/long", title: "Long", description: undefined },
        { url: "https://site.example/a", title: "A", description: "About a" },
        { url: "www.site.example/b", title: undefined, description: undefined },
      ]);
      expect(await store.pagesOf("site.example", { teamId, nowMs: NOW, limit: 1 })).toHaveLength(1);
    });
  });
}
