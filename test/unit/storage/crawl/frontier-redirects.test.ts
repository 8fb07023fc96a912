/** Pages that redirect to one URL: one document is a result, whichever page was loaded first. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { batchEntries } from "../../../../src/core/crawl/dispatch.ts";
import type { LeasedResult } from "../../../../src/storage/crawl/frontier-complete.ts";
import { readUrls } from "../../../../src/storage/crawl/frontier-read.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { nodeSql, type NodeSql } from "../../../fakes/memory/node-sql.ts";

const CONFIG = { maxConcurrency: 20, delayMs: 0, hasSeed: false, failsWhenEmpty: true, events: ["page"], leaseMs: 12_000, expiresAtMs: 1e15 } as const; // prettier-ignore
const LOGIN = "https://a.example/login";
const urlOf = (name: string): string => `https://a.example/${name}`;

let sql: NodeSql;
let frontier: Frontier;
beforeEach(() => {
  sql = nodeSql();
  frontier = new Frontier(sql);
});
afterEach(() => sql.close());

/** Starts a crawl of these pages, in the order in which they are leased. @returns the key of each page by its URL. */
function start(names: readonly string[]): Map<string, string> {
  const seeds = batchEntries(names.map(urlOf), 0);
  frontier.start(CONFIG, seeds, 0);
  return new Map(seeds.map(({ key, url }) => [url, key]));
}

/** Scrapes the next `count` pages, which redirect as `to` says, and reports them `together` or one by one. */
function scrape(count: number, to: ReadonlyMap<string, { key: string; url: string }>, together: boolean): void {
  const claim = frontier.claim(count, 1);
  const results = (claim?.items ?? []).map(({ key, url, attempt }): LeasedResult => {
    const target = to.get(url);
    const base = { leaseId: claim?.leaseId ?? 0, key, attempt, kind: "scraped", offset: 0, length: 1, scrapeId: url, credits: 1 } as const; // prettier-ignore
    return target === undefined ? base : { ...base, finalKey: target.key, finalUrl: target.url };
  });
  for (const part of together ? [results] : results.map((result) => [result]))
    frontier.complete({ results: part, object: "o", candidates: [], filtered: [], hosts: {} }, 2);
}

const lines = () => {
  const state = frontier.state();
  if (state === undefined) throw new Error("No job");
  return readUrls(sql, state, { cursor: { part: "queue", row: 0, place: 0 }, limit: 99 }).lines.map((line) => {
    return [line.url, line.outcome, line.reason, line.detail];
  });
};

test.each([
  { title: "in one report", together: true },
  { title: "in reports of their own", together: false },
])("of pages that redirect to a URL that was not loaded, $title, the first is a result", ({ together }) => {
  start(["a", "b", "c"]);
  const to = new Map(["a", "b", "c"].map((name) => [urlOf(name), { key: "login", url: LOGIN }]));
  scrape(3, to, together);
  expect(frontier.state()).toMatchObject({
    status: "completed",
    creditsUsed: 1,
    counters: { completed: 1, pending: 0, skipped: { duplicate: 3 } },
  });
  expect(lines()).toEqual([
    [urlOf("a"), "scraped", undefined, undefined],
    [urlOf("b"), "skipped", "duplicate", urlOf("a")],
    [urlOf("c"), "skipped", "duplicate", urlOf("a")],
    [LOGIN, "skipped", "duplicate", urlOf("a")],
  ]);
});

test("a page that redirects to a URL which was found, and taken by another page, is a duplicate after a restart", () => {
  const keys = start(["a", "b", "login"]);
  const to = new Map(["a", "b"].map((name) => [urlOf(name), { key: keys.get(LOGIN) ?? "", url: LOGIN }]));
  scrape(1, to, false);
  frontier = new Frontier(sql);
  scrape(1, to, false);
  expect(frontier.state()).toMatchObject({
    status: "completed",
    counters: { completed: 1, skipped: { duplicate: 2 } },
  });
});

test("of pages that redirect to each other, one is a result", () => {
  const keys = start(["a", "b", "c"]);
  const next = { a: "b", b: "c", c: "a" };
  const to = new Map(
    Object.entries(next).map(([from, name]) => [urlOf(from), { key: keys.get(urlOf(name)) ?? "", url: urlOf(name) }]),
  );
  scrape(3, to, false);
  expect(frontier.state()).toMatchObject({
    status: "completed",
    counters: { completed: 1, skipped: { duplicate: 2 } },
  });
});
