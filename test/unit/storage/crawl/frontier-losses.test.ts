/** Pages whose worker runs stop, and those whose loads fail: neither uses up the tries of the other. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { batchEntries } from "../../../../src/core/crawl/dispatch.ts";
import type { FrontierItem } from "../../../../src/core/crawl/frontier.ts";
import { readFailures } from "../../../../src/storage/crawl/frontier-read.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { given } from "../../../fakes/given.ts";
import { writeAsBefore } from "../older-frontier.ts";
import { nodeSql, type NodeSql } from "../../../fakes/memory/node-sql.ts";

const LEASE_MS = 12_000;

let sql: NodeSql;
let frontier: Frontier;
let nowMs: number;
beforeEach(() => {
  sql = nodeSql();
  frontier = new Frontier(sql);
  nowMs = 1_000_000;
});
afterEach(() => sql.close());

const CONFIG = {
  limit: undefined,
  maxConcurrency: 10,
  delayMs: 0,
  hasSeed: false,
  failsWhenEmpty: false,
  events: [],
  leaseMs: LEASE_MS,
  expiresAtMs: 1e15,
} as const;

function start(pages: number): void {
  const urls = Array.from({ length: pages }, (_, at) => `https://a.example/${at}`);
  frontier.start(CONFIG, batchEntries(urls, 0), nowMs);
}

/** Waits until pages can be leased, as the object's alarm does, and leases them. */
function lease(): { leaseId: number; items: FrontierItem[] } {
  for (let tries = 0; tries < 10; tries++) {
    const claim = frontier.claim(10, nowMs);
    if (claim !== undefined) return claim;
    nowMs = given(frontier.outlook(nowMs).workMs);
    frontier.reap(nowMs);
  }
  throw new Error("Nothing can be leased");
}

/** Lets a lease end without a result. @returns how long its pages then wait, in ms. */
function lose(): number {
  nowMs += LEASE_MS;
  frontier.reap(nowMs);
  return Math.max(0, (frontier.outlook(nowMs).workMs ?? nowMs) - nowMs);
}

function fail({ leaseId, items }: { leaseId: number; items: FrontierItem[] }): void {
  const failure = { leaseId, kind: "failed", code: "SCRAPE_TIMEOUT", error: "Too slow", retryable: true } as const;
  const results = items.map(({ key, attempt }) => ({ ...failure, key, attempt }));
  frontier.complete({ results, object: "", candidates: [], filtered: [], hosts: {} }, nowMs);
}

function finish({ leaseId, items }: { leaseId: number; items: FrontierItem[] }): void {
  const results = items.map(({ key, attempt }) => ({
    leaseId,
    key,
    attempt,
    kind: "scraped" as const,
    offset: 0,
    length: 1,
    scrapeId: `${key} ${attempt}`,
    credits: 1,
  }));
  frontier.complete({ results, object: "object", candidates: [], filtered: [], hosts: {} }, nowMs);
}

test("a page whose lease was lost is loaded three times like any other", () => {
  start(1);
  lease();
  lose();
  fail(lease());
  lease();
  lose();
  const second = lease();
  expect(second.items).toMatchObject([{ attempt: 4, lost: 2 }]);
  fail(second);
  finish(lease());
  expect(frontier.state()).toMatchObject({ status: "completed", counters: { completed: 1, failed: 0 } });
});

test("a page has failed after three loads that took too long, with waits that grow, and with its reason", () => {
  start(1);
  const waits: number[] = [];
  for (let load = 0; load < 3; load++) {
    const claim = lease();
    fail(claim);
    waits.push((frontier.outlook(nowMs).workMs ?? nowMs) - nowMs);
  }
  expect(waits).toEqual([1_000, 10_000, 0]);
  expect(frontier.state()).toMatchObject({ status: "completed", counters: { completed: 0, failed: 1 } });
  expect(readFailures(sql, { after: 0, limit: 9 }).errors).toMatchObject([
    { code: "SCRAPE_TIMEOUT", error: "Too slow" },
  ]);
});

test("a page has failed after five lost leases, with waits that grow, and with its reason", () => {
  start(1);
  const waits = [1, 2, 3, 4, 5].map(() => {
    lease();
    return lose();
  });
  expect(waits).toEqual([0, 2_000, 10_000, 30_000, 0]);
  expect(frontier.state()).toMatchObject({ status: "completed", counters: { failed: 1 } });
  expect(readFailures(sql, { after: 0, limit: 9 }).errors).toMatchObject([
    { code: "SCRAPE_RETRY_LIMIT", error: expect.stringContaining("5 worker runs") },
  ]);
});

