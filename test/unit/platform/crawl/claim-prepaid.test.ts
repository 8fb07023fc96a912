import { afterEach, beforeEach, expect, test } from "vitest";
import { claimPrepaid } from "../../../../src/platform/crawl/claim-prepaid.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { nodeSql, type NodeSql } from "../../../fakes/memory/node-sql.ts";

const CONFIG = { maxConcurrency: 20, delayMs: 0, hasSeed: false, failsWhenEmpty: true, events: [], leaseMs: 12_000, expiresAtMs: 1e15, since: { jobId: "earlier", output: "all" as const } }; // prettier-ignore
const seeds = ["a", "b"].map((key) => ({ key, url: `https://${key}.example/`, depth: 0, isExternal: false, parent: undefined })); // prettier-ignore

let sql: NodeSql;
let pauses = 0;
beforeEach(() => {
  sql = nodeSql();
  pauses = 0;
});
afterEach(() => sql.close());

/** Claims with a key that has credits for so many pages. */
async function claimWith(frontier: Frontier, credits: number, { othersHold = false } = {}) {
  return await claimPrepaid({
    mayComeBack: async () => othersHold,
    pause: () => void pauses++,
    capacity: 10,
    state: () => frontier.state(),
    claimable: () => frontier.outlook(1).claimable,
    charge: async (pages) => Math.min(pages, credits),
    stop: () => frontier.stop(1),
    claim: (pages) => frontier.claim(pages, 1),
  });
}

test("a crawl that ends exactly at its budget is compared with the earlier one, which costs no credit", async () => {
  const frontier = new Frontier(sql);
  frontier.start(CONFIG, seeds, 0);
  const claim = await claimWith(frontier, 2);
  expect(claim?.items).toHaveLength(2);
  const results = ["a", "b"].map((key) => ({ leaseId: claim?.leaseId ?? 0, key, attempt: 1, kind: "scraped" as const, offset: 0, length: 1, scrapeId: key, credits: 1 })); // prettier-ignore
  frontier.complete({ results, object: "object", candidates: [], filtered: [], hosts: {} }, 2);
  expect(await claimWith(frontier, 0)).toMatchObject({ isComparison: true, items: [] });
  expect(frontier.state()).toMatchObject({ status: "scraping", isStopping: false });
});

test("a job with URLs left stops when its budget is used up", async () => {
  const frontier = new Frontier(sql);
  frontier.start(CONFIG, seeds, 0);
  expect(await claimWith(frontier, 0)).toBeUndefined();
  expect(frontier.state()).toMatchObject({ status: "completed", rest: "credits" });
});

test("a job goes on while its own pages, or other requests, may give credits back", async () => {
  const frontier = new Frontier(sql);
  frontier.start(CONFIG, seeds, 0);
  expect(await claimWith(frontier, 0, { othersHold: true })).toBeUndefined();
  const claim = await claimWith(frontier, 1);
  expect(claim?.items).toHaveLength(1);
  expect(await claimWith(frontier, 0)).toBeUndefined();
  expect([frontier.state()?.status, frontier.state()?.isStopping, pauses]).toEqual(["scraping", false, 2]);
  const failed = { leaseId: claim?.leaseId ?? 0, key: "a", attempt: 1, kind: "failed" as const, code: "SCRAPE_SITE_ERROR" as const, error: "x", retryable: false }; // prettier-ignore
  frontier.complete({ results: [failed], object: "object", candidates: [], filtered: [], hosts: {} }, 2);
  expect((await claimWith(frontier, 1))?.items).toHaveLength(1);
});

test("a job that cannot pay for a page now reads its sitemaps, which cost no credit", async () => {
  const frontier = new Frontier(sql);
  frontier.start({ ...CONFIG, hasSeed: true }, seeds, 0);
  expect(await claimWith(frontier, 0, { othersHold: true })).toMatchObject({ isSeed: true, items: [] });
  expect(await claimWith(frontier, 0, { othersHold: true })).toBeUndefined();
  expect(frontier.state()).toMatchObject({ status: "scraping", seed: "leased", isStopping: false });
});
