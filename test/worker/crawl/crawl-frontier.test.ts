import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { batchEntries } from "../../../src/core/crawl/dispatch.ts";
import type { Candidate, FrontierConfig, PageResult } from "../../../src/core/crawl/frontier.ts";
import { createFrontiers } from "../../../src/platform/crawl/crawl-frontier-port.ts";
import type { Claim, Completion, Frontiers, UrlCursor, UrlLine } from "../../../src/ports/crawl/frontier.ts";

const URLS = ["http://a.example/1", "http://a.example/2", "http://b.example/"];

/** A job of the test's own. Its specification is none, so that the runs which it asks for find nothing to do. */
async function newJob(
  more: Partial<FrontierConfig> = {},
  { urls = URLS, id = crypto.randomUUID() }: { urls?: readonly string[]; id?: string } = {},
): Promise<{ id: string; frontiers: Frontiers }> {
  const frontiers = createFrontiers(env.CRAWL_FRONTIER);
  const config: FrontierConfig = {
    limit: undefined,
    // As many as one worker run loads: the frontier then starts none beside the test, which claims the pages.
    maxConcurrency: 8,
    delayMs: 0,
    hasSeed: false,
    failsWhenEmpty: false,
    events: [],
    leaseMs: 12_000,
    expiresAtMs: Date.now() + 60_000,
    ...more,
  };
  await frontiers.start(id, { config, specification: "no job", seeds: batchEntries(urls, 0) });
  return { id, frontiers };
}

const claim = (messageId = "ticket") => ({ messageId, leaseIds: [], capacity: 10 });

/**
 * Replaces the queue of an object, and the runs that it starts by itself, by some that find nothing to do. An object's
 * bindings can be replaced in tests alone: hence the cast.
 */
function replaceQueue(instance: object, send: () => Promise<void>): void {
  const object = instance as { env: object; ctx: object };
  object.env = { ...object.env, JOBS: { send } };
  const value = { JobRuns: { pageRun: () => Promise.resolve() } };
  Object.defineProperty(object.ctx, "exports", { value, configurable: true });
}

test("a job has the options of its record, unless its specification has none", async () => {
  const { id, frontiers } = await newJob();
  expect(await frontiers.recordedOptions(id)).toBeUndefined();
  expect(await frontiers.recordedOptions(crypto.randomUUID())).toBeUndefined();
  const optionsJson = JSON.stringify({ includePaths: ["/„quoted”"] });
  await runInDurableObject(env.CRAWL_FRONTIER.getByName(id), (_, { storage }) =>
    storage.sql.exec("UPDATE job SET specification = ?", JSON.stringify({ record: { optionsJson } })),
  );
  expect(await frontiers.recordedOptions(id)).toBe(optionsJson);
});

test("a queue that takes no message for hours stops no job: its alarm is set again each time, and asks again", async () => {
  const urls = Array.from({ length: 40 }, (_, at) => `http://a.example/${at}`);
  const id = crypto.randomUUID();
  const stub = env.CRAWL_FRONTIER.getByName(id);
  let refused = 0;
  await runInDurableObject(stub, (instance) => {
    replaceQueue(instance, async () => {
      refused++;
      throw new Error("Queue send failed: Service Unavailable");
    });
  });
  await newJob({ maxConcurrency: 40 }, { urls, id });
  for (let time = 1; time <= 8; time++) {
    await runDurableObjectAlarm(stub);
    const next = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
    expect(next).toBeGreaterThan(0);
  }
  expect(refused).toBeGreaterThan(1);
  let sent = 0;
  await runInDurableObject(stub, (instance) => replaceQueue(instance, async () => void sent++));
  await runDurableObjectAlarm(stub);
  expect(sent).toBeGreaterThan(0);
});

test("messages that wait in a long queue are not sent again before a minute has passed", async () => {
  const urls = Array.from({ length: 40 }, (_, at) => `http://a.example/${at}`);
  const id = crypto.randomUUID();
  const stub = env.CRAWL_FRONTIER.getByName(id);
  let sent = 0;
  await runInDurableObject(stub, (instance) => replaceQueue(instance, async () => void sent++));
  await newJob({ maxConcurrency: 40, expiresAtMs: Date.now() + 3_600_000 }, { urls, id });
  await vi.waitFor(() => expect(sent).toBe(4));
  const startedAtMs = Date.now();
  const clock = vi.spyOn(Date, "now");
  try {
    for (const [afterMs, messages] of [[13_000, 5], [55_000, 5], [65_000, 9]] as const) {
      clock.mockReturnValue(startedAtMs + afterMs);
      // The run that was started directly has ended, and a message takes its place.
      await runInDurableObject(stub, (instance) => (instance as unknown as { alarm(): Promise<void> }).alarm());
      expect(sent).toBe(messages);
    }
  } finally {
    clock.mockRestore();
  }
}); // prettier-ignore

