import { describe, expect, test } from "vitest";
import { HOLD_MS, type AdmitRequest } from "../../../../src/core/account/key-ledger.ts";
import { LEASE_MS } from "../../../../src/core/account/key-lease.ts";
import { toReceipt } from "../../../../src/core/account/receipt.ts";
import type { WorkRecord } from "../../../../src/core/account/usage.ts";
import { leasedLedgers, type Isolate } from "../../../fakes/services/leased-ledgers.ts";
import { sampleCount } from "../../../sample.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const KEY = "key";
const REQUEST = { mode: "scrape", limit: 30_000, credits: 1, monthlyCredits: undefined } as const;
/** Longer than the calls that follow the last use of a lease. */
const SETTLED_MS = 3 * LEASE_MS;
/** Random orders of requests and failures. */
const SEEDS = sampleCount(3, 2, 8);

function workOf(requestId: string, credits = 1): WorkRecord {
  return {
    requestId, id: requestId, endpoint: "scrape", apiVersion: "v2", target: null, ms: 1, hasFailed: false, pages: 1,
    receipt: toReceipt({ credits }),
  }; // prettier-ignore
}

function setUp(startMs = NOON) {
  const service = leasedLedgers(startMs);
  let next = 0;
  const admit = async ({ ledger }: Isolate, fields: Partial<AdmitRequest> = {}) => {
    const holdId = `r${next++}`;
    return { holdId, admission: await ledger.admit(KEY, { ...REQUEST, holdId, ...fields }) };
  };
  /** Admits a request and records its work. @returns true when it was admitted */
  const work = async (isolate: Isolate, fields: Partial<AdmitRequest> = {}, credits = fields.credits ?? 1) => {
    const { holdId, admission } = await admit(isolate, fields);
    if (admission.kind !== "admitted") return false;
    void isolate.ledger.record(KEY, workOf(holdId, credits)).catch(() => undefined);
    return true;
  };
  /** Credits of all works that are in the ledger. */
  const recorded = () => {
    const rows = service.record(KEY).ledger.usage("2026-01-01", "2027-12-31");
    return rows.reduce((sum, { totals }) => sum + totals.receipt.credits, 0);
  };
  const used = () => service.record(KEY).usage(service.now()).creditsUsed;
  /** Makes the key hot: an isolate that has a lease afterwards. */
  const hot = async (fields: Partial<AdmitRequest> = {}) => {
    const isolate = service.isolate();
    for (let request = 0; request < 9; request++) await work(isolate, fields);
    service.takeCalls();
    return isolate;
  };
  return { ...service, admit, work, recorded, used, hot };
}

