import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  HOLD_MS,
  NO_COUNTERS,
  NO_SLOTS,
  addHold,
  adjustCredits,
  admit,
  chargedCredits,
  chargeJob,
  keyUsage,
  releaseSlot,
  settleHold,
  takeSlot,
  type AdmitRequest,
  type JobCharge,
  type LedgerCounters,
} from "../../../../src/core/account/key-ledger.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const REQUEST: AdmitRequest = { mode: "scrape", limit: 2, credits: 1, monthlyCredits: undefined };

/** Admits requests one after the other; each entry is the request's fields and its time. */
function admitAll(steps: { at: number; fields?: Partial<AdmitRequest> }[], start: LedgerCounters = NO_COUNTERS) {
  let counters = start;
  const admissions = steps.map(({ at, fields }) => {
    const result = admit(counters, { ...REQUEST, ...fields }, at);
    counters = result.counters;
    return result.admission;
  });
  return { admissions, kinds: admissions.map(({ kind }) => kind), counters };
}

describe("the requests of a minute", () => {
  test("are admitted up to the limit, with what remains and when the window ends", () => {
    const { admissions } = admitAll([{ at: NOON }, { at: NOON + 1000 }, { at: NOON + 20_500 }]);
    const resetAtMs = NOON + 60_000;
    expect(admissions).toEqual([
      { kind: "admitted", rate: { limit: 2, remaining: 1, resetAtMs }, remainingCredits: undefined },
      { kind: "admitted", rate: { limit: 2, remaining: 0, resetAtMs }, remainingCredits: undefined },
      { kind: "rate_limited", rate: { limit: 2, remaining: 0, resetAtMs }, consumed: 2, retryAfterSeconds: 40 },
    ]);
  });

  test("start anew 60 seconds after the first of them", () => {
    const { kinds } = admitAll([{ at: NOON }, { at: NOON }, { at: NOON + 59_999 }, { at: NOON + 60_000 }]);
    expect(kinds).toEqual(["admitted", "admitted", "rate_limited", "admitted"]);
  });

  test("are counted for each mode apart", () => {
    const map = { mode: "map" } as const;
    const { kinds } = admitAll([{ at: NOON }, { at: NOON }, { at: NOON, fields: map }, { at: NOON }]);
    expect(kinds).toEqual(["admitted", "admitted", "admitted", "rate_limited"]);
  });

  test("are not given anew by a clock that steps back", () => {
    const { kinds } = admitAll([{ at: NOON }, { at: NOON }, { at: NOON - 3_600_000 }]);
    expect(kinds).toEqual(["admitted", "admitted", "rate_limited"]);
  });

  test("begin anew after a clock that was more than a day ahead, and so do the credits of the month", () => {
    const ahead = NOON + 365 * 86_400_000;
    const fields = { credits: 6, monthlyCredits: 10 };
    const { kinds, counters } = admitAll([{ at: ahead, fields }, { at: ahead }, { at: NOON, fields }, { at: NOON }]);
    expect(kinds).toEqual(["admitted", "admitted", "admitted", "admitted"]);
    expect(keyUsage(counters, NO_SLOTS, NOON)).toMatchObject({ periodStartMs: Date.UTC(2026, 10, 1), creditsUsed: 7 });
  });

  test("leave nothing behind once their window is over", () => {
    const { counters } = admitAll([{ at: NOON }, { at: NOON + 60_000, fields: { mode: "map" } }]);
    expect(Object.keys(counters.windows)).toEqual(["map"]);
  });

  test("wait a whole second at least when refused", () => {
    const { admissions } = admitAll([{ at: NOON }, { at: NOON }, { at: NOON + 59_999 }]);
    expect(admissions[2]).toMatchObject({ retryAfterSeconds: 1 });
  });
});

