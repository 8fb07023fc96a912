import { expect, test } from "vitest";
import { Meter, NO_COUNTS } from "../../../../src/core/account/meter.ts";
import { batchEntries } from "../../../../src/core/crawl/dispatch.ts";
import type { Forgetting } from "../../../../src/core/crawl/frontier.ts";
import { holdEarlier } from "../../../../src/services/crawl/hold-earlier.ts";
import { runJobBatch } from "../../../../src/services/crawl/run-job-batch.ts";
import { V2_DEFAULTS } from "../../../../src/services/scrape/scrape-plan.ts";
import { progressOf } from "../../../../src/storage/crawl/frontier-read.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { nextEventMs, noteSent, takeDueEvents } from "../../../../src/storage/webhooks/outbox.ts";
import { given } from "../../../fakes/given.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryApiKeys } from "../../../fakes/memory/memory-api-keys.ts";
import { nodeSql } from "../../../fakes/memory/node-sql.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const TIMEOUT_MS = 10_000;
const QUERIES_OF_GROUP = 4;
const key = { id: "key", teamId: "team", name: "key", prefix: "fc-1", scopes: { admin: false }, limits: {}, monthlyCredits: undefined, maxConcurrency: undefined, createdAtMs: 0, expiresAtMs: undefined, revokedAtMs: undefined }; // prettier-ignore

/** An ended batch with an event for each of its pages, whose receiver does not answer until `hangsMs` have passed, and takes `takesMs` for each answer then. */
async function endedBatch({
  pages,
  hangsMs,
  takesMs = 0,
  meter = new Meter(),
  whenRecorded = () => undefined,
  insert = async () => undefined,
}: {
  pages: number;
  hangsMs: number;
  takesMs?: number;
  meter?: Meter;
  /** Called before a status is recorded. */
  whenRecorded?: (status: string, frontier: Frontier) => void;
  /** Inserts the job's record. */
  insert?: () => Promise<void>;
}) {
  const clock = fixedClock(1_000_000);
  const [sql, startMs] = [nodeSql(), clock.now()];
  const frontier = new Frontier(sql);
  const events = ["page.failed", "completed"] as const;
  const config = { limit: undefined, maxConcurrency: pages, delayMs: 0, hasSeed: false, failsWhenEmpty: false };
  const urls = Array.from({ length: pages }, (_, page) => `https://a.example/${page}`);
  frontier.start({ ...config, events, leaseMs: 12_000, expiresAtMs: 1e15 }, batchEntries(urls, 0), startMs);
  const claim = given(frontier.claim(pages, startMs));
  const failure = { kind: "failed", code: "SCRAPE_SSL_ERROR", error: "It has expired", retryable: false } as const;
  const results = claim.items.map(({ key: item, attempt }) => ({
    leaseId: claim.leaseId,
    key: item,
    attempt,
    ...failure,
  }));
  frontier.complete({ results, object: "", candidates: [], filtered: [], hosts: {} }, startMs);

  const calls: { name: string; afterMs: number }[] = [];
  const note = (name: string): void => void calls.push({ name, afterMs: clock.now() - startMs });
  const specification = { id: "job", key, kind: "batch_scrape", createdAtMs: 0, scrapeOptions: {}, ownHosts: [], apiVersion: "v2", scrapeDefaults: V2_DEFAULTS, publicOrigin: "https://service.example", zeroDataRetention: true, webhook: { url: "https://hooks.example/", headers: {}, metadata: {}, events }, input: {}, record: { target: "https://a.example/", optionsJson: "{}", expiresAtMs: 1e15 } }; // prettier-ignore
  const progress = async () => ({ ...progressOf(given(frontier.state())), costs: NO_COUNTS });
  const keys = memoryApiKeys();
  await keys.insert(key, "hash");
  const received: string[] = [];
  const statuses: string[] = [];
  const deps = testDeps({
    clock,
    meter,
    keys,
    settings: { webhookSecret: "secret" },
    sleep: () => new Promise(() => undefined),
    defer: () => undefined,
    jobs: {
      async setStatus(_id: string, status: string) {
        whenRecorded(status, frontier);
        note("status");
        statuses.push(status);
      },
      insert,
    } as never,
    tasks: { send: async () => undefined } as never,
    keyLedger: { recordJob: async () => note("record") } as never,
    failedWebhooks: { insert: async () => undefined, remove: async () => undefined } as never,
    webhookDeliveries: { insert: async () => void (meter.queries += QUERIES_OF_GROUP) } as never,
    frontiers: {
      open: async () => ({ specification: JSON.stringify(specification), status: given(frontier.state()).status }),
      work: async (_id: string, { isLeaving }: { isLeaving?: boolean }) =>
        isLeaving === true ? note("leave") : undefined,
      progress,
      settle: async () => (frontier.settle(NO_COUNTS, clock.now()) ? await progress() : undefined),
      close: async (_id: string, forgetting?: Forgetting) => (note("close"), frontier.close(clock.now(), forgetting)),
      takeEvents: async (_id: string, limit: number) =>
        takeDueEvents(sql, { limit, nowMs: clock.now(), holdMs: 60_000 }),
      noteSent: async (_id: string, sent: never) => noteSent(sql, sent, clock.now()),
    } as never,
    http: {
      async request({ body }: { body: Uint8Array }) {
        const { type } = JSON.parse(new TextDecoder().decode(body)) as { type: string };
        if (clock.now() - startMs < hangsMs) {
          // Of twenty requests that hang at once each takes its part of their common time.
          clock.advance(TIMEOUT_MS / 20);
          return { kind: "failed", code: "SCRAPE_TIMEOUT", message: "No answer" };
        }
        clock.advance(takesMs);
        received.push(type);
        return { kind: "response", response: { statusCode: 200, headers: {}, body: new Uint8Array() } };
      },
    } as never,
  });
  const run = async () => await runJobBatch(deps, { jobId: "job", messageId: "run" });
  return { run, calls, received, statuses, clock, frontier, nextEventMs: () => nextEventMs(sql) };
}