describe("leases of a hot key", () => {
  test("admit a steady caller without a call, and record its works together", async () => {
    const { hot, work, advance, takeCalls, rowsWritten, recorded, used } = setUp();
    const isolate = await hot();
    const rows = rowsWritten(KEY);
    for (let request = 0; request < 600; request++) {
      expect(await work(isolate)).toBe(true);
      await advance(100);
    }
    const calls = takeCalls();
    expect(calls).not.toContain("record");
    expect(calls.filter((name) => name === "admit")).toEqual([]);
    // Some two renewals in five seconds, with two rows each, and the pages of fifty works.
    expect(calls.length).toBeLessThan(45);
    expect(rowsWritten(KEY) - rows).toBeLessThan(150);
    await advance(SETTLED_MS);
    expect([recorded(), used()]).toEqual([609, 609]);
  });

  test("never spend more than the month's credits, whatever a thousand requests of five isolates do at once", async () => {
    const budget = { monthlyCredits: 700 };
    const { isolate, work, advance, recorded, used, record, now } = setUp();
    const isolates = Array.from({ length: 5 }, isolate);
    let admitted = 0;
    for (let wave = 0; wave < 20; wave++) {
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, index) => work(isolates[index % 5] ?? isolate(), budget)),
      );
      admitted += outcomes.filter(Boolean).length;
      expect(admitted).toBeLessThanOrEqual(700);
      await advance(7 * wave);
    }
    // What isolates have leased and not used is returned, and is there for others.
    await advance(SETTLED_MS);
    while (await work(isolates[0] ?? isolate(), budget)) admitted++;
    await advance(SETTLED_MS);
    expect([admitted, recorded(), used(), record(KEY).held(now())]).toEqual([700, 700, 700, 0]);
  });

  test("never admit more than the limit in a window", async () => {
    const { isolate, admit, advance, now } = setUp();
    const isolates = Array.from({ length: 4 }, isolate);
    const admittedAt = new Map<number, number>();
    for (let wave = 0; wave < 400; wave++) {
      const admissions = await Promise.all(
        isolates.map((each) => admit(each, { limit: 300, mode: "crawlStatus", credits: 0 })),
      );
      for (const { admission } of admissions) {
        if (admission.kind !== "admitted") continue;
        const { limit, remaining, resetAtMs } = admission.rate;
        expect(remaining).toBeGreaterThanOrEqual(0);
        expect(remaining).toBeLessThan(limit);
        // A lease does not outlive its window.
        expect(now()).toBeLessThan(resetAtMs);
        admittedAt.set(resetAtMs, (admittedAt.get(resetAtMs) ?? 0) + 1);
      }
      await advance(400);
    }
    expect(Math.max(...admittedAt.values())).toBeLessThanOrEqual(300);
    // 600 requests a minute are sent: the whole of the limit is used.
    expect(Math.min(...[...admittedAt.values()].slice(0, -1))).toBeGreaterThanOrEqual(299);
  });

  test("are not given when little is left: the last credits and requests are refused exactly", async () => {
    const { isolate, work, takeCalls, recorded, advance } = setUp();
    const isolates = [isolate(), isolate(), isolate()];
    let admitted = 0;
    for (let request = 0; request < 60; request++) {
      if (await work(isolates[request % 3] ?? isolate(), { monthlyCredits: 30 })) admitted++;
    }
    expect(admitted).toBe(30);
    expect(takeCalls()).not.toContain("lease");
    await advance(SETTLED_MS);
    expect(recorded()).toBe(30);
  });

  test("leave a caller of one isolate each of its credits and requests", async () => {
    const { isolate, work, admit } = setUp();
    const one = isolate();
    let admitted = 0;
    while (await work(one, { monthlyCredits: 500 })) admitted++;
    expect(admitted).toBe(500);
    const remaining = [];
    for (;;) {
      const { admission } = await admit(one, { mode: "map", limit: 200, credits: 0 });
      if (admission.kind !== "admitted") break;
      remaining.push(admission.rate.remaining);
    }
    expect(remaining).toHaveLength(200);
    // A renewal on its way has taken requests that are not there yet, so that the number may rise again.
    expect(Math.min(...remaining)).toBe(0);
    expect(Math.max(...remaining)).toBe(199);
  });

  test("pay for dearer work from their credits, and charge what it costs more as today", async () => {
    const { hot, admit, work, advance, recorded, used, takeCalls } = setUp();
    const isolate = await hot({ credits: 2 });
    await work(isolate, { credits: 5 });
    const { holdId } = await admit(isolate, { credits: 2 });
    expect(takeCalls()).toEqual([]);
    expect(await isolate.ledger.addHold(KEY, { holdId, credits: 3, monthlyCredits: undefined })).toBe(true);
    void isolate.ledger.record(KEY, workOf(holdId, 5));
    await work(isolate, { credits: 2 }, 0);
    await advance(SETTLED_MS);
    expect([recorded(), used()]).toEqual([18 + 5 + 5, 18 + 5 + 5]);
  });

  test("that an ended isolate had come back when the hold has expired", async () => {
    const { hot, admit, isolate, advance, record, now, work, used } = setUp();
    const lost = await hot({ monthlyCredits: 1000 });
    await admit(lost, { monthlyCredits: 1000 });
    lost.kill();
    await advance(HOLD_MS - LEASE_MS);
    expect(record(KEY).held(now())).toBeGreaterThan(0);
    await advance(LEASE_MS);
    await work(isolate(), { monthlyCredits: 1000 });
    await advance(SETTLED_MS);
    // The works that the isolate had collected are lost with it, and are not charged.
    expect(record(KEY).held(now())).toBe(0);
    expect(used()).toBeLessThanOrEqual(10);
  });

  test("end with the limits of the key that they were granted for", async () => {
    const { hot, admit, takeCalls } = setUp();
    const isolate = await hot();
    await admit(isolate);
    expect(takeCalls()).toEqual([]);
    await admit(isolate, { limit: 20_000 });
    expect(takeCalls()).toEqual(["admit"]);
    await admit(isolate, { limit: 20_000, monthlyCredits: 10_000 });
    expect(takeCalls()).toEqual(["admit"]);
  });

  test("end with the month, whose budget they count in", async () => {
    const start = Date.UTC(2026, 10, 30, 23, 59, 57);
    const { hot, work, advance, used, record, recorded, takeCalls } = setUp(start);
    const isolate = await hot({ monthlyCredits: 1000 });
    expect(await work(isolate, { monthlyCredits: 1000 })).toBe(true);
    expect(takeCalls()).toEqual([]);
    expect((await isolate.ledger.usage(KEY)).creditsUsed).toBe(10);
    await advance(3_000);
    takeCalls();
    expect(await work(isolate, { monthlyCredits: 1000 })).toBe(true);
    expect(takeCalls()).toContain("admit");
    await advance(SETTLED_MS);
    expect([recorded(), used(), record(KEY).held(start + SETTLED_MS + 3_000)]).toEqual([11, 1, 0]);
  });

  test("are granted once when a call is repeated, and return what was not used once", async () => {
    const { isolate, work, failNext, advance, used, recorded, record, now } = setUp();
    const one = isolate();
    for (let request = 0; request < 200; request++) {
      failNext(request % 3 === 0 ? "after" : undefined, request % 7 === 0 ? "after" : undefined);
      await work(one, { monthlyCredits: 100_000 }).catch(() => false);
      await advance(50);
    }
    failNext();
    await advance(SETTLED_MS);
    // A lease whose grant was lost twice on its way to the isolate is held until it counts as lost.
    expect(record(KEY).used(now())).toBe(recorded() + record(KEY).held(now()));
    await advance(HOLD_MS);
    await work(one);
    await advance(SETTLED_MS);
    expect([used(), record(KEY).held(now())]).toEqual([recorded(), 0]);
  });

  test("report works again that a failed call has carried", async () => {
    const { hot, work, failNext, advance, recorded, used } = setUp();
    const isolate = await hot();
    for (let request = 0; request < 4; request++) await work(isolate);
    failNext("before", "before", "after", undefined);
    await advance(SETTLED_MS);
    expect([recorded(), used()]).toEqual([13, 13]);
  });

  test("report the work of a request without a lease again that could not be recorded", async () => {
    const { isolate, work, failNext, advance, recorded, used } = setUp();
    failNext(undefined, "before", "before");
    expect(await work(isolate())).toBe(true);
    await advance(0);
    expect(recorded()).toBe(0);
    await advance(2_000);
    expect([recorded(), used()]).toEqual([1, 1]);
  });

  test("show their works to a read that follows in the same isolate, and no credit that nobody has used", async () => {
    const { hot, work, isolate, advance } = setUp();
    const one = await hot();
    for (let request = 0; request < 3; request++) await work(one);
    const entries = await one.ledger.activity(KEY, { sinceMs: 0, limit: 50 });
    expect(entries.map(({ id }) => id).slice(0, 3)).toEqual(["r11", "r10", "r9"]);
    expect(entries[0]).not.toHaveProperty("lease");
    await work(one);
    expect((await one.ledger.usage(KEY)).creditsUsed).toBe(13);
    await work(one);
    await advance(LEASE_MS);
    // Another isolate sees it when the works have been collected.
    expect((await isolate().ledger.usage(KEY)).creditsUsed).toBe(14);
  });

  test("are for the modes that do not start jobs", async () => {
    const { hot, takeCalls, admit } = setUp();
    const isolate = await hot({ mode: "crawl", credits: 0 });
    await admit(isolate, { mode: "crawl", credits: 0 });
    expect(takeCalls()).toEqual(["admit"]);
  });
});

