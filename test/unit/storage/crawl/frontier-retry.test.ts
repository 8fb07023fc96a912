import { describe, expect, test } from "vitest";
import { batchEntries } from "../../../../src/core/crawl/dispatch.ts";
import { expiryOf, lifeOf } from "../../../../src/core/crawl/frontier-life.ts";
import { skippedOf, type FrontierConfig } from "../../../../src/core/crawl/frontier.ts";
import { readFailures, readUrls } from "../../../../src/storage/crawl/frontier-read.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { takeDueEvents } from "../../../../src/storage/webhooks/outbox.ts";
import { given } from "../../../fakes/given.ts";
import { nodeSql } from "../../../fakes/memory/node-sql.ts";

const CONFIG: FrontierConfig = {
  maxConcurrency: 100, delayMs: 0, hasSeed: false, failsWhenEmpty: false, events: ["page", "page.failed", "completed"],
  leaseMs: 10_000, expiresAtMs: 1e15,
}; // prettier-ignore

/** A job of ten pages, whose pages fail as `fails` says. */
class Job {
  readonly sql = nodeSql();
  readonly frontier = new Frontier(this.sql);
  nowMs = 1_000;
  readonly asked: string[] = [];

  constructor(config: Partial<FrontierConfig> = {}) {
    const urls = Array.from({ length: 10 }, (_, at) => `https://a.example/${at}`);
    this.frontier.start({ ...CONFIG, ...config }, batchEntries(urls, 0), this.nowMs);
  }

  /** Works until nothing can be claimed; pages whose URL ends in a digit of `fails` fail permanently. */
  work(fails: string, capacity = 100): void {
    for (;;) {
      const claim = this.frontier.claim(capacity, ++this.nowMs);
      if (claim === undefined) return;
      this.asked.push(...claim.items.map(({ url }) => url.slice(-1)));
      const results = claim.items.map(({ key, url, attempt }) => {
        const base = { leaseId: claim.leaseId, key, attempt };
        if (fails.includes(url.slice(-1)))
          return {
            ...base,
            kind: "failed" as const,
            code: "SCRAPE_SITE_ERROR" as const,
            error: "down",
            retryable: false,
          };
        return {
          ...base,
          kind: "scraped" as const,
          offset: 0,
          length: 1,
          scrapeId: `${url} ${this.nowMs}`,
          credits: 1,
        };
      });
      this.complete(results);
    }
  }

  complete(results: Parameters<Frontier["complete"]>[0]["results"]): void {
    this.frontier.complete({ results, object: "o", candidates: [], filtered: [], hosts: {} }, ++this.nowMs);
  }

  numbers() {
    const state = this.frontier.state();
    if (state === undefined) throw new Error("It has begun");
    const { discovered, completed, failed, pending } = state.counters;
    expect(completed + failed + pending + skippedOf(state.counters)).toBe(discovered);
    return { status: state.status, completed, failed, pending };
  }
}

