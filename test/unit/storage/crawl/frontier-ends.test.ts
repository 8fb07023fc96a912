/** Ends of scraped pages, which stand in rows that many pages share. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { batchEntries } from "../../../../src/core/crawl/dispatch.ts";
import { readUrls } from "../../../../src/storage/crawl/frontier-read.ts";
import { readVersions } from "../../../../src/storage/crawl/frontier-versions.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { given } from "../../../fakes/given.ts";
import { writeAsBefore } from "../older-frontier.ts";
import { nodeSql, type NodeSql } from "../../../fakes/memory/node-sql.ts";

const PAGES = 600;

let sql: NodeSql;
let frontier: Frontier;
beforeEach(() => {
  sql = nodeSql();
  frontier = new Frontier(sql);
  const urls = Array.from({ length: PAGES }, (_, at) => `https://a.example/${at}`);
  const config = { limit: undefined, maxConcurrency: 50, delayMs: 0, hasSeed: false, failsWhenEmpty: false };
  frontier.start({ ...config, events: [], leaseMs: 12_000, expiresAtMs: 1e15 }, batchEntries(urls, 0), 0);
});
afterEach(() => sql.close());

const rowsWritten = (): number => given(sql.rows<{ rows: number }>("SELECT total_changes() AS rows")[0]).rows;

/** Leases and scrapes so many pages, as one report. */
function scrape(pages: number, version: { finalUrl?: string } = {}): void {
  const { leaseId, items } = given(frontier.claim(pages, 1));
  const results = items.map(({ key, attempt }, place) => ({
    leaseId,
    key,
    attempt,
    kind: "scraped" as const,
    offset: place * 10,
    length: 9,
    scrapeId: `scrape of ${key}`,
    credits: 1,
    version: { fingerprint: `print of ${key}`, readAtMs: 1, ...version },
    change: "unchanged" as const,
    changeDetail: "not_modified",
  }));
  frontier.complete({ results, object: "object", candidates: [], filtered: [], hosts: {} }, 1);
}

function lines() {
  return readUrls(sql, given(frontier.state()), { cursor: { part: "queue", row: 0, place: 0 }, limit: PAGES }).lines;
}

test("a report of twenty pages writes a few rows, and none for each page", () => {
  const before = rowsWritten();
  for (let report = 0; report < 10; report++) scrape(20);
  // The state with its leases at both calls, the documents, and one row of ends or two.
  expect((rowsWritten() - before) / 10).toBeLessThanOrEqual(4.1);
  expect(lines().filter(({ outcome }) => outcome === "scraped")).toHaveLength(200);
});

test("the ends of all pages are listed after the object woke again, and found by key and one after another", () => {
  while (frontier.state()?.status === "scraping") {
    scrape(50);
    frontier = new Frontier(sql);
  }
  expect(frontier.state()).toMatchObject({ status: "completed", counters: { completed: PAGES, pending: 0 } });
  expect(lines().filter(({ outcome, change, detail }) => outcome === "scraped" && change === "unchanged" && detail === "not_modified")).toHaveLength(PAGES); // prettier-ignore
  const [found] = readVersions(sql, { keys: ["#423"] });
  expect(found).toMatchObject({
    version: { fingerprint: "print of #423" },
    document: { scrapeId: "scrape of #423", object: "object" },
  });
  const inOrder: string[] = [];
  for (let after = ""; ;) {
    const pages = readVersions(sql, { after, limit: 90 });
    if (pages.length === 0) break;
    inOrder.push(...pages.map(({ key }) => key));
    after = given(inOrder.at(-1));
  }
  expect(inOrder).toEqual(Array.from({ length: PAGES }, (_, at) => `#${at}`));
});

test("pages with very long URLs end in rows of their own, so that no shared row outgrows the database", () => {
  const finalUrl = `https://a.example/?${"x".repeat(16_000)}`;
  for (let report = 0; report < 10; report++) scrape(50, { finalUrl });
  expect(sql.rows("SELECT * FROM ends")).toEqual([]);
  expect(lines().filter(({ outcome, change }) => outcome === "scraped" && change === "unchanged")).toHaveLength(500);
  expect(readVersions(sql, { keys: ["#423"] })).toMatchObject([{ version: { finalUrl }, document: { object: "object" } }]); // prettier-ignore
});

test("a link to a scraped page with a shorter way changes nothing of it", () => {
  scrape(20);
  const before = sql.rows("SELECT * FROM queue");
  const nearer = { key: "#3", url: "https://a.example/3", depth: -1, isExternal: false, parent: "https://a.example/" };
  frontier.complete({ results: [], object: "", candidates: [nearer], filtered: [], hosts: {} }, 2);
  expect(sql.rows("SELECT * FROM queue")).toEqual(before);
  expect(sql.rows("SELECT * FROM urls")).toEqual([]);
});

test("a job of an older version goes on, with the ends of its pages in their rows", () => {
  scrape(20);
  writeAsBefore(sql);
  sql.rows("UPDATE urls SET state = 1, reason = 'changed' WHERE key = '#3'");
  sql.rows("DELETE FROM ends");
  sql.rows("ALTER TABLE urls DROP COLUMN seat");
  frontier = new Frontier(sql);
  expect(lines()[3]).toMatchObject({ outcome: "scraped", change: "changed" });
  scrape(20);
  expect(lines()[25]).toMatchObject({ outcome: "scraped", change: "unchanged", detail: "not_modified" });
  expect(readVersions(sql, { keys: ["#25"] })).toMatchObject([{ version: { fingerprint: "print of #25" } }]);
});
