import { expect, test } from "vitest";
import { parseSearchQuery } from "../../../../src/core/search/search-query.ts";
import type { IndexEntry } from "../../../../src/storage/search/index-partition.ts";
import { IndexTables } from "../../../../src/storage/search/index-tables.ts";
import { urlMark } from "../../../../src/storage/search/page-marks.ts";
import { storeEarlierPartition } from "../../../fakes/memory/earlier-index.ts";
import { nodeSql } from "../../../fakes/memory/node-sql.ts";

const DAY_MS = 86_400_000;
const NOW = (Math.floor(Date.now() / DAY_MS) + 0.5) * DAY_MS;
const RETENTION_MS = 30 * DAY_MS;
const PAGES = 20;

/** An index that an earlier version has filled with 20 pages, of which the words of the last four were not added yet. */
function earlierIndex({ indexedAtMs = NOW - DAY_MS }: { indexedAtMs?: number } = {}) {
  const sql = nodeSql();
  const entries = Array.from({ length: PAGES }, (_, number) => ({
    url: `https://sea.example/${number}`,
    title: `Page ${number}`,
    body: `tide number${number}`,
    contentHash: `hash ${number}`,
    indexedAtMs,
  }));
  const dropAtMs = Math.ceil((NOW + RETENTION_MS) / DAY_MS) * DAY_MS;
  storeEarlierPartition(sql, entries, { startMs: NOW - 5 * DAY_MS, dropAtMs, waiting: 4 });
  const tables = new IndexTables(sql);
  const found = (query: string) =>
    tables
      .search({ terms: parseSearchQuery(query), limit: 100, indexedAfterMs: 0 })
      .map(({ url, title, body }) => ({ url, title, body }));
  const names = () =>
    sql
      .rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .map(({ name }) => name)
      .filter((name) => /^(?:texts|words|pages)_[\d_]+$/.test(name));
  return { tables, found, names, dropAtMs };
}

const entry = (number: number, fields: Partial<IndexEntry> = {}): IndexEntry => ({
  mark: urlMark(`https://sea.example/${number}`),
  contentHash: `hash ${number}`,
  url: `https://sea.example/${number}`,
  title: `Page ${number}`,
  description: "",
  language: "en",
  fileType: "html",
  datedAtMs: NOW,
  scrapeId: "a later scrape",
  body: `tide number${number}`,
  ...fields,
});

const times = { nowMs: NOW, retentionMs: RETENTION_MS };

test("finds the pages of an earlier index, those whose words were not added yet as well", () => {
  const { tables, found } = earlierIndex();
  expect(tables.size).toBe(PAGES);
  expect(found("tide")).toHaveLength(PAGES);
  expect(found("number3")).toEqual([{ url: "https://sea.example/3", title: "Page 3", body: "tide number3" }]);
  expect(found("number19 site:sea.example")).toHaveLength(1);
});

test("finds new pages and earlier ones together, and of a page that has changed the new text alone", () => {
  const { tables, found, names } = earlierIndex();
  tables.put([entry(3), entry(18, { body: "ebb", contentHash: "other" }), entry(30)], times);
  expect(names().map((name) => name.split("_")[0])).toEqual(["texts", "words", "pages"]);
  expect(tables.size).toBe(PAGES + 1);
  expect(found("number18")).toEqual([]);
  expect(found("ebb").map(({ url }) => url)).toEqual(["https://sea.example/18"]);
  expect(found("tide")).toHaveLength(PAGES);
  // Nothing was written for the page that has not changed.
  expect(tables.search({ terms: parseSearchQuery("number3"), limit: 5, indexedAfterMs: 0 })[0]?.scrapeId).toBe(
    "a scrape",
  );
});

test("renews a page of an earlier index from its own entry when half of its time is over", () => {
  const { tables, found } = earlierIndex({ indexedAtMs: NOW - 4 * DAY_MS });
  const marks = [3, 19].map((number) => urlMark(`https://sea.example/${number}`));
  expect(tables.due(marks, times)).toEqual({ entries: [], fresh: marks });
  const later = { nowMs: NOW + 14 * DAY_MS, retentionMs: RETENTION_MS };
  const { entries } = tables.due(marks, later);
  expect(entries.map(({ title, body }) => ({ title, body }))).toEqual([
    { title: "Page 3", body: "tide number3" },
    { title: "Page 19", body: "tide number19" },
  ]);
  tables.put(entries, later);
  expect(tables.size).toBe(PAGES);
  expect(found("number19")).toHaveLength(1);
});

test("deletes pages of an earlier index, and drops both of its tables when its time is over", () => {
  const { tables, found, names, dropAtMs } = earlierIndex();
  tables.put([entry(30)], times);
  tables.remove([urlMark("https://sea.example/19"), urlMark("https://sea.example/30")]);
  expect(tables.size).toBe(PAGES - 1);
  expect(found("number19 OR number30")).toEqual([]);
  expect(tables.nextExpiryMs).toBe(dropAtMs);
  tables.dropExpired(dropAtMs);
  expect(names().map((name) => name.split("_")[0])).toEqual(["pages"]);
  expect(found("tide")).toEqual([]);
});
