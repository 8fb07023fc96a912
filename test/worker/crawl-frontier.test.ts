import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { batchEntries } from "../../src/core/dispatch.ts";
import type { FrontierConfig } from "../../src/core/frontier.ts";
import { Meter } from "../../src/core/meter.ts";
import { createFrontiers } from "../../src/platform/crawl-frontier-port.ts";
import type { Frontiers } from "../../src/ports/frontier.ts";

const URLS = ["http://a.example/1", "http://a.example/2", "http://b.example/"];

/** A job of the test's own. Its specification is none, so that the turns which it asks for find nothing to do. */
async function newJob(more: Partial<FrontierConfig> = {}): Promise<{ id: string; frontiers: Frontiers }> {
  const id = crypto.randomUUID();
  const frontiers = createFrontiers(env.CRAWL_FRONTIER, new Meter());
  const config: FrontierConfig = {
    limit: undefined,
    maxConcurrency: 10,
    delayMs: 0,
    hasSeed: false,
    failsWhenEmpty: false,
    events: [],
    leaseMs: 12_000,
    expiresAtMs: Date.now() + 60_000,
    ...more,
  };
  await frontiers.start(id, { config, specification: "no job", seeds: batchEntries(URLS, 0) });
  return { id, frontiers };
}

const claim = (ticketId = "ticket") => ({ ticketId, leaseIds: [], capacity: 10 });

describe("the object of a job", () => {
  test("hands out each URL once, and knows what it handed out after an eviction", async () => {
    const { id, frontiers } = await newJob();
    const first = await frontiers.work(id, claim());
    expect(first.claim?.items.map(({ url }) => url)).toEqual(URLS);
    await evictDurableObject(env.CRAWL_FRONTIER.getByName(id));
    expect((await frontiers.work(id, claim())).claim).toBeUndefined();
    expect(await frontiers.standing(id)).toMatchObject({ status: "scraping", discovered: 3, pending: 3, completed: 0 });
  });

  test("counts a result once, however often it comes", async () => {
    const { id, frontiers } = await newJob();
    const { claim: work } = await frontiers.work(id, claim());
    const results = (work?.items ?? []).map(({ key, attempt }, place) => ({
      leaseId: work?.leaseId ?? 0,
      key,
      attempt,
      kind: "scraped" as const,
      offset: place * 10,
      length: 9,
      scrapeId: `scrape ${place}`,
      credits: 1,
    }));
    const completion = { results, object: "segment", candidates: [], filtered: [], hosts: {} };
    for (let time = 0; time < 3; time++) await frontiers.work(id, { ...claim(), completion });
    expect(await frontiers.standing(id)).toMatchObject({ status: "completed", completed: 3, creditsUsed: 3 });
    const page = await frontiers.documents(id, { skip: 1, limit: 1, maxBytes: 1_000 });
    expect(page).toMatchObject({ count: 1, runs: [{ object: "segment", documents: [{ offset: 10, length: 9 }] }] });
    expect(await frontiers.findDocument(id, "scrape 2")).toEqual({ object: "segment", offset: 20, length: 9 });
  });

  test("takes back what was handed out to somebody who is not heard of", async () => {
    const { id, frontiers } = await newJob({ leaseMs: 1 });
    await frontiers.work(id, claim());
    await new Promise((resolve) => setTimeout(resolve, 20));
    const again = await frontiers.work(id, claim());
    expect(again.claim?.items.map(({ attempt }) => attempt)).toEqual([2, 2, 2]);
  });

  test("forgets everything when the job has expired", async () => {
    const { id, frontiers } = await newJob({ expiresAtMs: Date.now() + 50 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const stub = env.CRAWL_FRONTIER.getByName(id);
    await runDurableObjectAlarm(stub);
    expect(await frontiers.standing(id)).toBeUndefined();
    const tables = await runInDurableObject(env.CRAWL_FRONTIER.getByName(id), (_, { storage }) =>
      storage.sql.exec<{ count: number }>("SELECT count(*) AS count FROM urls").one(),
    );
    expect(tables.count).toBe(0);
  });

  test("ends at once when it is cancelled", async () => {
    const { id, frontiers } = await newJob();
    await frontiers.work(id, claim());
    expect(await frontiers.cancel(id)).toBe("scraping");
    expect(await frontiers.cancel(id)).toBe("cancelled");
    expect(await frontiers.standing(id)).toMatchObject({ status: "cancelled", pending: 0, skipped: 3 });
    expect(await frontiers.append(id, ["http://c.example/"])).toBe(false);
  });
});