describe("the credits of a month", () => {
  const BUDGET = { limit: 1000, monthlyCredits: 10 };

  test("are taken to the last one, and not one more", () => {
    const { admissions } = admitAll([
      { at: NOON, fields: { ...BUDGET, credits: 9 } },
      { at: NOON, fields: { ...BUDGET, credits: 2 } },
      { at: NOON, fields: { ...BUDGET, credits: 1 } },
      { at: NOON, fields: { ...BUDGET, credits: 1 } },
    ]);
    expect(admissions.map(({ kind }) => kind)).toEqual(["admitted", "out_of_credits", "admitted", "out_of_credits"]);
    expect(admissions[1]).toMatchObject({ remainingCredits: 1 });
    expect(admissions[3]).toMatchObject({ remainingCredits: 0 });
  });

  test("still let pass what costs nothing when they are out", () => {
    const { kinds } = admitAll([{ at: NOON, fields: { ...BUDGET, monthlyCredits: 0, credits: 0 } }]);
    expect(kinds).toEqual(["admitted"]);
  });

  test("refuse without counting the request", () => {
    const { counters } = admitAll([{ at: NOON, fields: { ...BUDGET, credits: 11 } }]);
    expect(counters).toBe(NO_COUNTERS);
  });

  test("begin anew with the UTC month", () => {
    const { kinds } = admitAll([
      { at: Date.UTC(2026, 10, 30, 23, 59, 59, 999), fields: { ...BUDGET, credits: 10 } },
      { at: Date.UTC(2026, 10, 30, 23, 59, 59, 999), fields: BUDGET },
      { at: Date.UTC(2026, 11, 1), fields: BUDGET },
    ]);
    expect(kinds).toEqual(["admitted", "out_of_credits", "admitted"]);
  });

  test("show in the usage, with the month's bounds", () => {
    const { counters } = admitAll([{ at: NOON, fields: { ...BUDGET, credits: 4 } }]);
    expect(keyUsage(counters, NO_SLOTS, NOON)).toEqual({
      creditsUsed: 4,
      periodStartMs: Date.UTC(2026, 10, 1),
      periodEndMs: Date.UTC(2026, 11, 1),
      runningJobs: 0,
    });
    expect(keyUsage(counters, NO_SLOTS, Date.UTC(2027, 0, 5))).toMatchObject({
      creditsUsed: 0,
      periodStartMs: Date.UTC(2027, 0, 1),
    });
  });

  test.each([
    { why: "more is left", credits: 6, done: true, used: 10 },
    { why: "more is not left", credits: 7, done: false, used: 4 },
    { why: "some are given back", credits: -3, done: true, used: 1 },
    { why: "more are given back than were taken", credits: -9, done: true, used: 0 },
    { why: "nothing changes", credits: 0, done: true, used: 4 },
  ])("are corrected when $why", ({ credits, done, used }) => {
    const { counters } = admitAll([{ at: NOON, fields: { ...BUDGET, credits: 4 } }]);
    const result = adjustCredits(counters, { credits, monthlyCredits: 10 }, NOON);
    expect(result.done).toBe(done);
    expect(keyUsage(result.counters, NO_SLOTS, NOON).creditsUsed).toBe(used);
  });

  test("of work that was lost are free for jobs and corrections", () => {
    const lost = addHold(NO_COUNTERS, { holdId: "lost", credits: 10, monthlyCredits: 10 }, NOON).counters;
    const later = NOON + HOLD_MS;
    const charge = { jobId: "job", settled: 0, reserve: 5, unit: 5, charged: 0, monthlyCredits: 10 };
    expect(chargeJob(lost, charge, later - 1).reserved).toBe(0);
    expect(chargeJob(lost, charge, later).reserved).toBe(5);
    expect(adjustCredits(lost, { credits: 5, monthlyCredits: 10 }, later).done).toBe(true);
  });

  test("of an earlier month are not given back to this one", () => {
    const nextMonth = Date.UTC(2026, 11, 1);
    const { counters } = admitAll([
      { at: NOON, fields: { ...BUDGET, credits: 5 } },
      { at: nextMonth, fields: { ...BUDGET, credits: 5 } },
    ]);
    const late = adjustCredits(counters, { credits: -5, monthlyCredits: 10, chargedAtMs: NOON }, nextMonth);
    expect(keyUsage(late.counters, NO_SLOTS, nextMonth).creditsUsed).toBe(5);
  });
});

