import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { batchEntries } from "../../../src/core/crawl/dispatch.ts";
import type { FrontierConfig } from "../../../src/core/crawl/frontier.ts";
import { createFrontiers } from "../../../src/platform/crawl/crawl-frontier-port.ts";
import { createHostThrottle } from "../../../src/platform/crawl/host-throttle-port.ts";
import { NO_COUNTS } from "../../../src/core/account/meter.ts";

const frontiers = createFrontiers(env.CRAWL_FRONTIER);
const URLS = ["http://a.example/1", "http://a.example/2"];

/** Starts a job of a key that may run one job at a time. Its specification is none, so that no run works on it. */
async function start(id: string, keyId: string, urls: readonly string[] = URLS): Promise<boolean> {
  const config: FrontierConfig = {
    maxConcurrency: 8, delayMs: 0, hasSeed: false, failsWhenEmpty: false, events: [], leaseMs: 12_000,
    billing: { keyId, creditsPerPage: 1 }, slot: { limit: 1, leaseMs: 60_000 }, expiresAtMs: Date.now() + 60_000,
  }; // prettier-ignore
  return (await frontiers.start(id, { config, specification: "no job", seeds: batchEntries(urls, 0) })) === "started";
}

/** Scrapes all pages that can be claimed; those of `fails` fail. Then the job is closed, as at the end of a run. */
async function work(id: string, fails: readonly string[]): Promise<void> {
  const request = { messageId: "run", leaseIds: [], capacity: 10 };
  const { claim } = await frontiers.work(id, request);
  const results = (claim?.items ?? []).map(({ key, url, attempt }) => {
    const base = { leaseId: claim?.leaseId ?? 0, key, attempt };
    return fails.includes(url)
      ? { ...base, kind: "failed" as const, code: "SCRAPE_SITE_ERROR" as const, error: "down", retryable: false }
      : { ...base, kind: "scraped" as const, offset: 0, length: 1, scrapeId: crypto.randomUUID(), credits: 1 };
  });
  await frontiers.work(id, {
    ...request,
    capacity: 0,
    completion: { results, object: "o", candidates: [], filtered: [], hosts: {} },
  });
}

async function close(id: string): Promise<void> {
  await frontiers.settle(id, NO_COUNTS);
  await frontiers.close(id);
}

test("a retry takes the slot of its job again, is charged once, and releases the slot at its end", async () => {
  const [id, other, keyId] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  const used = async () => (await env.KEY_LEDGER.getByName(keyId).usage()).creditsUsed;
  await start(id, keyId);
  await work(id, [URLS[1] ?? ""]);
  await close(id);
  expect(await used()).toBe(1);

  // Another job has the slot: nothing changes.
  expect(await start(other, keyId)).toBe(true);
  expect(await frontiers.retry(id, "r1")).toEqual({ kind: "no_slot" });
  expect(await frontiers.progress(id)).toMatchObject({ status: "completed", completed: 1, failed: 1 });
  await work(other, []);
  await close(other);

  expect(await frontiers.retry(id, "r2")).toEqual({ kind: "retried", retried: 1, failed: 1 });
  expect(await frontiers.retry(id, "r3")).toEqual({ kind: "running" });
  expect(await start(crypto.randomUUID(), keyId)).toBe(false);
  await evictDurableObject(env.CRAWL_FRONTIER.getByName(id));
  expect(await frontiers.retry(id, "r2")).toEqual({ kind: "retried", retried: 1, failed: 1 });
  await work(id, []);
  expect(await frontiers.progress(id)).toMatchObject({ status: "completed", completed: 2, failed: 0, creditsUsed: 2 });
  await close(id);
  // Two pages of this job and two of the other one.
  expect(await used()).toBe(4);
  expect(await start(crypto.randomUUID(), keyId)).toBe(true);
});

test("a job that does not exist has nothing, and reading it makes no tables", async () => {
  const id = crypto.randomUUID();
  expect(await frontiers.retry(id, "r1")).toBeUndefined();
  expect(await frontiers.append(id, { urls: ["http://a.example/"], appendId: "a1" })).toBe("ended");
  expect(await frontiers.progress(id)).toBeUndefined();
  expect(await frontiers.documents(id, { skip: 0, limit: 1, maxBytes: 1 })).toBeUndefined();
  expect(await frontiers.failures(id, { after: 0, limit: 1 })).toMatchObject({ errors: [] });
  expect(await frontiers.recordedOptions(id)).toBeUndefined();
  expect(await frontiers.hold(id, Date.now() + 60_000)).toBeUndefined();
  expect(await frontiers.cancel(id)).toBeUndefined();
  expect(await frontiers.takeEvents(id, 1)).toEqual([]);
  expect(await frontiers.replayEvents(id, undefined)).toEqual([]);
  const late = { messageId: "late", leaseIds: [1], capacity: 1 };
  expect(await frontiers.work(id, late)).toMatchObject({ status: "cancelled" });
  const made = await runInDurableObject(env.CRAWL_FRONTIER.getByName(id), (_, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
  );
  expect(made).toEqual([]);
});

test("the progress of a job says until when it waits for a host that asked for a pause", async () => {
  const [id, keyId, host] = [crypto.randomUUID(), crypto.randomUUID(), `${crypto.randomUUID()}.example`];
  await start(id, keyId, [`http://${host}/1`, `http://${host}/2`]);
  expect(await frontiers.progress(id)).toMatchObject({ pending: 2, waitsUntilMs: undefined });
  const untilMs = Date.now() + 300_000;
  await createHostThrottle(env.HOST_THROTTLE).report(host, { statusCode: 429, retryAfterMs: 300_000, keyId });
  const { claim } = await frontiers.work(id, { messageId: "run", leaseIds: [], capacity: 10 });
  expect(claim?.items).toEqual([]);
  const progress = await frontiers.progress(id);
  expect(progress?.waitsUntilMs).toBeGreaterThan(untilMs - 60_000);
  expect(progress?.waitsUntilMs).toBeLessThan(untilMs + 60_000);
  await frontiers.cancel(id);
  expect(await frontiers.progress(id)).toMatchObject({ waitsUntilMs: undefined });
});