/** Calls an object's alarm at a time of the test. */
async function wakeAt(stub: DurableObjectStub, atMs: number): Promise<void> {
  const clock = vi.spyOn(Date, "now").mockReturnValue(atMs);
  try {
    await runInDurableObject(stub, (instance) => (instance as unknown as { alarm(): Promise<void> }).alarm());
  } finally {
    clock.mockRestore();
  }
}

test("a run that says nothing is followed by another one, when no other fits beside it", async () => {
  const id = crypto.randomUUID();
  const stub = env.CRAWL_FRONTIER.getByName(id);
  let runs = 0;
  await runInDurableObject(stub, (instance) => {
    replaceQueue(instance, async () => undefined);
    const pageRun = (): Promise<void> => {
      runs++;
      return new Promise(() => undefined);
    };
    Object.defineProperty((instance as unknown as { ctx: object }).ctx, "exports", { value: { JobRuns: { pageRun } } });
  });
  await newJob({ expiresAtMs: Date.now() + 3_600_000 }, { id });
  await vi.waitFor(() => expect(runs).toBe(1));
  const next = await vi.waitFor(async () => {
    const alarmMs = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
    expect(alarmMs).toBeGreaterThan(Date.now());
    return alarmMs ?? 0;
  });
  expect(next).toBeLessThan(Date.now() + 13_000);
  await wakeAt(stub, next);
  expect(runs).toBe(2);
});

test("a job whose alarm was lost goes on when somebody asks for its progress", async () => {
  const { id, frontiers } = await newJob({ expiresAtMs: Date.now() + 3_600_000 });
  const stub = env.CRAWL_FRONTIER.getByName(id);
  await frontiers.work(id, claim());
  await runInDurableObject(stub, (_, { storage }) => storage.deleteAlarm());
  await evictDurableObject(stub);
  await frontiers.progress(id);
  await vi.waitFor(async () => {
    const alarmMs = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
    expect(alarmMs).toBeLessThan(Date.now() + 13_000);
    expect(alarmMs).not.toBeNull();
  });
});