describe("the credits of work that runs past the end of a month", () => {
  const BEFORE = Date.UTC(2026, 10, 30, 23, 59);
  const NEXT = Date.UTC(2026, 11, 1);
  const hold = { holdId: "work", monthlyCredits: 100 };
  const { counters: started } = addHold(NO_COUNTERS, { ...hold, credits: 5 }, BEFORE);
  const { counters: extended } = addHold(started, { ...hold, credits: 7 }, NEXT + 1_000);
  const settled = (counters: LedgerCounters, credits: number, atMs = NEXT + 2_000) =>
    settleHold(counters, { holdId: "work", credits }, atMs).counters;

  test.each([
    { owed: 0, used: 0 },
    { owed: 5, used: 0 },
    { owed: 8, used: 3 },
    { owed: 12, used: 7 },
    { owed: 20, used: 15 },
  ])("are charged to the new month beyond those of the earlier one: $used of $owed", ({ owed, used }) => {
    expect(extended.credits).toEqual({ periodStartMs: NEXT, used: 7 });
    expect(settled(extended, owed)).toMatchObject({ credits: { used }, holds: {}, earlierHolds: {} });
  });

  test("are released when the work is lost", () => {
    const more = addHold(extended, { ...hold, credits: 2 }, NEXT + 1_500).counters;
    expect(more.credits.used).toBe(9);
    expect(chargedCredits(more, BEFORE + HOLD_MS)).toBe(0);
    const third = addHold(more, { holdId: "other", credits: 4, monthlyCredits: 100 }, Date.UTC(2027, 0, 1)).counters;
    expect(third.credits.used).toBe(4);
  });

  test("are kept by what an older version has stored", () => {
    const { earlierHolds: _unknown, ...older } = extended;
    expect(settled(older, 8).credits.used).toBe(7);
  });

  test("are held for the month to which a clock that stepped back still charges", () => {
    const { counters } = addHold(
      { ...NO_COUNTERS, credits: { periodStartMs: NEXT, used: 0 } },
      { ...hold, credits: 5 },
      BEFORE,
    );
    expect(settled(counters, 2).credits.used).toBe(2);
  });
});

