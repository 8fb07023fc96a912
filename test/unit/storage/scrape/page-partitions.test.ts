import { expect, test } from "vitest";
import { PageShard } from "../../../../src/storage/scrape/page-shard.ts";
import { createPageStore } from "../../../../src/storage/scrape/page-store.ts";
import { keyRange } from "../../../../src/core/scrape/scrape-id.ts";
import type { Sql } from "../../../../src/ports/storage/sql.ts";
import { joinDocument, toDocumentParts } from "../../../../src/core/scrape/document-text.ts";
import { cacheKey, someRecord } from "../../../contracts/scrape-store.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { memoryPageStore, memoryShards } from "../../../fakes/memory/memory-page-store.ts";
import { nodeSql } from "../../../fakes/memory/node-sql.ts";

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 5, 15, 9);
const RETENTION = { resultMs: DAY_MS, cacheMs: 7 * DAY_MS };

/** Scrapes by a clock of the test's own, with a page or without one. */
function storeAt(nowMs: number) {
  let now = nowMs;
  const memory = memoryShards(() => now);
  const { scrapes, pageCache } = memoryPageStore({ shard: memory.shard, retention: RETENTION });
  const keep = async (url: string, hasPage: boolean) => {
    const record = someRecord({ teamId: "team", target: url, createdAtMs: now, expiresAtMs: now + DAY_MS });
    const body = `<p>${url}</p>`;
    const page = {
      key: cacheKey(url, "team"), waitForMs: 0, storedAtMs: now,
      page: { url, statusCode: 200, headers: {}, contentType: "text/html", engine: "fetch" as const, warnings: [], body },
    }; // prettier-ignore
    const document = toDocumentParts({ markdown: url, metadata: { sourceURL: url } });
    await scrapes.insert({ record, document, ...(hasPage ? { page, shape: "markdown" } : {}) });
    return record.id;
  };
  const isFound = async (id: string) => (await scrapes.find(id, { teamId: "team", nowMs: now })) !== undefined;
  const isCached = async (url: string) => {
    const bounds = { minAgeMs: 0, maxAgeMs: 700 * DAY_MS, waitForMs: 0, nowMs: now };
    return (await pageCache.find(cacheKey(url, "team"), bounds, "markdown"))?.kind;
  };
  const pass = (ms: number) => void (now += ms);
  const drop = () => [...memory.shards.values()].map((shard) => shard.dropExpired(now));
  return { keep, isFound, isCached, pass, drop };
}

test("a scrape is found until its result expires, and its page until the cache forgets it", async () => {
  const { keep, isFound, isCached, pass, drop } = storeAt(START);
  const url = "https://a.example/one";
  const [cached, plain] = [await keep(url, true), await keep("https://a.example/two", false)];
  pass(DAY_MS - 1);
  drop();
  expect([await isFound(cached), await isFound(plain), await isCached(url)]).toEqual([true, true, "document"]);
  pass(1);
  drop();
  expect([await isFound(cached), await isFound(plain), await isCached(url)]).toEqual([false, false, "document"]);
  pass(6 * DAY_MS);
  drop();
  expect(await isCached(url)).toBe("document");
  pass(1);
  expect(await isCached(url)).toBeUndefined();
});

test("tables are dropped whole when the last of their rows has expired, and none before", () => {
  const sql = nodeSql();
  const shard = new PageShard(sql);
  const tables = () => sql.rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").length;
  for (let day = 0; day < 30; day++) {
    const nowMs = START + day * DAY_MS;
    shard.keep({ row: { high: day, low: 1 }, id: `p${day}` }, RETENTION, nowMs);
    shard.dropExpired(nowMs);
    expect(tables()).toBeLessThanOrEqual(3);
  }
  const last = { high: 29, low: 1 };
  const scrape = { record: "{}", host: "", listed: undefined, metadata: "{}", fields: "", fieldsKey: undefined };
  shard.keep({ row: last, id: "p29", scrape }, RETENTION, START + 29 * DAY_MS);
  const next = shard.dropExpired(START + 30 * DAY_MS) ?? 0;
  expect(shard.findScrape(last)).toBeDefined();
  expect(next).toBeGreaterThan(START + 30 * DAY_MS);
  expect(shard.dropExpired(next)).toBeUndefined();
  expect(tables()).toBe(0);
});