describe("the ledger of leased work", () => {
  test.each([
    { what: "for some seconds is sent again by itself", fails: 5, waitMs: 40_000, comes: false },
    { what: "for longer is taken along by the next call", fails: 40, waitMs: 120_000, comes: true },
  ])("that fails $what", async ({ fails, waitMs, comes }) => {
    const { hot, work, admit, failNext, advance, recorded, used } = setUp();
    const isolate = await hot();
    for (let request = 0; request < 5; request++) expect(await work(isolate)).toBe(true);
    failNext(...Array<"before">(fails).fill("before"));
    await advance(waitMs);
    if (comes) {
      failNext();
      expect(recorded()).toBeLessThan(14);
      await admit(isolate, { credits: 0 });
    }
    await advance(SETTLED_MS);
    expect([recorded(), used()]).toEqual([14, 14]);
  });

  test("agrees with its receipts, wherever isolates, objects and calls fail", async () => {
    for (let seed = 1; seed <= SEEDS; seed++) await schedule(seed, 2_000);
  });

  test("agrees with them at the end without a budget, of which the row on disk is ahead", async () => {
    for (let seed = 1; seed <= SEEDS; seed++) await schedule(seed, undefined);
  });

  test("is ahead of a hot key without a budget, which shows after a restart in the window alone", async () => {
    const { isolate, work, advance, rowsWritten, restart, record, now, recorded, used } = setUp();
    const isolates = Array.from({ length: 40 }, isolate);
    let place = 0;
    const ask = async () => {
      expect(await work(isolates[place++ % 40] ?? isolate())).toBe(true);
      await advance(250);
    };
    for (let request = 0; request < 40; request++) await ask();
    const rows = rowsWritten(KEY);
    for (let request = 0; request < 100; request++) await ask();
    // Each request asks the ledger and records its work: one row, and few more.
    expect(rowsWritten(KEY) - rows).toBeLessThan(130);
    restart(KEY);
    expect([used(), record(KEY).held(now())]).toEqual([140, 0]);
    for (let request = 0; request < 10; request++) await ask();
    expect([used(), recorded()]).toEqual([150, 150]);
  });
});

