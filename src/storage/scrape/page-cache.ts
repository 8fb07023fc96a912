import { z } from "zod";
import { readReplaceable } from "../../core/stored-state.ts";
import { dayKey } from "../../core/account/day-key.ts";
import { randomToken, sha256Hex } from "../../core/text/hash.ts";
import type { Meter } from "../../core/account/meter.ts";
import type { LoadedPage } from "../../core/scrape/page.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { CachedPage, PageCache, PageCacheKey } from "../../ports/storage/stores.ts";

interface CachedPageRow {
  screenshot: string;
  wait_for_ms: number;
  stored_at_ms: number;
  body_key: string;
  screenshot_key: string | null;
  page: string;
}

/** Fields of a page stored in the row; bodies and screenshots are objects. */
const StoredPage = z.object({
  engine: z.enum(["cache", "fetch", "browser", "upload"]),
  url: z.string(),
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  contentType: z.string().optional(),
  timezone: z.string().optional(),
  warnings: z.array(z.string()).default([]),
  isText: z.boolean(),
  screenshotType: z.string().optional(),
});
type StoredPage = z.infer<typeof StoredPage>;

/** Prefix of all bodies and screenshots. */
const PAGES = "pages/";
/** Suffix of a screenshot's key, after the key of its body. */
const PICTURE = ".screenshot";

/** Running `store` calls of this isolate, so that an immediate repeat of a request finds the page. */
const pendingStores = new Map<string, Promise<void>>();

/**
 * Creates the page cache: the index in D1, bodies and screenshots in R2, written before the row that refers to
 * them, and deleted after that row was replaced. `sweep` deletes objects left by a crash.
 */
