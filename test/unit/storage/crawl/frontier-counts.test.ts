import { expect, test } from "vitest";
import { NO_COUNTS } from "../../../../src/core/account/meter.ts";
import type { Candidate } from "../../../../src/core/crawl/frontier.ts";
import { progressOf, readUrls } from "../../../../src/storage/crawl/frontier-read.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { nodeSql } from "../../../fakes/memory/node-sql.ts";

const page = (at: number): Candidate => ({
  key: `page ${at}`,
  url: `https://a.example/${at}`,
  depth: 0,
  isExternal: false,
  parent: undefined,
});

test("the numbers of a running crawl agree with its limit, with each other and with its list of URLs", () => {
  const sql = nodeSql();
  const frontier = new Frontier(sql);
  const config = { maxConcurrency: 10, delayMs: 0, hasSeed: true, failsWhenEmpty: false, events: [], leaseMs: 10_000 };
  frontier.start(
    { ...config, limit: 5, expiresAtMs: 1e15 },
    Array.from({ length: 12 }, (_, at) => page(at)),
    0,
  );
  const claim = frontier.claim(2, 1_500);
  const results = [0, 1].map((at) => ({
    key: `page ${at}`,
    attempt: 1,
    leaseId: claim?.leaseId ?? 0,
    kind: "scraped" as const,
    offset: 0,
    length: 1,
    scrapeId: `scrape ${at}`,
    credits: 1,
  }));
  frontier.complete({ results, object: "object", candidates: [], filtered: [], hosts: {} }, 2_500);
  const state = frontier.state();
  if (state === undefined) throw new Error("It has begun");
  const { limit, total, completed, failed, pending, skipped, discovered, pageTimes } = progressOf(state);
  expect({ limit, total, completed, failed, pending, skipped, discovered }).toEqual({
    limit: 5,
    total: 5,
    completed: 2,
    failed: 0,
    pending: 3,
    skipped: 7,
    discovered: 12,
  });
  expect(pageTimes).toEqual({ stepMs: 1_000, counts: [0, 0, 2] });
  const { lines } = readUrls(sql, state, { cursor: { part: "queue", row: 0, place: 0 }, limit: 100 });
  const outcomes = Object.groupBy(lines, ({ outcome }) => outcome);
  expect([outcomes.scraped?.length, outcomes.pending?.length, outcomes.skipped?.length]).toEqual([2, 3, 7]);
  expect(new Set(outcomes.skipped?.map(({ reason }) => reason))).toEqual(new Set(["limit"]));
  sql.close();
});

test("pages that are done and not reported make room among the concurrent ones, and none under the limit", () => {
  const sql = nodeSql();
  const frontier = new Frontier(sql);
  const config = { maxConcurrency: 4, delayMs: 0, hasSeed: false, failsWhenEmpty: false, events: [], leaseMs: 10_000 };
  const pages = Array.from({ length: 12 }, (_, at) => page(at));
  frontier.start({ ...config, limit: 7, expiresAtMs: 1e15 }, pages, 0);
  const leased = (unreported: number): number => frontier.claim(10, 1, { unreported })?.items.length ?? 0;
  expect(leased(0)).toBe(4);
  expect(frontier.hasMore(1)).toBe(true);
  expect(leased(0)).toBe(0);
  expect(leased(2)).toBe(2);
  expect(leased(6)).toBe(1);
  expect(frontier.hasMore(1)).toBe(false);
  expect(leased(7)).toBe(0);
  sql.close();
});

test("the costs of a report count once however often it is repeated, and those of the job's object each time", () => {
  const sql = nodeSql();
  let frontier = new Frontier(sql);
  const config = { maxConcurrency: 4, delayMs: 0, hasSeed: false, failsWhenEmpty: false, events: [], leaseMs: 10_000 };
  frontier.start({ ...config, limit: 7, expiresAtMs: 1e15 }, [page(0), page(1)], 0);
  const report = (object: string) => {
    const costs = { ...NO_COUNTS, r2Writes: 10 };
    // Its results are none that count: their leases were lost.
    frontier.complete({ results: [], object, candidates: [], filtered: [], hosts: {}, costs }, 1, { ...NO_COUNTS, r2Writes: 1 }); // prettier-ignore
    return frontier.state()?.costs?.r2Writes;
  };
  expect([report("a"), report("a"), report("b")]).toEqual([11, 12, 23]);
  frontier = new Frontier(sql);
  expect([report("a"), report("c")]).toEqual([24, 35]);
  for (let other = 0; other < 200; other++) report(`other ${other}`);
  expect(frontier.state()?.reports).toHaveLength(50);
  sql.close();
});

test.each([
  { nowMs: 5, claimable: 7, workMs: 10 },
  { nowMs: 15, claimable: 8, workMs: 20 },
  { nowMs: 99, claimable: 10, workMs: undefined },
])("the outlook at $nowMs ms counts the URLs that are due, and reads no row of the others", ({ nowMs, ...outlook }) => {
  const sql = nodeSql();
  const asked: { query: string; values: unknown[] }[] = [];
  const rows: typeof sql.rows = (query, ...values) => (asked.push({ query, values }), sql.rows(query, ...values));
  const frontier = new Frontier({ ...sql, rows });
  const config = { maxConcurrency: 20, delayMs: 0, hasSeed: false, failsWhenEmpty: false, events: [], leaseMs: 10_000 };
  frontier.start(
    { ...config, limit: undefined, expiresAtMs: 1e15 },
    Array.from({ length: 10 }, (_, at) => page(at)),
    0,
  );
  for (const dueAtMs of [10, 20, 30])
    sql.rows("INSERT INTO retries (due_at_ms, key) VALUES (?, ?)", dueAtMs, `${dueAtMs}`);
  asked.length = 0;
  expect(frontier.outlook(nowMs)).toEqual({ ...outlook, eventMs: undefined });
  const scans = asked.filter(({ query, values }) =>
    sql
      .rows<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...(values as number[]))
      .some(({ detail }) => detail.startsWith("SCAN retries")),
  );
  // SQLite answers it from the pages of the table, without its rows.
  expect(scans.map(({ query }) => query)).toEqual(["SELECT count(*) AS count FROM retries"]);
  sql.close();
});

test("a crawl keeps what it has not read of the sitemaps, and the last reading counts", () => {
  const sql = nodeSql();
  const frontier = new Frontier(sql);
  const config = { maxConcurrency: 4, delayMs: 0, hasSeed: true, failsWhenEmpty: false, events: [], leaseMs: 10_000 };
  frontier.start({ ...config, expiresAtMs: 1e15 }, [page(0)], 0);
  const hand = (sitemapProblems?: string[]) => {
    const nothing = { results: [], object: "", candidates: [], filtered: [], hosts: {} };
    frontier.complete({ ...nothing, ...(sitemapProblems === undefined ? {} : { sitemapProblems }) }, 1_000);
    const state = frontier.state();
    return state && progressOf(state).sitemapProblems;
  };
  expect(hand()).toBeUndefined();
  expect(hand(["a"])).toEqual(["a"]);
  expect(hand()).toEqual(["a"]);
  expect(hand([])).toBeUndefined();
  sql.close();
});
