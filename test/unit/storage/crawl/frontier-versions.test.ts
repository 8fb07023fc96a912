import { afterEach, beforeEach, expect, test } from "vitest";
import { isUnchangedBySitemap, type PageVersion } from "../../../../src/core/crawl/page-version.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { progressOf } from "../../../../src/storage/crawl/frontier-read.ts";
import { readVersions } from "../../../../src/storage/crawl/frontier-versions.ts";
import { nodeSql, type NodeSql } from "../../../fakes/memory/node-sql.ts";

const CONFIG = { maxConcurrency: 20, delayMs: 0, hasSeed: false, failsWhenEmpty: true, events: [], leaseMs: 12_000, expiresAtMs: 1e15 }; // prettier-ignore
const seeds = ["a", "b"].map((key) => ({ key, url: `https://${key}.example/`, depth: 0, isExternal: false, parent: undefined })); // prettier-ignore

let sql: NodeSql;
beforeEach(() => (sql = nodeSql()));
afterEach(() => sql.close());

test("the state of a frontier keeps fields that a later version has written", () => {
  const sql = nodeSql();
  const config = { limit: 5, maxConcurrency: 1, delayMs: 0, hasSeed: true, failsWhenEmpty: false, events: [], leaseMs: 1, expiresAtMs: 1e15 }; // prettier-ignore
  new Frontier(sql).start(config, [], 0);
  sql.rows("UPDATE frontier SET state = json_set(state, '$.later', 1, '$.config.later', 2)");
  // Another connection, as after a restart: the same one trusts what it has written.
  new Frontier({ ...sql }).cancel(5);
  const [row] = sql.rows("SELECT state->>'status' AS status, state->>'later' AS later, state->>'$.config.later' AS config FROM frontier"); // prettier-ignore
  expect(row).toEqual({ status: "cancelled", later: 1, config: 2 });
});

test("a frontier of an older version gets the columns for versions, and its pages have none", () => {
  sql.rows(`CREATE TABLE urls (key TEXT PRIMARY KEY, url TEXT NOT NULL, depth INTEGER NOT NULL, external INTEGER NOT NULL,
    parent TEXT, state INTEGER NOT NULL, attempt INTEGER NOT NULL, reason TEXT, detail TEXT) WITHOUT ROWID`);
  sql.rows("INSERT INTO urls VALUES ('a', 'https://a.example/', 0, 0, NULL, 1, 1, NULL, NULL)");
  const frontier = new Frontier(sql);
  expect(readVersions(sql, { keys: ["a"] })).toEqual([]);
  expect(frontier.start(CONFIG, seeds, 0)).toBe(true);
  expect(new Frontier(sql).state()?.status).toBe("scraping");
});

test("versions are found by key and in the order of keys, with the places of documents and links", () => {
  const frontier = new Frontier(sql);
  frontier.start(CONFIG, seeds, 0);
  const claim = frontier.claim(10, 1);
  const leaseId = claim?.leaseId ?? 0;
  const version: PageVersion = { fingerprint: "f", readAtMs: 5, etag: '"1"' };
  const place = { scrapeId: "s", credits: 1, attempt: 1, kind: "scraped" as const, version, metadataBytes: 7 };
  const results = [
    { ...place, leaseId, key: "a", offset: 0, length: 10, links: { offset: 21, length: 5, index: 0 } },
    { ...place, leaseId, key: "b", offset: 11, length: 9, object: "earlier", links: { object: "earlier", offset: 40, length: 8, index: 3 } },
  ]; // prettier-ignore
  frontier.complete({ results, object: "results/day/job/1", candidates: [], filtered: [], hosts: {} }, 2);
  expect(readVersions(sql, { keys: ["b", "none"] })).toEqual([
    {
      key: "b",
      url: "https://b.example/",
      parent: undefined,
      version,
      document: { object: "earlier", offset: 11, length: 9, metadataBytes: 7, scrapeId: "s" },
      links: { object: "earlier", offset: 40, length: 8, index: 3 },
    },
  ]);
  const [first, ...others] = readVersions(sql, { after: "", limit: 1 });
  expect(others).toEqual([]);
  expect(first).toMatchObject({ key: "a", links: { object: "results/day/job/1", offset: 21, length: 5, index: 0 } });
  expect(readVersions(sql, { after: "a", limit: 10 }).map(({ key }) => key)).toEqual(["b"]);
  expect(frontier.hold(99, 3)).toBe(true);
  expect(frontier.state()?.heldUntilMs).toBe(99);
});

