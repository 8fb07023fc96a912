import { describe, expect, test } from "vitest";
import type { ScrapeRecord, ScrapeStore } from "../../src/ports/storage/stores.ts";
import { firstIdOf } from "../../src/storage/crawl/first-id.ts";

const NOW = Date.UTC(2026, 5, 15);
/** Longer than the documents that are stored beside the record. */
const LONG = "x".repeat(150_000);

/** A record with an id of its time, as the service makes them. */
function someRecord(fields: Partial<ScrapeRecord> = {}): ScrapeRecord {
  const createdAtMs = fields.createdAtMs ?? NOW;
  return {
    id: `${firstIdOf(createdAtMs).slice(0, 14)}7${crypto.randomUUID().slice(15)}`,
    teamId: crypto.randomUUID(),
    keyId: "key",
    apiVersion: "v2",
    endpoint: "scrape",
    target: "https://site.example/",
    creditsUsed: 1,
    createdAtMs,
    expiresAtMs: NOW + 1000,
    ...fields,
  };
}

const documentOf = (metadata: object, markdown = ""): string => JSON.stringify({ markdown, metadata });

/** Requirements of every store of scrapes. */
export function scrapeStoreContract(name: string, makeStore: () => ScrapeStore): void {
  describe(`${name} as a store of scrapes`, () => {
    test("returns a scrape with the exact text of its document, short or long", async () => {
      const store = makeStore();
      for (const markdown of ["short", LONG]) {
        const record = someRecord({ replay: '{"waitFor":5}' });
        const documentJson = documentOf({ title: "A" }, markdown);
        await store.insert(record, documentJson);
        expect(await store.find(record.id, NOW)).toEqual({ record, documentJson });
      }
    });

    test("does not find an expired scrape, or an unknown one", async () => {
      const store = makeStore();
      const record = someRecord();
      await store.insert(record, "{}");
      expect(await store.find(record.id, record.expiresAtMs - 1)).toBeDefined();
      expect(await store.find(record.id, record.expiresAtMs)).toBeUndefined();
      expect(await store.find("none", NOW)).toBeUndefined();
    });

    test("replaces the document of a repeated scrape", async () => {
      const store = makeStore();
      const record = someRecord();
      await store.insert(record, documentOf({ title: "first" }));
      await store.insert(record, documentOf({ title: "second" }));
      expect((await store.find(record.id, NOW))?.documentJson).toBe(documentOf({ title: "second" }));
    });

    test("lists the pages of a host that a team has scraped, each once", async () => {
      const store = makeStore();
      const { teamId } = someRecord();
      const scraped = (target: string, metadata: object, fields: Partial<ScrapeRecord> = {}) =>
        store.insert(someRecord({ teamId, target, ...fields }), documentOf(metadata));
      await scraped("https://site.example/a", { title: "A", description: "About a", statusCode: 200 });
      await scraped("https://site.example/a", { title: "A", description: "About a", statusCode: 200 });
      await scraped("www.site.example/b", {});
      await scraped("https://site.example/missing", { statusCode: 404 });
      await scraped("https://site.example/old", {}, { expiresAtMs: NOW });
      await scraped("https://site.example/parsed", {}, { endpoint: "parse" });
      await scraped("https://site.example/foreign", {}, { teamId: crypto.randomUUID() });
      await scraped("https://other.example/?from=site.example", {});
      const pages = await store.pagesOf("www.site.example", { teamId, nowMs: NOW, limit: 10 });
      expect(pages.toSorted((left, right) => (left.url < right.url ? -1 : 1))).toEqual([
        { url: "https://site.example/a", title: "A", description: "About a" },
        { url: "www.site.example/b", title: undefined, description: undefined },
      ]);
      expect(await store.pagesOf("site.example", { teamId, nowMs: NOW, limit: 1 })).toHaveLength(1);
    });

    test("deletes scrapes that are older than a moment, up to a limit", async () => {
      const store = makeStore();
      const old = [1, 2, 3].map((ms) => someRecord({ createdAtMs: ms, expiresAtMs: NOW + 1000 }));
      const recent = someRecord();
      for (const record of [...old, recent]) await store.insert(record, "{}");
      expect(await store.purge(1000, 2)).toBe(2);
      expect(await store.purge(1000, 2)).toBe(1);
      const left = await Promise.all([...old, recent].map(({ id }) => store.find(id, NOW)));
      expect(left.map((found) => found !== undefined)).toEqual([false, false, false, true]);
    });
  });
}
