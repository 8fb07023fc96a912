import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { Meter } from "../../../src/core/account/meter.ts";
import { toReceipt } from "../../../src/core/account/receipt.ts";
import { KeyLeases } from "../../../src/platform/account/key-leases.ts";
import { createKeyLedger } from "../../../src/platform/account/key-ledger-port.ts";
import { orFormerly } from "../../../src/platform/object-calls.ts";
import { measuredObjects } from "../../../src/platform/metering/metered-objects.ts";
import type { AdmitRequest } from "../../../src/ports/account/key-ledger.ts";

/** A thousand calls at once take a while on a machine that is busy. */
const CROWD = { timeout: 30_000 };
const REQUEST: AdmitRequest = { mode: "scrape", limit: 100_000, credits: 1, monthlyCredits: undefined };

/** A key of the test's own, and the gate that holds its counters. */
function newKey() {
  const keyId = crypto.randomUUID();
  return { keyId, gate: createKeyLedger(env.KEY_LEDGER, new Meter()), stub: env.KEY_LEDGER.getByName(keyId) };
}

function workOf(requestId: string) {
  return {
    requestId, id: requestId, endpoint: "scrape", apiVersion: "v2" as const, target: null, ms: 1, hasFailed: false,
    pages: 1, receipt: toReceipt({ credits: 1 }),
  }; // prettier-ignore
}

function fail(): never {
  throw new Error("There is no such isolate");
}

describe("while a deployment rolls out", () => {
  test("a Worker of the release before gets the activity of the key by the former name", async () => {
    const { keyId, gate, stub } = newKey();
    for (const id of ["one", "two", "three"]) await gate.record(keyId, workOf(id));
    const query = { sinceMs: 0, limit: 2 };
    const entries = await stub.activity(query);
    expect(entries.map(({ id }) => id)).toEqual(["three", "two"]);
    expect(entries).toEqual(await gate.activity(keyId, query));
  });

  test.each(["plain", "measured"])("an object without a method is asked by another name (%s calls)", async (calls) => {
    const { keyId, stub } = newKey();
    const measured = measuredObjects(env.KEY_LEDGER, new Meter()).getByName(keyId);
    // The platform decides at the call whether there is such a method.
    const called = (calls === "plain" ? stub : measured) as unknown as { later(): Promise<string> };
    expect(await orFormerly(() => called.later(), async () => "former")).toBe("former"); // prettier-ignore
  });
});