describe("the credits of a job that runs past the end of a month", () => {
  const NEXT = Date.UTC(2026, 11, 1);
  const TOTALS = { jobId: "job", settled: 0, reserve: 0, unit: 1, charged: 0, monthlyCredits: 100 };
  const used = (counters: LedgerCounters, at: number) => keyUsage(counters, NO_SLOTS, at).creditsUsed;

  /** Sends the totals of the job one after the other, after 60 credits were reserved before the month's end. */
  function chargeAll(steps: { at: number; totals: Partial<JobCharge>; others?: number }[]) {
    let { counters } = chargeJob(NO_COUNTERS, { ...TOTALS, reserve: 60 }, NOON);
    return steps.map(({ at, totals, others = 0 }) => {
      ({ counters } = adjustCredits(counters, { credits: others, monthlyCredits: undefined }, at));
      const result = chargeJob(counters, { ...TOTALS, ...totals }, at);
      ({ counters } = result);
      return [result.reserved, used(counters, at)];
    });
  }

  test("leave the use of other work in the new month as it is", () => {
    const charged = chargeAll([
      { at: NEXT, totals: { settled: 10, reserve: 50 }, others: 20 },
      { at: NEXT + 1, totals: { settled: 10, reserve: 50 } },
      { at: NEXT + 2, totals: { settled: 40, reserve: 0 }, others: 5 },
    ]);
    expect(charged).toEqual([[50, 20], [50, 20], [0, 25]]); // prettier-ignore
  });

  test("count in the new month where they exceed the earlier reservation, and within its budget", () => {
    const charged = chargeAll([
      { at: NEXT, totals: { settled: 40, reserve: 50 }, others: 20 },
      { at: NEXT + 1, totals: { settled: 60, reserve: 100 } },
      { at: NEXT + 2, totals: { settled: 65, reserve: 0 } },
    ]);
    expect(charged).toEqual([[50, 50], [80, 100], [0, 25]]); // prettier-ignore
  });

  test("keep their reservation when the new month's budget is used up", () => {
    expect(chargeAll([{ at: NEXT, totals: { settled: 10, reserve: 70 }, others: 100 }])).toEqual([[50, 100]]);
  });

  test("stay in the month that they were charged in over a second end of a month", () => {
    const later = Date.UTC(2027, 0, 1);
    const charged = chargeAll([
      { at: NEXT, totals: { settled: 60, reserve: 20 } },
      { at: later, totals: { settled: 60, reserve: 20 }, others: 7 },
      { at: later, totals: { settled: 90, reserve: 0 } },
    ]);
    expect(charged).toEqual([[20, 20], [20, 7], [0, 17]]); // prettier-ignore
  });

  test("are released in full within the month, also by a clock that stepped back over its start", () => {
    const start = adjustCredits(NO_COUNTERS, { credits: 1, monthlyCredits: undefined }, NEXT).counters;
    const held = chargeJob(start, { ...TOTALS, reserve: 30 }, NEXT - 1000);
    expect(used(held.counters, NEXT)).toBe(31);
    const over = chargeJob(held.counters, TOTALS, NEXT);
    expect(used(over.counters, NEXT)).toBe(1);
  });

  test("of earlier months are charged no second time to a job that runs again", () => {
    const again = chargeJob(NO_COUNTERS, { ...TOTALS, settled: 60, reserve: 5, charged: 60 }, NEXT);
    expect([again.reserved, used(again.counters, NEXT)]).toEqual([5, 5]);
    const over = chargeJob(again.counters, { ...TOTALS, settled: 62, charged: 60 }, NEXT);
    expect(used(over.counters, NEXT)).toBe(2);
  });
});

describe("job slots", () => {
  const take = (slots: Record<string, number>, jobId: string, at = NOON) =>
    takeSlot(slots, { jobId, limit: 2, leaseMs: 1000 }, at);

  test("are taken up to the limit and free again after their release", () => {
    const two = take(take(NO_SLOTS, "a").slots, "b").slots;
    expect(take(two, "c").taken).toBe(false);
    expect(take(releaseSlot(two, "a", NOON), "c").taken).toBe(true);
  });

  test("are one for one job, and its lease runs from the last time it was taken", () => {
    const first = take(NO_SLOTS, "a").slots;
    const renewed = take(first, "a", NOON + 900).slots;
    expect(Object.keys(renewed)).toEqual(["a"]);
    expect(keyUsage(NO_COUNTERS, renewed, NOON + 1800).runningJobs).toBe(1);
    expect(keyUsage(NO_COUNTERS, renewed, NOON + 1900).runningJobs).toBe(0);
  });

  test("come back by themselves when the lease is over, and leave nothing behind", () => {
    const two = take(take(NO_SLOTS, "a").slots, "b").slots;
    const later = take(two, "c", NOON + 1000);
    expect(later).toEqual({ taken: true, slots: { c: NOON + 2000 } });
  });

  test("are left as they are when a job without one releases it", () => {
    const one = take(NO_SLOTS, "a").slots;
    expect(releaseSlot(one, "b", NOON)).toBe(one);
  });
});