test("pages that were lost together twice are leased one by one, so that one that ends its run takes no others with it", () => {
  start(8);
  // The page of this key ends every worker run that has it.
  for (let round = 0; frontier.state()?.status === "scraping" && round < 40; round++) {
    const claim = lease();
    if (claim.items.some(({ key }) => key === "#3")) lose();
    else finish(claim);
  }
  expect(frontier.state()).toMatchObject({ status: "completed", counters: { completed: 7, failed: 1 } });
});

test("an object that was held up lets its runs renew leases that have ended meanwhile", () => {
  start(2);
  const claim = lease();
  frontier.reap(nowMs);
  nowMs += LEASE_MS + 10_000;
  frontier.reap(nowMs);
  nowMs += 1_000;
  frontier.renew([claim.leaseId], nowMs);
  nowMs += 6_000;
  frontier.reap(nowMs);
  finish(claim);
  expect(frontier.state()).toMatchObject({ status: "completed", counters: { completed: 2, failed: 0 } });
});

test("an object that is held up again and again revokes a lease that nobody renews", () => {
  start(1);
  lease();
  frontier.reap(nowMs);
  for (let time = 0; time < 2; time++) frontier.reap((nowMs += LEASE_MS + 10_000));
  expect(lease().items).toMatchObject([{ attempt: 2, lost: 1 }]);
});

test("a lease that nobody renews after that is revoked, and one that ended before the object woke at once", () => {
  start(1);
  lease();
  frontier.reap(nowMs);
  nowMs += LEASE_MS + 10_000;
  frontier.reap(nowMs);
  expect(frontier.claim(1, nowMs)).toBeUndefined();
  expect(lease().items).toMatchObject([{ attempt: 2, lost: 1 }]);
  nowMs += LEASE_MS + 10_000;
  frontier = new Frontier(sql);
  frontier.reap(nowMs);
  nowMs += 2_000;
  expect(frontier.claim(1, nowMs)?.items).toMatchObject([{ attempt: 3, lost: 2 }]);
});

test("a lost lease of an object of an older version counts as the first", () => {
  start(1);
  lease();
  writeAsBefore(sql);
  const [row] = sql.rows<{ items: string }>("SELECT items FROM leases");
  expect(JSON.parse(given(row).items)).toEqual([["#0", 1, 1]]);
  sql.rows("ALTER TABLE urls DROP COLUMN lost");
  frontier = new Frontier(sql);
  lose();
  expect(lease().items).toMatchObject([{ attempt: 2, lost: 1 }]);
});

test("leases that are very long together have rows of their own, and lose nothing on the way there and back", () => {
  const long = "x".repeat(60_000);
  const urls = Array.from({ length: 6 }, (_, at) => ({ key: `${at}${long}`, url: `https://a.example/${at}`, depth: 0, isExternal: false, parent: undefined })); // prettier-ignore
  frontier.start(CONFIG, urls, nowMs);
  const claims = Array.from({ length: 6 }, () => given(frontier.claim(1, nowMs)));
  const own = () => sql.rows<{ id: number }>("SELECT id FROM leases");
  expect(own()).toHaveLength(6);
  frontier = new Frontier(sql);
  for (const [at, claim] of claims.slice(0, 3).entries()) {
    finish(claim);
    // Three of them fit into the row of the state.
    expect(own()).toHaveLength(at < 2 ? 5 - at : 0);
  }
  frontier = new Frontier(sql);
  for (const claim of claims.slice(3)) finish(claim);
  expect(frontier.state()).toMatchObject({ status: "completed", counters: { completed: 6, leased: 0 } });
});

test("a job goes on without its sitemaps when the runs that read them stop again and again", () => {
  const since = { jobId: "earlier", output: "all" as const };
  frontier.start({ ...CONFIG, hasSeed: true, since }, batchEntries(["https://a.example/"], 0), nowMs);
  const [page] = frontier.claim(1, nowMs)?.items ?? [];
  let reads = 0;
  for (let round = 0; round < 10; round++) {
    nowMs += LEASE_MS + 1;
    frontier.reap(nowMs);
    nowMs += 60_000;
    frontier.reap(nowMs);
    const next = frontier.claim(1, nowMs);
    if (next?.isSeed === true) reads++;
  }
  expect([page?.url, reads, frontier.state()?.seed]).toEqual(["https://a.example/", 4, "done"]);
  expect(frontier.state()?.comparison?.lacksSitemap, "pages that only a sitemap names are not removed").toBe(true);
  expect(frontier.state()?.sitemapProblems).toEqual(["5 worker runs stopped before they had read the sitemaps"]);
});
