import { afterEach, beforeEach, expect, test } from "vitest";
import { claimPrepaid } from "../../../../src/platform/crawl/claim-prepaid.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { nodeSql, type NodeSql } from "../../../fakes/memory/node-sql.ts";

const CONFIG = { maxConcurrency: 20, delayMs: 0, hasSeed: false, failsWhenEmpty: true, events: [], leaseMs: 12_000, expiresAtMs: 1e15, since: { jobId: "earlier", output: "all" as const } }; // prettier-ignore
const seeds = ["a", "b"].map((key) => ({ key, url: `https://${key}.example/`, depth: 0, isExternal: false, parent: undefined })); // prettier-ignore

let sql: NodeSql;
beforeEach(() => (sql = nodeSql()));
afterEach(() => sql.close());

/** Claims with a key that has credits for so many pages. */
async function claimWith(frontier: Frontier, credits: number) {
  return await claimPrepaid({
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