test("tables of an object are known again after it was evicted", () => {
  const sql = nodeSql();
  const scrape = { record: "{}", host: "", listed: undefined, metadata: "{}", fields: "", fieldsKey: undefined };
  new PageShard(sql).keep({ row: { high: 7, low: 7 }, id: "one", scrape }, RETENTION, START);
  const again = new PageShard(sql);
  expect(again.findScrape({ high: 7, low: 7 })?.id).toBe("one");
  expect(again.nextExpiryMs).toBeGreaterThan(START);
});

test("a write that fails leaves no shard that knows a table which is not there", () => {
  const sql = nodeSql();
  const shard = new PageShard(sql);
  const scrape = { record: "{}", host: "", listed: undefined, metadata: "{}", fields: "", fieldsKey: undefined };
  const row = { high: 1, low: 1 };
  sql.failAfter(1);
  expect(() => shard.keep({ row, id: "one", scrape }, RETENTION, START)).toThrow("crash");
  expect(shard.findScrape(row)).toBeUndefined();
  shard.keep({ row, id: "one", scrape }, RETENTION, START);
  expect(shard.findScrape(row)?.id).toBe("one");
});

test("metadata that are too large for a row become an object", async () => {
  const blobs = memoryBlobs();
  const { scrapes } = memoryPageStore({ blobs });
  const title = "é".repeat(100_000);
  const document = toDocumentParts({ markdown: "x", metadata: { sourceURL: "https://a.example/", title } });
  const record = someRecord({ teamId: "team", target: "https://a.example/" });
  await scrapes.insert({ record, document });
  expect(blobs.objects.size).toBe(1);
  const at = { teamId: "team", nowMs: record.createdAtMs };
  expect((await scrapes.find(record.id, at))?.documentJson).toBe(joinDocument(document));
  const [listed] = await scrapes.pagesOf("a.example", { ...at, limit: 10 });
  expect(listed?.title).toHaveLength(5_000);
});

test("a scrape never takes the place of another one", () => {
  const shard = new PageShard(nodeSql());
  const row = { high: 1, low: 1 };
  shard.keep({ row, id: "one" }, RETENTION, START);
  expect(() => shard.keep({ row, id: "two" }, RETENTION, START)).toThrow("Another scrape");
});

test("a shard that is nearly full takes rows without their documents, which become objects", async () => {
  const blobs = memoryBlobs();
  const { shard } = memoryShards();
  const full = (name: string) => ({ ...shard(name), keep: async (...row: Parameters<ReturnType<typeof shard>["keep"]>) => { await shard(name).keep(...row); return { bytes: 9e9, replaced: [] }; } }); // prettier-ignore
  const { scrapes } = createPageStore({
    shard: full, blobs, retention: RETENTION, isShared: false, fullShards: new Set(),
  }); // prettier-ignore
  const document = toDocumentParts({ markdown: "x".repeat(5_000), metadata: { sourceURL: "https://a.example/" } });
  const records = [someRecord({ teamId: "team" }), someRecord({ teamId: "team" })];
  for (const record of records) await scrapes.insert({ record, document });
  expect(blobs.objects.size).toBe(1);
  for (const { id, createdAtMs: nowMs } of records) {
    expect((await scrapes.find(id, { teamId: "team", nowMs }))?.documentJson).toContain("x".repeat(5_000));
  }
});

