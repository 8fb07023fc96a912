import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { Meter } from "../../src/core/account/meter.ts";
import type { LoadedPage } from "../../src/core/scrape/page.ts";
import { createR2Blobs } from "../../src/platform/r2-blobs.ts";
import type { CachedPage } from "../../src/ports/storage/stores.ts";
import { createPageCache } from "../../src/storage/scrape/page-cache.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;

function service() {
  const meter = new Meter();
  const blobs = createR2Blobs(env.BUCKET);
  return { cache: createPageCache(env.DB, blobs, meter), blobs, meter };
}

/** A page of a URL of the test's own. */
function entry(url: string, body: string, { storedAtMs = NOW, picture = false } = {}): CachedPage {
  const page: LoadedPage = {
    url, statusCode: 200, headers: {}, contentType: "text/html", engine: "browser", warnings: [], body,
    ...(picture ? { screenshot: { bytes: new Uint8Array([1, 2, 3]), contentType: "image/png" } } : {}),
  }; // prettier-ignore
  const key = {
    team: "",
    url,
    mobile: false,
    blockAds: true,
    country: "",
    languages: "",
    screenshot: picture ? "full" : "",
  };
  return { key, waitForMs: 0, storedAtMs, page };
}

const find = (cache: ReturnType<typeof service>["cache"], { key }: CachedPage) =>
  cache.find(key, { minAgeMs: 0, maxAgeMs: 30 * DAY_MS, waitForMs: 0, nowMs: NOW + 2 * DAY_MS });
const objects = async (): Promise<number> => (await env.BUCKET.list({ prefix: "pages/" })).objects.length;

test("a page that takes the place of another one deletes its body and its picture, also those of another day", async () => {
  const { cache } = service();
  const before = await objects();
  const url = `https://a.example/${crypto.randomUUID()}`;
  for (let day = 0; day < 3; day++) {
    await cache.store(entry(url, `body ${day}`, { storedAtMs: NOW + day * (DAY_MS / 2), picture: true }));
  }
  expect((await objects()) - before).toBe(2);
  expect((await find(cache, entry(url, "", { picture: true })))?.page.body).toBe("body 2");
});

test("pages that are stored at once leave one body, which is the one that is found", async () => {
  const { cache } = service();
  const before = await objects();
  const url = `https://a.example/${crypto.randomUUID()}`;
  await Promise.all(Array.from({ length: 8 }, (_, index) => service().cache.store(entry(url, `body ${index}`))));
  expect((await objects()) - before).toBe(1);
  expect((await find(cache, entry(url, "")))?.page.body).toMatch(/^body \d$/);
});

describe("the sweep", () => {
  const written = async (key: string): Promise<void> => void (await env.BUCKET.put(key, "left by a crash"));
  const isThere = async (key: string): Promise<boolean> => (await env.BUCKET.head(key)) !== null;
  const orphans = ["a", "b", "c.screenshot", "d", "e"].map(
    (name) => `pages/2026-11-0${name.length === 1 ? 1 : 2}/${name}`,
  );

  test("deletes what no entry points at, part by part, and leaves what an entry has", async () => {
    const { cache } = service();
    for (const orphan of orphans) await written(orphan);
    const kept = [0, 1, 2].map((index) =>
      entry(`https://a.example/${crypto.randomUUID()}`, `kept ${index}`, { picture: index === 1 }),
    );
    for (const page of kept) await cache.store(page);

    const total = await objects();
    let [deleted, steps, after] = [0, 0, undefined as string | undefined];
    do {
      const step = await cache.sweep({ after, limit: 2, writtenBeforeMs: Date.now() + 60_000 });
      deleted += step.deleted;
      after = step.next;
    } while (++steps < 100 && after !== undefined);

    expect({ deleted, steps }).toEqual({ deleted: orphans.length, steps: Math.ceil(total / 2) });
    for (const orphan of orphans) expect(await isThere(orphan)).toBe(false);
    for (const page of kept) {
      const found = (await find(cache, page))?.page;
      expect(found?.body).toBe(page.page.body);
      expect(found?.screenshot?.bytes).toEqual(page.page.screenshot?.bytes);
    }
  });

  test("leaves bodies that may still get their entry", async () => {
    const { cache } = service();
    const key = "pages/2026-11-01/begun";
    await written(key);
    const { deleted } = await cache.sweep({ after: undefined, limit: 1_000, writtenBeforeMs: Date.now() - 60_000 });
    expect(deleted).toBe(0);
    expect(await isThere(key)).toBe(true);
    await env.BUCKET.delete(key);
  });

  test("deletes the body of a page whose replacement was cut off before it, and the new body without its entry", async () => {
    const { cache, blobs, meter } = service();
    const before = await objects();
    const url = `https://a.example/${crypto.randomUUID()}`;
    await cache.store(entry(url, "first"));
    const lost = createPageCache(env.DB, { ...blobs, delete: () => Promise.reject(new Error("cut off")) }, meter);
    await expect(lost.store(entry(url, "second"))).rejects.toThrow("cut off");
    const db = { ...env.DB, prepare: env.DB.prepare.bind(env.DB), batch: () => Promise.reject(new Error("cut off")) };
    const broken = createPageCache(db as unknown as D1Database, blobs, meter);
    await expect(broken.store(entry(url, "third"))).rejects.toThrow("cut off");
    expect((await objects()) - before).toBe(3);

    await cache.sweep({ after: undefined, limit: 1_000, writtenBeforeMs: Date.now() + 60_000 });
    expect((await objects()) - before).toBe(1);
    expect((await find(cache, entry(url, "")))?.page.body).toBe("second");
  });
});

test("a page that cannot be written into the index leaves the one before as it was", async () => {
  const { cache, blobs, meter } = service();
  const url = `https://a.example/${crypto.randomUUID()}`;
  await cache.store(entry(url, "first"));
  const db = { ...env.DB, prepare: env.DB.prepare.bind(env.DB), batch: () => Promise.reject(new Error("cut off")) };
  const broken = createPageCache(db as unknown as D1Database, blobs, meter);
  await expect(broken.store(entry(url, "second"))).rejects.toThrow("cut off");
  expect((await find(cache, entry(url, "")))?.page.body).toBe("first");
});