const READ = Date.UTC(2026, 5, 15, 12);
test.each([
  { date: "2026-06-13", is: true },
  // The day may still have gone on when the page was read.
  { date: "2026-06-15", is: false },
  { date: "2026-06-15T11:59:00Z", is: true },
  { date: "2026-06-15T12:00:00Z", is: false },
  // Without a zone, the time may be that of any.
  { date: "2026-06-15T11:59:00", is: false },
  { date: "2026-06-14T11:59:00", is: true },
  { date: "2026-06-15T13:59:00+02:00", is: true },
  { date: "June 2026", is: false },
  { date: "2026-06", is: false },
  { date: undefined, is: false },
])("a page read at noon of 2026-06-15 with the date $date is unchanged: $is", ({ date, is }) => {
  expect(isUnchangedBySitemap(date, { readAtMs: READ })).toBe(is);
});

test("a date that is newer than that of the earlier crawl says that the page has changed, even if it is old", () => {
  const version = { readAtMs: READ, sitemapDate: "2026-06-01" };
  expect(isUnchangedBySitemap("2026-06-01", version)).toBe(true);
  expect(isUnchangedBySitemap("2026-05-01", version)).toBe(true);
  expect(isUnchangedBySitemap("2026-06-02", version)).toBe(false);
});

function comparingFrontier(): Frontier {
  const frontier = new Frontier(sql);
  frontier.start({ ...CONFIG, since: { jobId: "earlier", output: "all" } }, seeds, 0);
  const leaseId = frontier.claim(10, 1)?.leaseId ?? 0;
  const results = ["a", "b"].map((key) => ({ leaseId, key, attempt: 1, kind: "scraped" as const, offset: 0, length: 1, scrapeId: key, credits: 1 })); // prettier-ignore
  frontier.complete({ results, object: "object", candidates: [], filtered: [], hosts: {} }, 2);
  return frontier;
}

const progressState = (frontier: Frontier) => {
  const state = frontier.state();
  if (state === undefined) throw new Error("There is no job");
  return { status: state.status, isCompared: progressOf(state).changes?.isCompared };
};

test("a comparison whose lease expires five times without progress is given up, and the job ends", () => {
  const frontier = comparingFrontier();
  let nowMs = 10;
  const lose = (): void => {
    expect(frontier.claim(0, nowMs)).toMatchObject({ isComparison: true });
    nowMs += CONFIG.leaseMs;
    frontier.reap(nowMs);
  };
  for (let time = 0; time < 4; time++) lose();
  const claim = frontier.claim(0, nowMs);
  const part = { results: [], object: "", candidates: [], filtered: [], hosts: {} };
  frontier.complete({ ...part, compared: { from: "", to: "k", removed: [] } }, nowMs);
  expect(claim).toMatchObject({ isComparison: true });
  nowMs += CONFIG.leaseMs;
  frontier.reap(nowMs);
  for (let time = 0; time < 3; time++) lose();
  expect(progressState(frontier)).toEqual({ status: "scraping", isCompared: false });
  lose();
  expect(progressState(frontier)).toEqual({ status: "completed", isCompared: false });
});

test("a comparison that is reported to its end is complete, after lost leases too", () => {
  const frontier = comparingFrontier();
  frontier.claim(0, 10);
  frontier.reap(10 + CONFIG.leaseMs);
  const lease = frontier.claim(0, 20_001)?.leaseId ?? 0;
  const part = { results: [], object: "", candidates: [], filtered: [], hosts: {} };
  frontier.complete({ ...part, compared: { from: "", to: "", removed: [], lease } }, 20_002);
  expect(progressState(frontier)).toEqual({ status: "completed", isCompared: true });
});