describe("the object of a job", () => {
  test("hands out each URL once, and knows what it handed out after an eviction", async () => {
    const { id, frontiers } = await newJob();
    const first = await frontiers.work(id, claim());
    expect(first.claim?.items.map(({ url }) => url)).toEqual(URLS);
    await evictDurableObject(env.CRAWL_FRONTIER.getByName(id));
    expect((await frontiers.work(id, claim())).claim).toBeUndefined();
    expect(await frontiers.progress(id)).toMatchObject({ status: "scraping", discovered: 3, pending: 3, completed: 0 });
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
    const completion = { results, object: "batch", candidates: [], filtered: [], hosts: {} };
    for (let time = 0; time < 3; time++) await frontiers.work(id, { ...claim(), completion });
    expect(await frontiers.progress(id)).toMatchObject({ status: "completed", completed: 3, creditsUsed: 3 });
    const page = await frontiers.documents(id, { skip: 1, limit: 1, maxBytes: 1_000 });
    expect(page).toMatchObject({ count: 1, runs: [{ object: "batch", documents: [{ offset: 10, length: 9 }] }] });
    expect(await frontiers.findDocument(id, "scrape 2")).toEqual({ object: "batch", offset: 20, length: 9 });
  });

  test("takes back what was handed out to somebody who is not heard of", async () => {
    const { id, frontiers } = await newJob({ leaseMs: 1 });
    await frontiers.work(id, claim());
    await new Promise((resolve) => setTimeout(resolve, 20));
    const again = await frontiers.work(id, claim());
    expect(again.claim?.items.map(({ attempt }) => attempt)).toEqual([2, 2, 2]);
  });

  test("keeps the first template of its site that it is handed, and tells it to who does not know it", async () => {
    const { id, frontiers } = await newJob();
    const hand = (template: string) =>
      frontiers.work(id, { ...claim(), capacity: 0, completion: { ...completionOf([]), template } });
    expect((await frontiers.work(id, { ...claim(), capacity: 0 })).template).toBeUndefined();
    expect((await hand("8:first")).template).toBe("8:first");
    expect((await hand("8:second")).template).toBe("8:first");
    await evictDurableObject(env.CRAWL_FRONTIER.getByName(id));
    expect((await frontiers.work(id, { ...claim("another"), capacity: 0 })).template).toBe("8:first");
    expect((await frontiers.work(id, { ...claim(), capacity: 0, knowsTemplate: true })).template).toBeUndefined();
  });

  test("forgets everything when the job has expired", async () => {
    const { id, frontiers } = await newJob({ expiresAtMs: Date.now() + 50 });
    await frontiers.cancel(id);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const stub = env.CRAWL_FRONTIER.getByName(id);
    await runDurableObjectAlarm(stub);
    expect(await frontiers.progress(id)).toBeUndefined();
    const tables = await runInDurableObject(env.CRAWL_FRONTIER.getByName(id), (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    );
    expect(tables).toEqual([]);
  });

  test("ends at once when it is cancelled, and lists the pages that were being scraped then", async () => {
    const { id, frontiers } = await newJob();
    const { claim: work } = await frontiers.work(id, { ...claim(), capacity: 2 });
    expect(await frontiers.cancel(id)).toBe("scraping");
    expect(await frontiers.cancel(id)).toBe("cancelled");
    expect(await frontiers.progress(id)).toMatchObject({ status: "cancelled", pending: 2, skipped: 1, inFlight: 2 });
    const [first, second] = resultsOf(work);
    await frontiers.work(id, { ...claim(), completion: completionOf([first]) });
    if (second === undefined) throw new Error("Two pages were handed out");
    const deferred: Scraped = { ...second, kind: "deferred", retryAtMs: Date.now() };
    const answer = await frontiers.work(id, { ...claim(), completion: completionOf([deferred]) });
    expect(answer).toEqual({ status: "cancelled" });
    expect(await frontiers.progress(id)).toMatchObject({ status: "cancelled", completed: 1, skipped: 2, pending: 0 });
    expect(await frontiers.documents(id, { skip: 0, limit: 9, maxBytes: 1_000 })).toMatchObject({ count: 1 });
    const { lines } = await frontiers.urls(id, { cursor: { part: "queue", row: 0, place: 0 }, limit: 9 });
    expect(lines.map(({ outcome, reason }) => reason ?? outcome)).toEqual(["scraped", "cancelled", "cancelled"]);
    expect(await frontiers.append(id, { urls: ["http://c.example/"], appendId: "c" })).toBe("ended");
  });

  test("a page that nobody brings back after a cancel is cancelled with the rest", async () => {
    const { id, frontiers } = await newJob({ leaseMs: 1 });
    await frontiers.work(id, claim());
    await frontiers.cancel(id);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await runDurableObjectAlarm(env.CRAWL_FRONTIER.getByName(id));
    expect(await frontiers.progress(id)).toMatchObject({ status: "cancelled", pending: 0, skipped: 3, inFlight: 0 });
  });
});

describe("what a job pays", () => {
  const used = async (keyId: string) => (await env.KEY_LEDGER.getByName(keyId).usage()).creditsUsed;
  const billing = (monthlyCredits: number | undefined) => ({
    keyId: crypto.randomUUID(),
    creditsPerPage: 2,
    monthlyCredits,
  });

  test.each([{ monthlyCredits: undefined }, { monthlyCredits: 100 }])(
    "is what its pages came to, though whoever scraped them crashed (budget: $monthlyCredits)",
    async ({ monthlyCredits }) => {
      const bill = billing(monthlyCredits);
      const { id, frontiers } = await newJob({ leaseMs: 1, billing: bill });
      await frontiers.work(id, claim());
      await new Promise((resolve) => setTimeout(resolve, 20));
      await evictDurableObject(env.CRAWL_FRONTIER.getByName(id));
      const { claim: again } = await frontiers.work(id, claim());
      const completion = completionOf(resultsOf(again));
      for (let time = 0; time < 2; time++) await frontiers.work(id, { ...claim(), completion });
      for (let time = 0; time < 2; time++) await frontiers.close(id);
      expect(await used(bill.keyId)).toBe(3);
      expect(await frontiers.progress(id)).toMatchObject({ status: "completed", creditsUsed: 3 });
    },
  );

  test("is set aside before its pages are handed out, to the last page that can be paid", async () => {
    const bill = billing(5);
    const { id, frontiers } = await newJob({ billing: bill });
    const { claim: work } = await frontiers.work(id, claim());
    expect(work?.items).toHaveLength(2);
    expect(await used(bill.keyId)).toBe(4);
    expect((await frontiers.work(id, claim("another"))).claim).toBeUndefined();
    await frontiers.work(id, { ...claim(), completion: completionOf(resultsOf(work, 2)) });
    expect(await frontiers.progress(id)).toMatchObject({
      status: "completed",
      completed: 2,
      skipped: 1,
      outOfCredits: true,
    });
    await frontiers.close(id);
    expect(await used(bill.keyId)).toBe(4);
  });

  test("is paid again for what is added to it later, and not for what was", async () => {
    const bill = billing(undefined);
    const { id, frontiers } = await newJob({ billing: bill });
    const { claim: work } = await frontiers.work(id, claim());
    await frontiers.work(id, { ...claim(), completion: completionOf(resultsOf(work)) });
    await frontiers.close(id);
    const addition = { urls: ["http://d.example/"], appendId: "d" };
    for (let time = 0; time < 2; time++) expect(await frontiers.append(id, addition)).toBe("appended");
    const { claim: more } = await frontiers.work(id, claim());
    await frontiers.work(id, { ...claim(), completion: completionOf(resultsOf(more)) });
    await frontiers.close(id);
    expect(await used(bill.keyId)).toBe(4);
  });
});

test("URLs that the limit has no room for cost hardly a row, and are all listed with their reason", async () => {
  const { id, frontiers } = await newJob({ limit: 30 });
  let done = 0;
  const fresh = () => newCandidates(`https://a.example/${crypto.randomUUID()}`, 400);
  while ((await frontiers.progress(id))?.status === "scraping") {
    const { claim: work } = await frontiers.work(id, claim());
    const results = resultsOf(work);
    done += results.length;
    // Every page leads to many others, of which some are left out by the rules.
    const filtered = newCandidates(`https://b.example/${crypto.randomUUID()}`, 200).map(({ url }) => ({
      url,
      reason: "EXTERNAL_LINK",
      depth: 1,
      parent: undefined,
    }));
    await frontiers.work(id, {
      ...claim(),
      capacity: 0,
      completion: { ...completionOf(results), candidates: fresh(), filtered },
    });
  }
  const progress = await frontiers.progress(id);
  expect(progress).toMatchObject({ completed: 30, pending: 0 });
  expect(done).toBe(30);
  expect((progress?.rowsWritten ?? 0) / 30).toBeLessThan(4.5);
  const lines: UrlLine[] = [];
  let cursor: UrlCursor | undefined = { part: "queue", row: 0, place: 0 };
  while (cursor !== undefined) {
    const page = await frontiers.urls(id, { cursor, limit: 700 });
    lines.push(...page.lines);
    cursor = page.next;
  }
  expect(lines).toHaveLength(progress?.discovered ?? 0);
  const count = (wanted: string) => lines.filter(({ reason, outcome }) => (reason ?? outcome) === wanted).length;
  expect({ scraped: count("scraped"), limit: count("limit"), filtered: count("EXTERNAL_LINK") }).toEqual({
    scraped: 30,
    limit: (progress?.discovered ?? 0) - 30 - count("EXTERNAL_LINK"),
    filtered: expect.any(Number),
  });
});

test("URLs beyond the limit take the places of pages that failed, once each, also after an eviction", async () => {
  const { id, frontiers } = await newJob({ limit: 5 });
  const candidates = newCandidates("https://a.example/more", 20);
  const seen: string[] = [];
  for (let round = 0; (await frontiers.progress(id))?.status === "scraping"; round++) {
    const { claim: work } = await frontiers.work(id, claim());
    seen.push(...(work?.items ?? []).map(({ url }) => url));
    const results = resultsOf(work).map((result) =>
      round < 3
        ? { ...result, kind: "failed" as const, code: "SCRAPE_SSL_ERROR" as const, error: "no", retryable: false }
        : result,
    );
    await frontiers.work(id, { ...claim(), capacity: 0, completion: { ...completionOf(results), candidates } });
    await evictDurableObject(env.CRAWL_FRONTIER.getByName(id));
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(await frontiers.progress(id)).toMatchObject({ completed: 5, failed: 13, discovered: 23, skipped: 5 });
});

function newCandidates(prefix: string, count: number): Candidate[] {
  return Array.from({ length: count }, (_, place) => {
    const url = `${prefix}/${place}`;
    return { key: url, url, depth: 1, isExternal: false, parent: undefined };
  });
}

type Scraped = PageResult & { leaseId: number };

/** Every page of a claim, scraped for a credit. */
function resultsOf(work: Claim | undefined, credits = 1): Scraped[] {
  return (work?.items ?? []).map(({ key, attempt }, place) => ({
    leaseId: work?.leaseId ?? 0,
    key,
    attempt,
    kind: "scraped",
    offset: place * 10,
    length: 9,
    scrapeId: `${key} ${attempt}`,
    credits,
  }));
}

function completionOf(results: (Scraped | undefined)[]): Completion {
  const done = results.filter((result) => result !== undefined);
  return { results: done, object: crypto.randomUUID(), candidates: [], filtered: [], hosts: {} };
}
