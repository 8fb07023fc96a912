/** Jobs whose hosts must be left alone, on a simulated clock: the object's alarm, its worker runs and the hosts' throttles. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { batchEntries, RUN_LIFE_MS } from "../../../../src/core/crawl/dispatch.ts";
import { NEW_HOST, report, reserve, type HostState } from "../../../../src/core/crawl/host-throttle.ts";
import { ClaimRounds } from "../../../../src/platform/crawl/claim-rounds.ts";
import { OpenRuns } from "../../../../src/platform/crawl/open-runs.ts";
import { runsWanted, wakeTime } from "../../../../src/platform/crawl/wake-time.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { given } from "../../../fakes/given.ts";
import { nodeSql, type NodeSql } from "../../../fakes/memory/node-sql.ts";

const PAGE_MS = 300;
/** Time until a run has begun. */
const START_MS = 50;

let sql: NodeSql;
beforeEach(() => {
  sql = nodeSql();
  vi.useFakeTimers({ now: 1_000_000, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  sql.close();
});

interface Simulated {
  urls: readonly string[];
  delayMs?: number;
  /** Delays that hosts ask for in their robots.txt. */
  hosts?: Record<string, { delayMs: number }>;
  throttled?: Record<string, HostState>;
}

/** Works on a batch for a time. @returns the pages that were begun, with their times, and the number of runs */
async function work({ urls, delayMs = 0, hosts = {}, throttled = {} }: Simulated, ms: number) {
  const frontier = new Frontier(sql);
  const config = { limit: undefined, maxConcurrency: 16, delayMs, hasSeed: false, failsWhenEmpty: false };
  const startMs = Date.now();
  frontier.start({ ...config, events: [], leaseMs: 12_000, expiresAtMs: 1e15 }, batchEntries(urls, 0), startMs);
  frontier.complete({ results: [], object: "", candidates: [], filtered: [], hosts }, startMs);
  const rounds = new ClaimRounds();
  const open = new OpenRuns();
  const states = new Map(Object.entries(throttled));
  const counts = { runs: 0, claims: 0, putBack: 0 };
  const begun: { url: string; atMs: number }[] = [];
  const tasks: { atMs: number; do: () => Promise<void> }[] = [];
  const getByName = (host: string) => ({
    async reserve(_: string, count: number, options: { delayMs: number }): Promise<number[]> {
      const { startsAtMs, state } = reserve(states.get(host) ?? NEW_HOST, { ...options, count }, Date.now());
      states.set(host, state);
      counts.putBack += startsAtMs.filter((atMs) => atMs > Date.now() + 2_000).length;
      return startsAtMs;
    },
  });
  const claim = async (isQueueOnly: boolean) => frontier.claim(8, Date.now(), { isQueueOnly });
  const exchange = async (messageId: string): Promise<void> => {
    const nowMs = Date.now();
    counts.claims++;
    const claimed = await claim(false);
    const spread = claimed && (await rounds.spread({ frontier, throttles: { getByName } }, claimed, () => claim(true)));
    if (spread === undefined || spread.items.length === 0) {
      open.delete(messageId);
      return;
    }
    open.note(messageId, nowMs + RUN_LIFE_MS);
    const { leaseId, items } = spread;
    begun.push(...items.map(({ url, startAtMs }) => ({ url, atMs: Math.max(nowMs, startAtMs) - startMs })));
    const endMs = Math.max(nowMs, ...items.map(({ startAtMs }) => startAtMs)) + PAGE_MS;
    tasks.push({
      atMs: endMs,
      do: async () => {
        const results = items.map(({ key, attempt, url }, place) => {
          states.set(new URL(url).host, report(states.get(new URL(url).host) ?? NEW_HOST, { statusCode: 200 }, endMs));
          const [offset, length, scrapeId] = [place, 1, `${key}@${leaseId}`];
          return { leaseId, key, attempt, kind: "scraped" as const, offset, length, scrapeId, credits: 1 };
        });
        frontier.complete({ results, object: `${leaseId}.${endMs}`, candidates: [], filtered: [], hosts: {} }, endMs);
        await exchange(messageId);
      },
    });
  };
  const alarm = async (): Promise<void> => {
    const nowMs = Date.now();
    open.dropSilent(nowMs);
    frontier.reap(nowMs);
    const outlook = frontier.outlook(nowMs, 0, rounds.pause);
    const wanted = runsWanted(given(frontier.state()), outlook, { open: open.size, room: Infinity, nowMs });
    for (let run = 0; run < wanted; run++) {
      const messageId = `run ${counts.runs++}`;
      open.note(messageId, nowMs + RUN_LIFE_MS);
      tasks.push({ atMs: nowMs + START_MS, do: () => exchange(messageId) });
    }
  };
  let steps = 0;
  while (Date.now() < startMs + ms && frontier.state()?.status === "scraping") {
    const nowMs = Date.now();
    const { size, firstEndMs } = open;
    const alarmMs = wakeTime(given(frontier.state()), frontier.outlook(nowMs, 0, rounds.pause), { open: size, firstEndMs, room: Infinity, nowMs }); // prettier-ignore
    const next = tasks.toSorted((left, right) => left.atMs - right.atMs)[0];
    const isTask = next !== undefined && next.atMs <= alarmMs;
    vi.setSystemTime(Math.max(nowMs, isTask ? next.atMs : alarmMs));
    if (isTask) tasks.splice(tasks.indexOf(next), 1);
    await (isTask ? next.do() : alarm());
    if (++steps > 20_000) throw new Error("The alarm rings without end");
  }
  return { ...counts, steps, begun, status: frontier.state()?.status, ms: Date.now() - startMs };
}

const pagesOf = (host: string, count: number) => Array.from({ length: count }, (_, page) => `https://${host}/${page}`);

describe("a job whose only host must be left alone", () => {
  test.each([
    { why: "by a delay of the job", more: { delayMs: 5_000 } },
    { why: "by the delay of its robots.txt", more: { hosts: { "slow.example": { delayMs: 5_000 } } } },
  ])("$why, starts about one run a page and loses no time", async ({ more }) => {
    const { begun, runs, putBack, steps } = await work({ urls: pagesOf("slow.example", 200), ...more }, 120_000);
    expect(begun.length).toBeGreaterThanOrEqual(24);
    expect(runs).toBeLessThan(70);
    expect(putBack).toBeLessThan(400);
    expect(steps).toBeLessThan(500);
  });

  test("is read to its end, no faster than its delay and no slower", async () => {
    const { begun, status, ms } = await work({ urls: pagesOf("slow.example", 60), delayMs: 3_000 }, 1e7);
    expect(status).toBe("completed");
    expect(new Set(begun.map(({ url }) => url)).size).toBe(60);
    const starts = begun.map(({ atMs }) => atMs).toSorted((left, right) => left - right);
    expect(Math.min(...starts.slice(1).map((atMs, at) => atMs - (starts[at] ?? 0)))).toBeGreaterThanOrEqual(3_000);
    expect(ms).toBeLessThan(60 * 3_000 * 1.15);
  });

  test("is read when it may be, after a refusal of the host", async () => {
    const throttled = { "slow.example": { ...NEW_HOST, nextAtMs: Date.now() + 30_000 } };
    const { begun, runs, ms, status } = await work({ urls: pagesOf("slow.example", 100), throttled }, 1e7);
    expect(status).toBe("completed");
    expect(begun).toHaveLength(100);
    expect(runs).toBeLessThan(50);
    expect(ms).toBeLessThan(45_000);
  });
});

describe("a job with one slow host among others", () => {
  test("reads the others at once, though they come last", async () => {
    const urls = [...pagesOf("slow.example", 200), ...pagesOf("fast.example", 100)];
    const { begun, runs } = await work({ urls, hosts: { "slow.example": { delayMs: 10_000 } } }, 60_000);
    const fast = begun.filter(({ url }) => url.includes("fast"));
    expect(fast).toHaveLength(100);
    expect(Math.max(...fast.map(({ atMs }) => atMs))).toBeLessThan(10_000);
    expect(begun.length - fast.length).toBeGreaterThanOrEqual(6);
    expect(runs).toBeLessThan(60);
  });

  test("reads all in turn, and the slow one at its pace", async () => {
    const slow = pagesOf("slow.example", 20);
    const urls = slow.flatMap((url, at) => [url, ...pagesOf(`fast${at % 4}.example`, 5)]);
    const { begun, status, ms } = await work({ urls, hosts: { "slow.example": { delayMs: 4_000 } } }, 1e7);
    expect(status).toBe("completed");
    expect(begun).toHaveLength(urls.length);
    expect(ms).toBeLessThan(20 * 4_000 * 1.15);
    const fast = begun.filter(({ url }) => url.includes("fast"));
    expect(Math.max(...fast.map(({ atMs }) => atMs))).toBeLessThan(10_000);
  });
});