test("the body and the screenshot of a page are deleted when a later version replaces them, and its documents stay", async () => {
  const blobs = memoryBlobs();
  const { scrapes, pageCache } = memoryPageStore({ blobs, retention: RETENTION });
  const url = "https://a.example/large";
  const ids: string[] = [];
  for (let version = 0; version < 5; version++) {
    const nowMs = START + version * 60_000;
    const record = someRecord({ teamId: "team", target: url, createdAtMs: nowMs, expiresAtMs: nowMs + DAY_MS });
    const body = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
      .toString("hex")
      .repeat(2);
    const screenshot = { bytes: new Uint8Array([version]), contentType: "image/png" };
    const page = {
      key: cacheKey(url, "team"), waitForMs: 0, storedAtMs: nowMs,
      page: { url, statusCode: 200, headers: {}, contentType: "text/html", engine: "fetch" as const, warnings: [], body, screenshot },
    }; // prettier-ignore
    await scrapes.insert({ record, document: toDocumentParts({ markdown: body, metadata: { sourceURL: url } }), page });
    ids.push(record.id);
  }
  const nowMs = START + DAY_MS / 2;
  expect([...blobs.objects.keys()].filter((key) => !key.endsWith(".json"))).toHaveLength(2);
  const bounds = { minAgeMs: 0, maxAgeMs: DAY_MS, waitForMs: 0, nowMs };
  expect((await pageCache.find(cacheKey(url, "team"), bounds))?.kind).toBe("page");
  for (const id of ids) expect(await scrapes.find(id, { teamId: "team", nowMs })).toBeDefined();
});

test("a page that is scraped often is written and found without its earlier rows", () => {
  const sql = nodeSql();
  const plans: string[] = [];
  const watched: Sql = {
    transaction: (work) => sql.transaction(work),
    rows(query, ...values) {
      if (!query.startsWith("CREATE"))
        plans.push(
          ...sql.rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...values).map(({ detail }) => detail),
        );
      return sql.rows(query, ...values);
    },
  };
  let shard = new PageShard(watched);
  const place = { shard: 0, prefix: 3 };
  const { from } = keyRange(place);
  let low = 0;
  const keep = (storedAtMs: number): string[] => {
    const cache = { place, key: "page", screenshot: "", waitForMs: 0, storedAtMs };
    const page = { facts: `${storedAtMs}`, body: "", bodyKey: `${storedAtMs}`, screenshotKey: undefined };
    return shard.keep({ row: { high: from, low: low++ }, id: `${low}`, cache, page, shape: "s" }, RETENTION, START);
  };
  const found = () =>
    shard.findPage({ place, key: "page", screenshot: "", waitForMs: 0, fromMs: 0, toMs: 9, shape: undefined });
  const indexes = () => sql.rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'index'").length;
  const ranges = () => plans.filter((detail) => /PRIMARY KEY \(rowid[<>]/.test(detail)).length;

  keep(1);
  expect(keep(2)).toEqual(["1"]);
  const [table] = sql.rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
  const numbers = "WITH RECURSIVE n(at) AS (VALUES (1) UNION ALL SELECT at + 1 FROM n WHERE at < 999)";
  sql.rows(`INSERT INTO ${table?.name} (key, id) ${numbers} SELECT ((? + 1) << 31) + at, 'old ' || at FROM n`, from);
  expect([keep(3), indexes()]).toEqual([["2"], 1]);
  for (const isEvicted of [false, true]) {
    if (isEvicted) shard = new PageShard(watched);
    plans.length = 0;
    const storedAtMs = isEvicted ? 5 : 4;
    expect(keep(storedAtMs)).toEqual([`${storedAtMs - 1}`]);
    expect(found()).toMatchObject({ kind: "page", storedAtMs, page: { facts: `${storedAtMs}` } });
    expect(ranges()).toBe(0);
  }
  expect(sql.rows(`SELECT id FROM ${table?.name} WHERE cache_key IS NOT NULL`)).toEqual([{ id: "5" }]);
});

test("pages with few earlier rows have no index", () => {
  const sql = nodeSql();
  const shard = new PageShard(sql);
  for (let at = 0; at < 50; at++) {
    const place = { shard: 0, prefix: at % 5 };
    const cache = { place, key: `${at % 5}`, screenshot: "", waitForMs: 0, storedAtMs: at };
    const page = { facts: "", body: "", bodyKey: undefined, screenshotKey: undefined };
    shard.keep({ row: { high: keyRange(place).from, low: at }, id: `${at}`, cache, page }, RETENTION, START);
  }
  expect(sql.rows("SELECT name FROM sqlite_master WHERE type = 'index'")).toEqual([]);
});
