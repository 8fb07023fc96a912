import { describe, expect, test } from "vitest";
import type { CachedPage, FoundPage, PageCache, PageCacheKey } from "../../src/ports/storage/stores.ts";

const NOW = Date.UTC(2026, 5, 15);

function someEntry({ key, ...fields }: { key?: Partial<PageCacheKey> } & Partial<Omit<CachedPage, "key">> = {}) {
  const url = `https://a.example/${crypto.randomUUID()}`;
  return {
    key: { team: "team", url, mobile: false, blockAds: true, country: "", languages: "", screenshot: "", ...key },
    waitForMs: 0,
    storedAtMs: NOW,
    page: {
      url, statusCode: 200, headers: {}, contentType: "text/html", engine: "fetch", warnings: [], body: "as stored",
    },
    ...fields,
  } satisfies CachedPage; // prettier-ignore
}

const BOUNDS = { minAgeMs: 0, maxAgeMs: 1000, waitForMs: 0, nowMs: NOW };
const pageOf = (found: FoundPage | undefined) => (found?.kind === "page" ? found.found : undefined);

/** Requirements of every page cache. */
export function pageCacheContract(name: string, makeCache: () => PageCache): void {
  describe(`${name} as a page cache`, () => {
    test("returns a page of text or bytes with its screenshot", async () => {
      const cache = makeCache();
      const text = someEntry();
      await cache.store(text);
      expect(await cache.find(text.key, BOUNDS)).toEqual({
        kind: "page",
        found: { ...text, page: { ...text.page, engine: "cache", cachedAtMs: NOW } },
      });
      const screenshot = { bytes: new Uint8Array([4, 5]), contentType: "image/jpeg" };
      const page = { ...text.page, engine: "browser" as const, body: new Uint8Array([1, 2, 3]), screenshot };
      const bytes = someEntry({ key: { screenshot: "full" }, page });
      await cache.store(bytes);
      expect(pageOf(await cache.find(bytes.key, BOUNDS))?.page).toMatchObject({ body: page.body, screenshot });
      const plain = { ...bytes.key, screenshot: "" };
      expect(pageOf(await cache.find(plain, BOUNDS))?.page.body).toEqual(page.body);
      expect(await cache.find({ ...bytes.key, screenshot: "other" }, BOUNDS)).toBeUndefined();
    });

    test("returns empty, long and incompressible bodies as they were", async () => {
      const cache = makeCache();
      const noise = new Uint8Array(300_000);
      for (let from = 0; from < noise.length; from += 50_000)
        crypto.getRandomValues(noise.subarray(from, from + 50_000));
      for (const body of ["", "ä".repeat(2_500_000), new Uint8Array(), noise]) {
        const entry = someEntry();
        await cache.store({ ...entry, page: { ...entry.page, body } });
        expect(pageOf(await cache.find(entry.key, BOUNDS))?.page.body).toEqual(body);
      }
    });

    test("separates teams, URLs and options", async () => {
      const cache = makeCache();
      const entry = someEntry();
      await cache.store(entry);
      const others: Partial<PageCacheKey>[] = [
        { team: "other" }, { url: `${entry.key.url}b` }, { mobile: true }, { blockAds: false }, { country: "de" },
        { languages: "de" },
      ]; // prettier-ignore
      for (const other of others) expect(await cache.find({ ...entry.key, ...other }, BOUNDS)).toBeUndefined();
    });

    test("returns the newest page within the bounds of age and wait", async () => {
      const cache = makeCache();
      const entry = someEntry({ waitForMs: 500 });
      await cache.store(entry);
      await cache.store({ ...entry, waitForMs: 0, storedAtMs: NOW + 100 });
      const at = async (bounds: Partial<typeof BOUNDS>) =>
        (await cache.find(entry.key, { ...BOUNDS, nowMs: NOW + 1000, ...bounds }))?.found.storedAtMs;
      expect(await at({})).toBe(NOW + 100);
      expect(await at({ waitForMs: 500 })).toBe(NOW);
      expect(await at({ waitForMs: 501 })).toBeUndefined();
      expect(await at({ minAgeMs: 901 })).toBe(NOW);
      expect(await at({ maxAgeMs: 899 })).toBeUndefined();
    });

    test("replaces the earlier version of a page", async () => {
      const cache = makeCache();
      const entry = someEntry();
      await cache.store(entry);
      await cache.store({ ...entry, storedAtMs: NOW + 10, page: { ...entry.page, body: "newer" } });
      const later = { ...BOUNDS, nowMs: NOW + 100 };
      expect(pageOf(await cache.find(entry.key, later))?.page.body).toBe("newer");
      expect(await cache.find(entry.key, { ...later, minAgeMs: 95 })).toBeUndefined();
    });

    test("returns no page that is older than the cache keeps them, whatever is asked for", async () => {
      const cache = makeCache();
      const entry = someEntry({ storedAtMs: 1 });
      await cache.store(entry);
      expect(await cache.find(entry.key, { ...BOUNDS, maxAgeMs: NOW })).toBeUndefined();
    });
  });
}
