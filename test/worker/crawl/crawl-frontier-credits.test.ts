import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { NO_COUNTS } from "../../../src/core/account/meter.ts";
import { batchEntries } from "../../../src/core/crawl/dispatch.ts";
import { createFrontiers } from "../../../src/platform/crawl/crawl-frontier-port.ts";

const frontiers = createFrontiers(env.CRAWL_FRONTIER);
const urls = (count: number) => Array.from({ length: count }, (_, page) => `http://a.example/${page}`);

/** A key with 10 credits a month. The specification of its batches is none, so that no run works on them. */
function key() {
  const keyId = crypto.randomUUID();
  const start = (id: string, pages: number, expiresAtMs = Date.now() + 60_000) =>
    frontiers.start(id, {
      config: {
        maxConcurrency: 8, delayMs: 0, hasSeed: false, failsWhenEmpty: false, events: [], leaseMs: 12_000,
        billing: { keyId, creditsPerPage: 1, monthlyCredits: 10, reservesAll: true },
        slot: { limit: 5, leaseMs: 60_000 }, expiresAtMs,
      },
      specification: "no job",
      seeds: batchEntries(urls(pages), 0),
    }); // prettier-ignore
  const usage = () => env.KEY_LEDGER.getByName(keyId).usage();
  return { start, usage };
}

/** Scrapes `count` pages of a job, for one credit each. */
async function scrape(id: string, count: number): Promise<number> {
  const request = { messageId: "run", leaseIds: [] };
  const { claim } = await frontiers.work(id, { ...request, capacity: count });
  const results = (claim?.items ?? []).map(({ key, attempt }) => {
    const scrapeId = crypto.randomUUID();
    return { leaseId: claim?.leaseId ?? 0, key, attempt, kind: "scraped" as const, offset: 0, length: 1, scrapeId, credits: 1 };
  }); // prettier-ignore
  const completion = { results, object: "o", candidates: [], filtered: [], hosts: {} };
  await frontiers.work(id, { ...request, capacity: 0, completion });
  return results.length;
}

async function end(id: string): Promise<void> {
  await frontiers.settle(id, NO_COUNTS);
  await frontiers.close(id);
}

test("of batches that start at once, no more start than the credits pay for", async () => {
  const { start, usage } = key();
  const ids = Array.from({ length: 4 }, () => crypto.randomUUID());
  const outcomes = await Promise.all(ids.map((id) => start(id, 4)));
  expect(outcomes.toSorted()).toEqual(["no_credits", "no_credits", "started", "started"]);
  expect(await usage()).toMatchObject({ creditsUsed: 8, runningJobs: 2 });

  const [first = "", second = ""] = ids.filter((_, place) => outcomes[place] === "started");
  const refused = ids.find((_, place) => outcomes[place] === "no_credits") ?? "";
  expect(await frontiers.progress(refused)).toBeUndefined();

  // All pages of both can be scraped, whatever else the key asks for meanwhile.
  expect(await start(crypto.randomUUID(), 3)).toBe("no_credits");
  expect(await scrape(first, 8)).toBe(4);
  await end(first);
  expect(await usage()).toMatchObject({ creditsUsed: 8, runningJobs: 1 });

  // What a batch does not use is free again when it ends.
  expect(await scrape(second, 1)).toBe(1);
  await frontiers.cancel(second);
  await end(second);
  expect(await usage()).toMatchObject({ creditsUsed: 5, runningJobs: 0 });
});

test("the credits of pages that a cancelled batch does not scrape are free at once, and those of pages in flight are not", async () => {
  const { start, usage } = key();
  const id = crypto.randomUUID();
  expect(await start(id, 8)).toBe("started");
  expect((await frontiers.work(id, { messageId: "run", leaseIds: [], capacity: 3 })).claim?.items).toHaveLength(3);
  await frontiers.cancel(id);
  expect(await usage()).toMatchObject({ creditsUsed: 3, runningJobs: 1 });
  await frontiers.cancel(id);
  expect(await start(crypto.randomUUID(), 7)).toBe("started");
});