describe("whatever the order of requests, corrections and time", () => {
  const waitMs = fc.nat(30_000);
  const mode = fc.constantFrom("scrape" as const, "map" as const);
  const request = fc.record({ mode, credits: fc.nat(5), waitMs });
  const correction = fc.record({ mode: fc.constant(undefined), credits: fc.integer({ min: -5, max: 5 }), waitMs });
  const steps = fc.array(fc.oneof(request, correction), { maxLength: 120 });
  const limit = fc.nat(4);
  const monthlyCredits = fc.nat(40);

  test("no minute exceeds its limit", () => {
    fc.assert(
      fc.property(steps, limit, monthlyCredits, (steps, limit, monthlyCredits) => {
        const played = play(steps, { limit, monthlyCredits });
        for (const mode of ["scrape", "map"]) {
          const times = played.filter((step) => step.mode === mode && step.kind === "admitted").map(({ atMs }) => atMs);
          expect(mostInOneWindow(times)).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  test("no month exceeds its budget, and what is counted is what was granted", () => {
    fc.assert(
      fc.property(steps, limit, monthlyCredits, (steps, limit, monthlyCredits) => {
        let expected = 0;
        for (const { kind, credits, used } of play(steps, { limit, monthlyCredits })) {
          if (kind === "admitted" || kind === "adjusted") expected = Math.max(0, expected + credits);
          expect(used).toBe(expected);
          expect(used).toBeLessThanOrEqual(monthlyCredits);
        }
      }),
    );
  });

  test("every refusal has its reason", () => {
    fc.assert(
      fc.property(steps, limit, monthlyCredits, (steps, limit, monthlyCredits) => {
        for (const { kind, credits, used, consumed } of play(steps, { limit, monthlyCredits })) {
          if (kind === "rate_limited") expect(consumed).toBeGreaterThanOrEqual(limit);
          if (kind === "out_of_credits" || kind === "not_adjusted")
            expect(used + credits).toBeGreaterThan(monthlyCredits);
        }
      }),
    );
  });

  test("never more jobs hold a slot than the limit allows", () => {
    const move = fc.record({
      take: fc.boolean(),
      jobId: fc.constantFrom("a", "b", "c", "d", "e"),
      waitMs: fc.nat(800),
    });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 80 }), fc.integer({ min: 1, max: 4 }), (moves, limit) => {
        let slots = NO_SLOTS;
        let nowMs = NOON;
        for (const { take, jobId, waitMs } of moves) {
          nowMs += waitMs;
          slots = take
            ? takeSlot(slots, { jobId, limit, leaseMs: 1000 }, nowMs).slots
            : releaseSlot(slots, jobId, nowMs);
          expect(keyUsage(NO_COUNTERS, slots, nowMs).runningJobs).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });
});

interface Step {
  /** Absent for a correction of credits. */
  mode: "scrape" | "map" | undefined;
  credits: number;
  /** Time that passes before it. */
  waitMs: number;
}

/** Plays steps one after the other. `used` is what the gate counts after each of them. */
function play(steps: Step[], { limit, monthlyCredits }: { limit: number; monthlyCredits: number }) {
  let counters = NO_COUNTERS;
  let atMs = NOON;
  return steps.map(({ mode, credits, waitMs }) => {
    atMs += waitMs;
    const outcome = playOne(counters, { mode, credits, limit, monthlyCredits }, atMs);
    counters = outcome.counters;
    return { ...outcome, mode, credits, atMs, used: keyUsage(counters, NO_SLOTS, atMs).creditsUsed };
  });
}

function playOne(
  counters: LedgerCounters,
  { mode, ...request }: Omit<AdmitRequest, "mode"> & Pick<Step, "mode">,
  atMs: number,
): { kind: string; counters: LedgerCounters; consumed: number | undefined } {
  if (mode === undefined) {
    const result = adjustCredits(counters, request, atMs);
    return { kind: result.done ? "adjusted" : "not_adjusted", counters: result.counters, consumed: undefined };
  }
  const { admission, counters: after } = admit(counters, { mode, ...request }, atMs);
  const consumed = admission.kind === "rate_limited" ? admission.consumed : undefined;
  return { kind: admission.kind, counters: after, consumed };
}

/** The most requests of one fixed window, the windows being laid as the gate lays them: from the first request on. */
function mostInOneWindow(times: number[]): number {
  let most = 0;
  let count = 0;
  let startMs = Number.NEGATIVE_INFINITY;
  for (const time of times) {
    if (time >= startMs + 60_000) {
      startMs = time;
      count = 0;
    }
    count++;
    most = Math.max(most, count);
  }
  return most;
}