export function createPageCache(db: D1Database, blobs: Blobs, meter: Meter): PageCache {
  function putBodies(base: string, { body, screenshot }: LoadedPage): Promise<unknown> {
    return Promise.all([
      blobs.put(base, body),
      screenshot === undefined ? undefined : blobs.put(`${base}${PICTURE}`, screenshot.bytes),
    ]);
  }

  async function write(
    hash: string,
    entry: CachedPage,
    { base, putting }: { base: string; putting: Promise<unknown> },
  ): Promise<void> {
    const { page } = entry;
    const screenshotKey = page.screenshot === undefined ? null : `${base}${PICTURE}`;
    await putting;
    const place = [hash, entry.key.screenshot, entry.waitForMs];
    // One transaction: of two concurrent calls, the second one sees and deletes the objects of the first one.
    const [replaced] = await db.batch<Pick<CachedPageRow, "body_key" | "screenshot_key">>([
      db
        .prepare(
          "SELECT body_key, screenshot_key FROM cached_pages WHERE url_hash = ? AND screenshot = ? AND wait_for_ms = ?",
        )
        .bind(...place),
      db
        .prepare("INSERT OR REPLACE INTO cached_pages VALUES (?, ?, ?, ?, ?, ?, ?)")
        .bind(...place, entry.storedAtMs, base, screenshotKey, JSON.stringify(toStored(page))),
    ]);
    const old =
      replaced?.results.flatMap((row) =>
        row.screenshot_key === null ? [row.body_key] : [row.body_key, row.screenshot_key],
      ) ?? [];
    if (old.length > 0) await blobs.delete(old);
  }

  async function read(row: CachedPageRow): Promise<LoadedPage | undefined> {
    const stored = readReplaceable(StoredPage, row.page);
    if (stored === undefined) return undefined;
    const [body, screenshot] = await Promise.all([
      stored.isText ? blobs.text(row.body_key) : blobs.get(row.body_key).then((blob) => blob?.bytes),
      row.screenshot_key === null ? undefined : blobs.get(row.screenshot_key),
    ]);
    if (body === undefined || (row.screenshot_key !== null && screenshot === undefined)) return undefined;
    const { isText: _, screenshotType, contentType, ...page } = stored;
    const loaded: LoadedPage = { ...page, contentType, engine: "cache", body, cachedAtMs: row.stored_at_ms };
    if (screenshot !== undefined) {
      loaded.screenshot = { bytes: screenshot.bytes, contentType: screenshotType ?? "image/png" };
    }
    return loaded;
  }

  /** Returns the bodies that a row refers to. */
  async function usedBodies(bodyKeys: readonly string[]): Promise<Set<string>> {
    if (bodyKeys.length === 0) return new Set();
    const { results } = await db
      .withSession("first-primary")
      .prepare("SELECT body_key FROM cached_pages WHERE body_key IN (SELECT value FROM json_each(?))")
      .bind(JSON.stringify(bodyKeys))
      .run<Pick<CachedPageRow, "body_key">>();
    return new Set(results.map(({ body_key: key }) => key));
  }

  return {
    async find(key, { minAgeMs, maxAgeMs, waitForMs, nowMs }) {
      const hash = await hashOf(key);
      await pendingStores.get(hash);
      const result = await db
        .withSession("first-primary")
        .prepare(
          `SELECT screenshot, wait_for_ms, stored_at_ms, body_key, screenshot_key, page FROM cached_pages
           WHERE url_hash = ?1 AND (?2 = '' OR screenshot = ?2) AND wait_for_ms >= ?3
             AND stored_at_ms >= ?4 AND stored_at_ms <= ?5
           ORDER BY stored_at_ms DESC LIMIT 1`,
        )
        .bind(hash, key.screenshot, waitForMs, nowMs - maxAgeMs, nowMs - minAgeMs)
        .run<CachedPageRow>();
      const row = result.results[0];
      if (row === undefined) return undefined;
      const page = await read(row);
      return page === undefined ? undefined : { key, waitForMs: row.wait_for_ms, storedAtMs: row.stored_at_ms, page };
    },

    /** Counts the row before it is written: the caller may send the receipt earlier. */
    async store(entry) {
      const base = `${PAGES}${dayKey(entry.storedAtMs)}/${randomToken()}`;
      meter.expect({ d1RowsWritten: 1 });
      const putting = putBodies(base, entry.page);
      putting.catch(() => undefined);
      const hash = await hashOf(entry.key);
      const writing = write(hash, entry, { base, putting });
      pendingStores.set(
        hash,
        writing.catch(() => undefined),
      );
      try {
        await writing;
      } finally {
        pendingStores.delete(hash);
      }
    },

    async purge(storedBeforeMs, limit) {
      const result = await db
        .prepare(
          `DELETE FROM cached_pages WHERE (url_hash, screenshot, wait_for_ms) IN
             (SELECT url_hash, screenshot, wait_for_ms FROM cached_pages WHERE stored_at_ms < ? LIMIT ?)`,
        )
        .bind(storedBeforeMs, limit)
        .run();
      return result.meta.changes;
    },

    async sweep({ after, limit, writtenBeforeMs }) {
      const { objects, hasMore } = await blobs.list(PAGES, { after, limit });
      const keys = objects.filter(({ writtenAtMs }) => writtenAtMs < writtenBeforeMs).map(({ key }) => key);
      const used = await usedBodies([...new Set(keys.map(bodyOf))]);
      const orphans = keys.filter((key) => !used.has(bodyOf(key)));
      if (orphans.length > 0) await blobs.delete(orphans);
      return { deleted: orphans.length, next: hasMore ? objects.at(-1)?.key : undefined };
    },
  };
}

function bodyOf(key: string): string {
  return key.endsWith(PICTURE) ? key.slice(0, -PICTURE.length) : key;
}

/** Hashes the key without the screenshot, a separate column: an entry with one also serves requests without it. */
function hashOf(key: PageCacheKey): Promise<string> {
  return sha256Hex(JSON.stringify([key.team, key.url, key.mobile, key.blockAds, key.country, key.languages]));
}

function toStored(page: LoadedPage): StoredPage {
  const { url, statusCode, headers, contentType, engine, warnings } = page;
  const stored: StoredPage = {
    url,
    statusCode,
    headers,
    contentType,
    engine,
    warnings,
    isText: typeof page.body === "string",
  } as StoredPage;
  if (page.timezone !== undefined) stored.timezone = page.timezone;
  if (page.screenshot !== undefined) stored.screenshotType = page.screenshot.contentType;
  return stored;
}