/** Some hundred random steps of three isolates. The credits used are at any time those of the ledger and of the holds. */
async function schedule(seed: number, monthlyCredits: number | undefined): Promise<void> {
  let state = seed * 7919;
  const random = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit;
  const { isolate, work, advance, restart, failNext, record, recorded, now } = setUp();
  const isolates = [isolate(), isolate(), isolate()];
  const raw = () => {
    const held = record(KEY).held(now());
    return { held, recorded: recorded() };
  };
  for (let step = 0; step < 400; step++) {
    const place = random(3);
    const one = isolates[place] ?? isolate();
    const kind = random(40);
    if (kind === 0) {
      one.kill();
      isolates[place] = isolate();
    } else if (kind === 1) {
      restart(KEY);
    } else if (kind === 2) {
      failNext(...Array.from({ length: 3 }, () => (["before", "after", undefined] as const)[random(3)]));
    } else if (kind < 8) {
      await advance(random(2_000));
    } else {
      const requests = Array.from({ length: 1 + random(6) }, () =>
        work(one, { monthlyCredits, credits: 1 + random(3) }, random(5)).catch(() => false),
      );
      await Promise.all(requests);
    }
    const { held, recorded: owed } = raw();
    expect(record(KEY).used(now()), `seed ${seed}, step ${step}`).toBe(held + owed);
  }
  failNext();
  await advance(HOLD_MS + SETTLED_MS);
  await work(isolate(), { monthlyCredits, credits: 0 });
  await advance(SETTLED_MS);
  expect(record(KEY).used(now()), `seed ${seed}`).toBe(recorded());
}
