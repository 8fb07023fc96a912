import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { Meter } from "../../src/core/meter.ts";
import type { LoadedPage } from "../../src/core/page.ts";
import { createR2Blobs } from "../../src/platform/r2-blobs.ts";
import type { CachedPage } from "../../src/ports/stores.ts";
import { createPageCache } from "../../src/storage/page-cache.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;

function service() {
  const meter = new Meter();
  const blobs = createR2Blobs(env.BUCKET, meter);
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

test("a page that cannot be written into the index leaves the one before as it was", async () => {
  const { cache, blobs, meter } = service();
  const url = `https://a.example/${crypto.randomUUID()}`;
  await cache.store(entry(url, "first"));
  const db = { ...env.DB, prepare: env.DB.prepare.bind(env.DB), batch: () => Promise.reject(new Error("cut off")) };
  const broken = createPageCache(db as unknown as D1Database, blobs, meter);
  await expect(broken.store(entry(url, "second"))).rejects.toThrow("cut off");
  expect((await find(cache, entry(url, "")))?.page.body).toBe("first");
});