describe("the gate of a key", () => {
  test("grants 1,000 requests at once exactly as many credits as there are", CROWD, async () => {
    const { keyId, gate } = newKey();
    const request = { ...REQUEST, monthlyCredits: 500 };
    const admissions = await Promise.all(Array.from({ length: 1000 }, () => gate.admit(keyId, request)));
    expect(admissions.filter(({ kind }) => kind === "admitted")).toHaveLength(500);
    expect(admissions.filter(({ kind }) => kind === "out_of_credits")).toHaveLength(500);
    expect(await gate.usage(keyId)).toMatchObject({ creditsUsed: 500 });
  });

  test(
    "spends a budget to the last credit when requests of different prices and refunds come at once",
    CROWD,
    async () => {
      const { keyId, gate } = newKey();
      const prices = Array.from({ length: 600 }, (_, index) => 1 + (index % 5));
      const outcomes = await Promise.all(
        prices.map(async (credits, index) => {
          const { kind } = await gate.admit(keyId, { ...REQUEST, credits, monthlyCredits: 1000 });
          if (kind !== "admitted") return 0;
          if (index % 3 !== 0) return credits;
          await gate.adjustCredits(keyId, { credits: -credits, monthlyCredits: 1000 });
          return 0;
        }),
      );
      const spent = outcomes.reduce((sum, credits) => sum + credits, 0);
      expect(spent).toBeLessThanOrEqual(1000);
      expect(await gate.usage(keyId)).toMatchObject({ creditsUsed: spent });
    },
  );

  test("grants 1,000 requests at once exactly as many as the minute's limit", CROWD, async () => {
    const { keyId, gate } = newKey();
    const request = { ...REQUEST, limit: 300 };
    const admissions = await Promise.all(Array.from({ length: 1000 }, () => gate.admit(keyId, request)));
    expect(admissions.filter(({ kind }) => kind === "admitted")).toHaveLength(300);
  });

  test("knows what was used after it was evicted from memory", async () => {
    const { keyId, gate, stub } = newKey();
    const request = { ...REQUEST, limit: 3, credits: 4, monthlyCredits: 10 };
    await gate.admit(keyId, request);
    await gate.admit(keyId, request);
    await gate.takeSlot(keyId, { jobId: "job", limit: 1, leaseMs: 60_000 });
    await evictDurableObject(stub);
    expect(await gate.usage(keyId)).toMatchObject({ creditsUsed: 8, runningJobs: 1 });
    expect(await gate.admit(keyId, request)).toMatchObject({ kind: "out_of_credits", remainingCredits: 2 });
    expect(await gate.admit(keyId, { ...request, credits: 0 })).toMatchObject({
      kind: "admitted",
      rate: { remaining: 0 },
    });
    await evictDurableObject(stub);
    expect(await gate.admit(keyId, { ...request, credits: 0 })).toMatchObject({ kind: "rate_limited", consumed: 3 });
    expect(await gate.takeSlot(keyId, { jobId: "other", limit: 1, leaseMs: 60_000 })).toBe(false);
  });

  test("keeps two rows, however many requests and jobs there were", async () => {
    const { keyId, gate, stub } = newKey();
    for (const mode of ["scrape", "map", "crawl", "account"] as const) await gate.admit(keyId, { ...REQUEST, mode });
    for (const jobId of ["a", "b", "c"]) await gate.takeSlot(keyId, { jobId, limit: 9, leaseMs: 60_000 });
    const rows = await runInDurableObject(stub, (_gate, state) =>
      state.storage.sql.exec("SELECT part FROM ledger ORDER BY part").toArray(),
    );
    expect(rows).toEqual([{ part: "counters" }, { part: "slots" }]);
  });

  test("writes one row for a request that it admits and none for one that it refuses", async () => {
    const { stub } = newKey();
    const written = await runInDurableObject(stub, (gate, { storage }) => {
      const total = () => storage.sql.exec<{ rows: number }>("SELECT total_changes() AS rows").one().rows;
      return [1, 2, 3, 4].map(() => {
        const before = total();
        gate.admit({ ...REQUEST, limit: 2 });
        return total() - before;
      });
    });
    expect(written).toEqual([1, 1, 0, 0]);
  });

  test("spends a budget to the last credit when isolates admit requests from leases", CROWD, async () => {
    const { keyId, stub } = newKey();
    const isolates = Array.from({ length: 4 }, () => {
      const background: Promise<unknown>[] = [];
      const ledger = createKeyLedger(env.KEY_LEDGER, new Meter(), {
        leases: new KeyLeases(),
        clock: { now: () => Date.now() },
        // Nothing is reported by a timer here.
        sleep: () => new Promise(() => undefined),
        defer: (work) => void background.push(work),
      });
      return { ledger, leave: () => ledger.usage(keyId) };
    });
    const request = { ...REQUEST, monthlyCredits: 700 };
    let admitted = 0;
    for (let wave = 0; wave < 10; wave++) {
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const { ledger } = isolates[index % 4] ?? fail();
          const holdId = `${wave} ${index}`;
          const { kind } = await ledger.admit(keyId, { ...request, holdId });
          if (kind !== "admitted") return 0;
          void ledger.record(keyId, workOf(holdId));
          return 1;
        }),
      );
      admitted += outcomes.reduce<number>((sum, one) => sum + one, 0);
      expect(admitted).toBeLessThanOrEqual(700);
      if (wave === 4) await evictDurableObject(stub);
    }
    for (const { leave } of isolates) await leave();
    const { creditsUsed } = await stub.usage();
    expect(creditsUsed).toBe(admitted);
    const rows = await stub.usageDays("2020-01-01", "2099-12-31");
    expect(rows.map(({ totals }) => totals.receipt.credits)).toEqual([admitted]);
    // Leases hold the rest for now: an eighth of what was left at most, each time.
    expect(admitted).toBeGreaterThan(500);
  });

  test("gives no more job slots than the limit to jobs that start at once", async () => {
    const { keyId, gate } = newKey();
    const jobs = Array.from({ length: 50 }, (_, index) => `job-${index}`);
    const taken = await Promise.all(jobs.map((jobId) => gate.takeSlot(keyId, { jobId, limit: 7, leaseMs: 60_000 })));
    expect(taken.filter(Boolean)).toHaveLength(7);
    await gate.releaseSlot(keyId, jobs[taken.indexOf(true)] ?? "");
    expect(await gate.takeSlot(keyId, { jobId: "late", limit: 7, leaseMs: 60_000 })).toBe(true);
  });

  test("costs one call to its object for each admitted request, and one row", async () => {
    const meter = new Meter();
    const gate = createKeyLedger(measuredObjects(env.KEY_LEDGER, meter), meter);
    await gate.admit(crypto.randomUUID(), REQUEST);
    expect(meter.counts).toMatchObject({ durableObjectRequests: 1, durableObjectRowsWritten: 1, credits: 1 });
  });
});
