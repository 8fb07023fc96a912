import { expect, test } from "vitest";
import { toReceipt } from "../../../../src/core/account/receipt.ts";
import { combineUsage, NO_USAGE } from "../../../../src/core/account/usage.ts";
import { readBreakdown } from "../../../../src/services/account/read-breakdown.ts";
import { readHistory, readUsage } from "../../../../src/services/account/read-usage.ts";
import type { Caller } from "../../../../src/services/deps.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const ROWS = 1_000;

/** A team with three keys of 1,000 rows each: one credit for each of ten endpoints a day. */
function team() {
  const own = ["a", "b", "c"].map((id) => ({ id, teamId: "team", name: `key ${id}`, prefix: "fc" }));
  const totals = combineUsage(NO_USAGE, { ...NO_USAGE, requests: 1, receipt: toReceipt({ credits: 1 }) });
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    day: new Date(Date.UTC(2026, 7, 1) + Math.floor(index / 10) * 86_400_000).toISOString().slice(0, 10),
    endpoint: `endpoint ${index % 10}`,
    totals,
  }));
  const deps = testDeps({
    clock: fixedClock(Date.UTC(2026, 10, 21)),
    keys: { listByTeam: async () => own } as never,
    keyLedger: { usageDays: async () => rows } as never,
  });
  return { deps, caller: { key: own[0] } as unknown as Caller };
}

/** Counts how often other requests run before the work has ended. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const other = setInterval(() => turns++, 0);
  await work;
  clearInterval(other);
  return turns;
}

test("the usage of a team is added up key by key, and other requests run meanwhile", async () => {
  const { deps, caller } = team();
  const query = { fromDay: "2026-01-01", toDay: "2026-12-31", groupBy: ["key"] as const };
  const { lines, totals } = await readUsage(deps, caller, query);
  expect(lines.map(({ key, totals: { requests } }) => [key?.id, requests])).toEqual([
    ["a", ROWS],
    ["b", ROWS],
    ["c", ROWS],
  ]);
  expect(totals).toMatchObject({ requests: 3 * ROWS, receipt: { credits: 3 * ROWS } });
  expect(await turnsOf(readUsage(deps, caller, query))).toBeGreaterThanOrEqual(10);
});

test.each([
  { byKey: false, periods: [{ credits: 930 }, { credits: 900 }, { credits: 930 }, { credits: 240 }] },
  { byKey: true, periods: ["a", "b", "c"].map((id) => ({ keyName: `key ${id}`, credits: 310 })) },
])("the history of a team adds up the credits of months, by key: $byKey", async ({ byKey, periods }) => {
  const { deps, caller } = team();
  const history = await readHistory(deps, caller, { byKey });
  expect(history.slice(0, periods.length)).toMatchObject(periods);
  expect(history).toHaveLength(byKey ? 12 : 4);
  expect(history[0]).toMatchObject({ startMs: Date.UTC(2026, 7, 1), endMs: Date.UTC(2026, 8, 1), tokens: 0 });
  expect(history.at(-1)?.endMs).toBeUndefined();
});

test.each([
  { count: 1_000, hasWarning: false },
  { count: 1_001, hasWarning: true },
])("the usage of $count keys has a warning when keys are left out: $hasWarning", async ({ count, hasWarning }) => {
  const own = Array.from({ length: count }, (_, id) => ({ id: `${id}`, teamId: "team" }));
  const ranges: unknown[] = [];
  const deps = testDeps({
    clock: fixedClock(Date.UTC(2026, 10, 21)),
    keys: { listByTeam: async (_team: string, range: object) => (ranges.push(range), own) } as never,
    keyLedger: { usageDays: async () => [], usageParts: async () => ({}) } as never,
  });
  const caller = { key: own[0] } as unknown as Caller;
  const days = { fromDay: "2026-01-01", toDay: "2026-12-31" };
  const usage = await readUsage(deps, caller, { ...days, groupBy: [] });
  const breakdown = await readBreakdown(deps, caller, { ...days, by: "host" });
  for (const { warning } of [usage, breakdown])
    expect(warning).toEqual(hasWarning ? expect.stringContaining("more than 1000 keys") : undefined);
  expect(ranges[0]).toEqual({ limit: 1_001, endedAfterMs: Date.UTC(2026, 10, 21) - 401 * 86_400_000 });
});