const timeOf = (calls: readonly { name: string; afterMs: number }[], name: string): number =>
  calls.find((call) => call.name === name)?.afterMs ?? Infinity;

test("a receiver that hangs delays neither the end of a job nor its run, and gets every event", async () => {
  const { run, calls, received, clock, nextEventMs: next } = await endedBatch({ pages: 500, hangsMs: 150_000 });
  await run();
  expect(timeOf(calls, "close")).toBeLessThanOrEqual(20_000);
  expect(timeOf(calls, "status")).toBeLessThanOrEqual(20_000);
  expect(timeOf(calls, "leave")).toBeLessThanOrEqual(100_000);
  for (let runs = 0; runs < 40 && next() !== undefined; runs++) {
    clock.advance(Math.max(0, (next() ?? 0) - clock.now()));
    await run();
  }
  expect(received).toHaveLength(501);
  expect(received.filter((type) => type === "batch_scrape.completed")).toHaveLength(1);
});

test("the events of a receiver that answers are sent before the end of the job is recorded", async () => {
  const { run, calls, received } = await endedBatch({ pages: 100, hangsMs: 0 });
  await run();
  expect(received).toHaveLength(101);
  expect(received.at(-1)).toBe("batch_scrape.completed");
  expect(calls.map(({ name }) => name)).toEqual(["status", "record", "close", "leave"]);
});

test("events beyond the queries of an invocation are sent by the next runs, and the end of the job is recorded before", async () => {
  const meter = new Meter();
  const { run, calls, received, nextEventMs: next } = await endedBatch({ pages: 5_000, hangsMs: 0, meter });
  await run();
  expect(meter.queries).toBe(700);
  expect(received).toHaveLength(20 * (700 / QUERIES_OF_GROUP));
  expect(calls.map(({ name }) => name)).toEqual(["status", "record", "close", "leave"]);
  for (let runs = 0; runs < 3 && next() !== undefined; runs++) {
    meter.queries = 0;
    await run();
  }
  expect(received).toHaveLength(5_001);
  expect(received.at(-1)).toBe("batch_scrape.completed");
});

test("the last event for a slow receiver is sent after the end of the job is recorded, in the same run", async () => {
  const { run, calls, received } = await endedBatch({ pages: 1, hangsMs: 0, takesMs: 6_000 });
  await run();
  expect(timeOf(calls, "status")).toBe(6_000);
  expect(received).toEqual(["batch_scrape.page.failed", "batch_scrape.completed"]);
  expect(timeOf(calls, "leave")).toBe(12_000);
});

test("a job that URLs are appended to before its end is recorded is recorded as running", async () => {
  const { run, statuses, frontier } = await endedBatch({
    pages: 1,
    hangsMs: 0,
    whenRecorded(status, ended) {
      const more = { seeds: batchEntries(["https://a.example/more"], 1), appendId: "more" };
      if (status === "completed") ended.append(more, 1_000_000);
    },
  });
  await run();
  expect([frontier.state()?.status, statuses]).toEqual(["scraping", ["completed", "scraping"]]);
});

test("a job whose record cannot be inserted ends and is closed, after another try", async () => {
  let tries = 0;
  const insert = async () => {
    tries++;
    throw new Error("The database is full");
  };
  const { run, calls } = await endedBatch({ pages: 1, hangsMs: 0, insert });
  await run();
  expect(calls.map(({ name }) => name)).toEqual(["status", "record", "close", "leave"]);
  expect(tries).toBe(2);
});

test("the earlier crawl is held for as long as a crawl that takes long will be kept, in steps", async () => {
  const [hourMs, clock] = [3_600_000, fixedClock(0)];
  const held: number[] = [];
  const frontiers = { hold: async (_id: string, untilMs: number) => void held.push(untilMs / hourMs) };
  const deps = testDeps({ clock, frontiers: frontiers as never, settings: { resultRetentionMs: 24 * hourMs } });
  const since = { id: "earlier", output: "all" as const };
  for (let hour = 0; hour < 40; hour += 5) {
    await holdEarlier(deps, { id: "job", since, createdAtMs: 0 });
    clock.advance(5 * hourMs);
  }
  await holdEarlier(deps, { id: "job", createdAtMs: 0 });
  expect(held).toEqual([42, 48, 54, 60, 66, 66]);
});