test("URLs are added to a batch when the credits pay for all of them", async () => {
  const { start, usage } = key();
  const id = crypto.randomUUID();
  expect(await start(id, 4)).toBe("started");
  expect(await frontiers.append(id, { urls: urls(7), appendId: "a" })).toBe("no_credits");
  expect(await usage()).toMatchObject({ creditsUsed: 4 });
  const added = await Promise.all(["b", "c", "b"].map((appendId) => frontiers.append(id, { urls: urls(4), appendId })));
  expect(added.toSorted()).toEqual(["appended", "appended", "no_credits"]);
  expect(await usage()).toMatchObject({ creditsUsed: 8 });
  expect(await scrape(id, 8)).toBe(8);
  await end(id);

  // After the end too, with a slot; what is refused leaves the batch ended.
  expect(await frontiers.append(id, { urls: urls(3), appendId: "d" })).toBe("no_credits");
  await end(id);
  expect(await usage()).toMatchObject({ creditsUsed: 8, runningJobs: 0 });
  expect(await frontiers.append(id, { urls: urls(2), appendId: "e" })).toBe("appended");
  expect(await usage()).toMatchObject({ creditsUsed: 10, runningJobs: 1 });
  expect(await scrape(id, 8)).toBe(2);
  await end(id);
  expect(await usage()).toMatchObject({ creditsUsed: 10, runningJobs: 0 });
});

/** Runs the alarm of a job's object at a time, with a worker run that is open, so that the object starts none. */
async function alarmAt(id: string, nowMs: number): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: nowMs });
  try {
    await frontiers.work(id, { messageId: "run", leaseIds: [], capacity: 0 });
    await runDurableObjectAlarm(env.CRAWL_FRONTIER.getByName(id));
  } finally {
    vi.useRealTimers();
  }
}

test("an ended batch that expires before it is closed releases the credits of its unread pages, and its slot", async () => {
  const { start, usage } = key();
  const id = crypto.randomUUID();
  const expiresAtMs = Date.now() + 30_000;
  expect(await start(id, 8, expiresAtMs)).toBe("started");
  expect(await scrape(id, 2)).toBe(2);
  // One page is being scraped, and its worker run never reports it.
  await frontiers.work(id, { messageId: "run", leaseIds: [], capacity: 1 });
  expect(await usage()).toMatchObject({ creditsUsed: 8, runningJobs: 1 });
  await frontiers.cancel(id);

  await alarmAt(id, expiresAtMs);
  expect(await usage()).toMatchObject({ creditsUsed: 2, runningJobs: 0 });
  expect(await frontiers.progress(id)).toBeUndefined();
});

test("a batch that runs does not expire, and its results are kept for the retention after its end", async () => {
  const { start, usage } = key();
  const id = crypto.randomUUID();
  const startedAtMs = Date.now();
  const retentionMs = 86_400_000;
  expect(await start(id, 8, startedAtMs + retentionMs)).toBe("started");
  expect(await scrape(id, 2)).toBe(2);
  await alarmAt(id, startedAtMs + 2 * retentionMs);
  expect(await frontiers.progress(id)).toMatchObject({ status: "scraping", completed: 2 });
  expect(await usage()).toMatchObject({ creditsUsed: 8 });

  // Its time is over: it ends with what it has, and its results can be read for the retention.
  const lastMs = startedAtMs + 31 * retentionMs;
  await alarmAt(id, lastMs);
  expect(await frontiers.progress(id)).toMatchObject({
    status: "completed",
    completed: 2,
    skipped: 6,
    endedAtMs: lastMs,
  });
  await end(id);
  expect(await usage()).toMatchObject({ creditsUsed: 2, runningJobs: 0 });
  await alarmAt(id, lastMs + retentionMs - 60_000);
  expect(await frontiers.progress(id)).toMatchObject({ completed: 2 });
  await alarmAt(id, lastMs + retentionMs + 60_000);
  expect(await frontiers.progress(id)).toBeUndefined();
});
