import { expect, test } from "vitest";
import { batchEntries } from "../../../../src/core/crawl/dispatch.ts";
import type { FrontierConfig } from "../../../../src/core/crawl/frontier.ts";
import type { PageFailure, UrlCursor, UrlLine } from "../../../../src/ports/crawl/frontier.ts";
import { findDocument, readDocuments, readFailures, readUrls } from "../../../../src/storage/crawl/frontier-read.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { given } from "../../../fakes/given.ts";
import { nodeSql } from "../../../fakes/memory/node-sql.ts";
import { leastProcessorMs } from "../../../processor-time.ts";

const CONFIG: FrontierConfig = {
  maxConcurrency: 2_000, delayMs: 0, hasSeed: false, failsWhenEmpty: false, events: [], leaseMs: 60_000, expiresAtMs: 1e15,
}; // prettier-ignore
/** Bytes that a call between isolates carries, of which a list takes less than half. */
const MAX_BYTES = 12_000_000 + 1_000_000;

/** A batch of long URLs, all of which have failed. */
function failedBatch(count: number, urlChars: number) {
  const frontier = new Frontier(nodeSql());
  const urls = Array.from({ length: count }, (_, page) => `https://a.example/${page}/`.padEnd(urlChars, "x"));
  frontier.start(CONFIG, batchEntries(urls, 0), 1);
  const { leaseId, items } = given(frontier.claim(count, 2));
  const results = items.map(({ key, attempt }) => {
    return { leaseId, key, attempt, kind: "failed" as const, code: "SCRAPE_SITE_ERROR" as const, error: "down", retryable: false };
  }); // prettier-ignore
  frontier.complete({ results, object: "", candidates: [], filtered: [], hosts: {} }, 3);
  return { frontier, urls };
}

test.each([
  { what: "many short", count: 1_500, urlChars: 40, pages: 1 },
  { what: "long", count: 700, urlChars: 20_000, pages: 2 },
])("lists of $what URLs are cut into pages by bytes, and name each URL once", ({ count, urlChars, pages }) => {
  const { frontier, urls } = failedBatch(count, urlChars);
  const lines: UrlLine[] = [];
  let reads = 0;
  for (let cursor: UrlCursor | undefined = { part: "queue", row: 0, place: 0 }; cursor !== undefined; reads++) {
    const page = readUrls(frontier.sql, given(frontier.state()), { cursor, limit: 10_000 });
    expect(JSON.stringify(page.lines).length).toBeLessThan(MAX_BYTES);
    lines.push(...page.lines);
    cursor = page.next;
  }
  expect(lines.map(({ url }) => url)).toEqual(urls);
  expect(reads).toBeGreaterThanOrEqual(pages);

  const errors: PageFailure[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = readFailures(frontier.sql, { after, limit: 10_000 });
    expect(JSON.stringify(page.errors).length).toBeLessThan(MAX_BYTES);
    errors.push(...page.errors);
    after = page.next;
  }
  expect(errors.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
});

test("a page has at least one row, however long it is, and no more than its limit", () => {
  const { frontier } = failedBatch(3, 100);
  const first = readFailures(frontier.sql, { after: 0, limit: 10, maxBytes: 1 });
  expect(first.errors).toHaveLength(1);
  const second = readFailures(frontier.sql, { after: given(first.next), limit: 1 });
  expect(second.errors).toHaveLength(1);
  expect(readFailures(frontier.sql, { after: given(second.next), limit: 10 })).toMatchObject({
    errors: [{}],
    next: undefined,
  });
});

/** Stores documents in rows of two. */
function storedDocuments(count: number) {
  const sql = nodeSql();
  void new Frontier(sql);
  sql.rows(
    `WITH RECURSIVE row (first) AS (SELECT 0 UNION ALL SELECT first + 2 FROM row WHERE first + 2 < ?)
     INSERT INTO batches SELECT first, 'object ' || first, 2,
       json_array(json_array(0, 9, 'scrape ' || first, 'a.example/?of=scrape ' || (first + 3)), json_array(9, 8, 'scrape ' || (first + 1), 'b.example/'))
     FROM row`,
    count,
  );
  return sql;
}

test("documents are read in their order from any number on, and none behind the last", () => {
  const sql = storedDocuments(8);
  const read = (skip: number, limit = 100) => readDocuments(sql, { skip, limit, maxBytes: 1e9 });
  expect(read(3, 2)).toEqual({
    runs: [
      { object: "object 2", documents: [{ offset: 9, length: 8 }] },
      { object: "object 4", documents: [{ offset: 0, length: 9 }] },
    ],
    count: 2,
  });
  expect(read(0).count).toBe(8);
  expect(read(8)).toEqual({ runs: [], count: 0 });
  expect(read(1_000)).toEqual({ runs: [], count: 0 });
});

test("a document is found by the whole ID of its scrape", () => {
  const sql = storedDocuments(100);
  expect(findDocument(sql, "scrape 0")).toEqual({ object: "object 0", offset: 0, length: 9 });
  expect(findDocument(sql, "scrape 51")).toEqual({ object: "object 50", offset: 9, length: 8 });
  // Keys of pages may name it too.
  expect(findDocument(sql, "scrape 101")).toBeUndefined();
  expect(findDocument(sql, "scrape 9_")).toBeUndefined();
});

test("a read behind the last document reads no other rows", async () => {
  const sql = storedDocuments(100_000);
  const readEnd = () => {
    for (let time = 0; time < 50; time++) readDocuments(sql, { skip: 100_000, limit: 1, maxBytes: 1e9 });
  };
  expect(await leastProcessorMs(readEnd, 25)).toBeLessThan(25);
});