describe("a retry of an ended job", () => {
  test("scrapes the failed URLs and no other, with new attempts, and lists each URL once", () => {
    const job = new Job();
    job.work("37");
    expect(job.numbers()).toEqual({ status: "completed", completed: 8, failed: 2, pending: 0 });
    expect(job.frontier.prepareRetry("r1", job.nowMs)).toEqual({ kind: "ready" });
    expect(job.frontier.state()?.closed).toBe(false);
    expect(job.frontier.retry("r1", job.nowMs)).toEqual({ kind: "retried", retried: 2, failed: 2 });
    expect(job.numbers()).toEqual({ status: "scraping", completed: 8, failed: 0, pending: 2 });
    expect(readFailures(job.sql, { after: 0, limit: 10_000 }).errors).toEqual([]);
    job.asked.length = 0;
    job.work("7");
    expect(job.asked.toSorted()).toEqual(["3", "7"]);
    expect(job.numbers()).toEqual({ status: "completed", completed: 9, failed: 1, pending: 0 });
    expect(readFailures(job.sql, { after: 0, limit: 10_000 }).errors.map(({ url }) => url)).toEqual([
      "https://a.example/7",
    ]);
    const state = job.frontier.state();
    const lines = state && readUrls(job.sql, state, { cursor: { part: "queue", row: 0, place: 0 }, limit: 99 }).lines;
    expect(lines).toHaveLength(10);
    expect(lines?.filter(({ outcome }) => outcome === "failed")).toHaveLength(1);
    const events = takeDueEvents(job.sql, { limit: 99, nowMs: job.nowMs, holdMs: 1 }).map(({ event }) => event);
    expect(Object.groupBy(events, (event) => event)).toMatchObject({
      page: { length: 9 },
      "page.failed": { length: 3 },
      completed: { length: 2 },
    });
  });

  test("returns the same numbers for the same request, while it runs and after its end", () => {
    const job = new Job();
    job.work("3");
    job.frontier.retry("r1", job.nowMs);
    const numbers = { kind: "retried", retried: 1, failed: 1 };
    expect(job.frontier.prepareRetry("r1", job.nowMs)).toEqual(numbers);
    expect(job.frontier.prepareRetry("r2", job.nowMs)).toEqual({ kind: "running" });
    job.work("3");
    expect(job.frontier.prepareRetry("r1", job.nowMs)).toEqual(numbers);
    expect(job.numbers()).toMatchObject({ status: "completed", failed: 1 });
    expect(job.frontier.prepareRetry("r2", job.nowMs)).toEqual({ kind: "ready" });
  });

  test("without a failed URL leaves the job ended and closed", () => {
    const job = new Job();
    job.work("");
    job.frontier.close(job.nowMs);
    expect(job.frontier.prepareRetry("r1", job.nowMs)).toEqual({ kind: "retried", retried: 0, failed: 0 });
    expect(job.frontier.state()).toMatchObject({ status: "completed", closed: true });
  });

  test("holds the limit of pages", () => {
    const job = new Job({ limit: 8 });
    job.work("3456", 2);
    // Six pages of ten could be scraped: the limit has room for two of the four that failed.
    expect(job.numbers()).toMatchObject({ status: "completed", completed: 6, failed: 4 });
    expect(job.frontier.retry("r1", job.nowMs)).toEqual({ kind: "retried", retried: 2, failed: 4 });
    job.work("");
    expect(job.numbers()).toMatchObject({ status: "completed", completed: 8, failed: 2, pending: 0 });
    expect(job.frontier.prepareRetry("r2", job.nowMs)).toEqual({ kind: "retried", retried: 0, failed: 2 });
  });

  test("a result of a lease from before the retry has no effect", () => {
    const job = new Job();
    job.work("3");
    const late = { leaseId: 1, key: "https://a.example/3", attempt: 1, kind: "scraped" as const };
    job.frontier.retry("r1", job.nowMs);
    job.complete([{ ...late, offset: 0, length: 1, scrapeId: "late", credits: 1 }]);
    expect(job.numbers()).toMatchObject({ completed: 9, failed: 0, pending: 1 });
  });

  test.each([
    ["was cancelled", (job: Job) => void job.frontier.cancel(job.nowMs)],
    ["ran out of credits", (job: Job) => job.frontier.stop(job.nowMs)],
  ])("that %s is refused", (_what, end) => {
    const job = new Job();
    const claim = job.frontier.claim(1, job.nowMs);
    const [item] = claim?.items ?? [];
    const failure = { kind: "failed" as const, code: "SCRAPE_SITE_ERROR" as const, error: "down", retryable: false };
    end(job);
    job.complete([{ leaseId: claim?.leaseId ?? 0, key: item?.key ?? "", attempt: 1, ...failure }]);
    expect(job.frontier.prepareRetry("r1", job.nowMs)).toEqual({ kind: "ended" });
    expect(job.frontier.retry("r1", job.nowMs)).toEqual({ kind: "ended" });
  });

  test("of a crawl that has failed as a whole clears its error", () => {
    const job = new Job({ failsWhenEmpty: true });
    job.work("0123456789");
    expect(job.frontier.state()).toMatchObject({ status: "failed", error: "down" });
    job.frontier.retry("r1", job.nowMs);
    job.work("");
    expect(job.frontier.state()).toMatchObject({ status: "completed", counters: { completed: 10, failed: 0 } });
    expect(job.frontier.state()?.error).toBeUndefined();
  });
});

describe("the life of a job", () => {
  const [hourMs, dayMs] = [3_600_000, 86_400_000];

  test("counts its results from its new end when it is retried, and its time from the retry", () => {
    const job = new Job({ expiresAtMs: 1_000 + dayMs });
    job.work("37");
    const shown = () => given(job.frontier.state());
    expect(expiryOf(shown())).toBe(1_000 + dayMs);
    job.nowMs = 1_000 + dayMs - 1;
    expect(job.frontier.retry("r1", job.nowMs)).toMatchObject({ kind: "retried" });
    expect(expiryOf(shown())).toBe(Infinity);
    expect(lifeOf(shown(), job.nowMs)).toEqual({ expiresAtMs: job.nowMs + dayMs, hasRestarted: true });
    job.nowMs += 29 * dayMs;
    job.work("7");
    expect(job.numbers()).toMatchObject({ status: "completed", completed: 9 });
    expect(expiryOf(shown())).toBe(given(shown().endedAtMs) + dayMs);
  });

  test("ends after 30 days as at its limit: pages that are being read are finished, and the others are skipped", () => {
    const job = new Job({ expiresAtMs: 1_000 + dayMs });
    job.nowMs = 1_000 + 30 * dayMs;
    const claim = given(job.frontier.claim(2, job.nowMs - 1));
    expect(job.numbers()).toMatchObject({ status: "scraping", pending: 10 });
    job.frontier.reap(job.nowMs);
    expect(job.numbers()).toMatchObject({ status: "completed", pending: 2 });
    const scraped = { kind: "scraped" as const, offset: 0, length: 1, scrapeId: "1", credits: 1 };
    job.complete(claim.items.map(({ key, attempt }) => ({ ...scraped, leaseId: claim.leaseId, key, attempt })));
    expect(job.numbers()).toEqual({ status: "completed", completed: 2, failed: 0, pending: 0 });
    expect(job.frontier.state()?.counters.skipped).toMatchObject({ limit: 8 });
    const events = takeDueEvents(job.sql, { limit: 99, nowMs: job.nowMs + hourMs, holdMs: 1 });
    expect(events.map(({ event }) => event)).toContain("completed");
  });

  test("fails after 30 days without a page where one is needed", () => {
    const job = new Job({ failsWhenEmpty: true });
    job.frontier.reap(1_000 + 30 * dayMs);
    expect(job.frontier.state()).toMatchObject({
      status: "failed",
      error: expect.stringContaining("30 days") as string,
    });
  });
});
