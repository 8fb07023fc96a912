import { afterEach, expect, test, vi } from "vitest";
import { newFrontier } from "../../../../src/core/crawl/frontier.ts";
import { countRun, roomForRuns } from "../../../../src/platform/crawl/local-runs.ts";
import { wakeTime } from "../../../../src/platform/crawl/wake-time.ts";

const LOCAL = { EGRESS: {} };

afterEach(() => void vi.useRealTimers());

test("a process has room for 32 runs, and the platform for any number", async () => {
  const ends = Array.from({ length: 40 }, () => Promise.withResolvers<void>());
  const runs = ends.map(({ promise }) => countRun(promise));
  expect(roomForRuns(LOCAL)).toBe(0);
  expect(roomForRuns({})).toBe(Infinity);
  for (const { resolve } of ends.slice(0, 20)) resolve();
  ends[20]?.reject(new Error("The run was cut off"));
  await Promise.allSettled(runs.slice(0, 21));
  expect(roomForRuns(LOCAL)).toBe(13);
  for (const { resolve } of ends.slice(21)) resolve();
  await Promise.allSettled(runs);
  expect(roomForRuns(LOCAL)).toBe(32);
});

test("runs that never end, since their object was reset, are counted for twenty minutes", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
  for (let lost = 0; lost < 30; lost++) void countRun(new Promise(() => undefined));
  vi.setSystemTime(Date.now() + 20 * 60_000);
  const last = Promise.withResolvers<void>();
  const run = countRun(last.promise);
  expect(roomForRuns(LOCAL)).toBe(1);
  vi.setSystemTime(Date.now() + 1);
  expect(roomForRuns(LOCAL)).toBe(31);
  last.resolve();
  await run;
  expect(roomForRuns(LOCAL)).toBe(32);
});

test("a job whose run has no room for another one beside it waits for that run, and one without a run does not", () => {
  const config = {
    limit: undefined,
    maxConcurrency: 50,
    delayMs: 0,
    hasSeed: false,
    failsWhenEmpty: false,
    events: [],
    leaseMs: 12_000,
    expiresAtMs: 1_000_000,
  };
  const state = newFrontier(config, 0);
  const outlook = { claimable: 100, workMs: 9_000, eventMs: undefined };
  const first = { firstEndMs: 17_000, nowMs: 5_000 };
  expect(wakeTime(state, outlook, { ...first, open: 1, room: 0 })).toBe(9_000);
  expect(wakeTime(state, outlook, { ...first, open: 1, room: 1 })).toBe(5_000);
  expect(wakeTime(state, outlook, { ...first, firstEndMs: undefined, open: 0, room: 0 })).toBe(5_000);
  // A run that was started and has claimed nothing has no lease which ends.
  expect(wakeTime(state, { ...outlook, workMs: undefined }, { ...first, open: 1, room: 0 })).toBe(17_000);
  expect(wakeTime(state, { ...outlook, claimable: 0, workMs: undefined }, { ...first, open: 1, room: 0 })).toBe(
    30 * 86_400_000,
  );
});
