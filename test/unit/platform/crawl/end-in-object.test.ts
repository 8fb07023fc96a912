import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { batchEntries } from "../../../../src/core/crawl/dispatch.ts";
import { JobCharges, type KeyLedgers } from "../../../../src/platform/account/job-charges.ts";
import { expireInObject } from "../../../../src/platform/crawl/end-in-object.ts";
import { raiseInObject } from "../../../../src/platform/crawl/restart-in-object.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryKeyLedger } from "../../../fakes/memory/memory-key-ledger.ts";
import { nodeSql } from "../../../fakes/memory/node-sql.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** A batch of eight pages, two of which are scraped and one is being scraped. Calls of the ledger fail from the n-th on. */
async function batch() {
  const gate = memoryKeyLedger(fixedClock());
  let callsLeft = Infinity;
  const call = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (callsLeft-- <= 0) throw new Error("The ledger cannot be reached");
    return await work();
  };
  const ledgers: KeyLedgers = {
    getByName: (keyId) => ({
      takeSlot: (slot) => call(() => gate.takeSlot(keyId, slot)),
      releaseSlot: (jobId) => call(() => gate.releaseSlot(keyId, jobId)),
      held: async () => 0,
      chargeJob: (charge) => call(() => gate.chargeJob(keyId, charge)),
    }),
  };
  const frontier = new Frontier(nodeSql());
  const config = {
    maxConcurrency: 8, delayMs: 0, hasSeed: false, failsWhenEmpty: false, events: [], leaseMs: 12_000, expiresAtMs: 1,
    billing: { keyId: "key", creditsPerPage: 1, monthlyCredits: 10, reservesAll: true }, slot: { limit: 5, leaseMs: 60_000 },
  }; // prettier-ignore
  const urls = Array.from({ length: 8 }, (_, page) => `https://a.example/${page}`);
  frontier.start(config, batchEntries(urls, 0), 0);
  const charges = new JobCharges(ledgers, { id: () => "job", state: () => frontier.state() });
  await charges.takeSlot();
  frontier.noteSlot(0);
  await charges.reserveAll(0);
  const claim = frontier.claim(3, 0);
  const results = (claim?.items ?? []).slice(0, 2).map(({ key, url, attempt }) => {
    const base = { leaseId: claim?.leaseId ?? 0, key, attempt, kind: "scraped" as const };
    return { ...base, offset: 0, length: 1, scrapeId: url, credits: 1 };
  });
  frontier.complete({ results, object: "o", candidates: [], filtered: [], hosts: {} }, 0);
  return {
    gate,
    frontier,
    charges,
    claim,
    expire: () => expireInObject({ frontier, charges }),
    failAfter: (calls: number) => void (callsLeft = calls),
  };
}

test("a job that expires releases its slot and the credits of its unread pages, wherever the ledger fails", async () => {
  for (let calls = 0; calls < 3; calls++) {
    const { gate, frontier, expire, failAfter } = await batch();
    expect(await gate.usage("key")).toMatchObject({ creditsUsed: 8, runningJobs: 1 });
    frontier.cancel(0);
    failAfter(calls);
    const first = expire();
    await (calls < 2 ? expect(first).rejects.toThrow("cannot be reached") : first);
    expect(frontier.state()).toMatchObject({ status: "cancelled", closed: calls === 2 });
    failAfter(Infinity);
    await expire();
    expect(frontier.state()?.closed).toBe(true);
    expect(await gate.usage("key")).toMatchObject({ creditsUsed: 2, runningJobs: 0 });
  }
});

test("a page that costs more reserves it once, within the budget, until it is done; else the job goes on without it", async () => {
  const { gate, frontier, charges, claim } = await batch();
  const { key = "", attempt = 0 } = claim?.items[2] ?? {};
  const used = async () => (await gate.usage("key")).creditsUsed;
  const raise = (credits: number, more = { attempt }) =>
    raiseInObject({ frontier, charges }, { key, credits, ...more });
  expect([await raise(2), await raise(2), await used()]).toEqual([true, true, 10]);
  // A repeated attempt takes the place of the first, and one that is no longer leased reserves nothing.
  expect([await raise(1, { attempt: attempt + 1 }), await charges.charge(0), await used()]).toEqual([false, 5, 10]);
  const base = { leaseId: claim?.leaseId ?? 0, key, attempt, kind: "scraped" as const };
  const results = [{ ...base, offset: 0, length: 1, scrapeId: key, credits: 3 }];
  frontier.complete({ results, object: "p", candidates: [], filtered: [], hosts: {} }, 0);
  await charges.charge(0);
  expect([frontier.state()?.raised, frontier.state()?.creditsUsed, await used()]).toEqual([undefined, 5, 10]);

  const other = await batch();
  const page = { key, attempt, credits: 3 };
  expect(await raiseInObject(other, page)).toBe(false);
  expect(other.frontier.state()).toMatchObject({ isStopping: false, creditsUsed: 2, refusals: 1 });
  for (let refusals = 2; refusals <= 5; refusals++) expect(await raiseInObject(other, page)).toBe(false);
  expect(other.frontier.state(), "each of such pages is loaded for nothing").toMatchObject({ isStopping: true });
  expect((await other.gate.usage("key")).creditsUsed).toBe(8);
});

test("a reservation of a page ends with its lease", async () => {
  const { gate, frontier, charges, claim } = await batch();
  const { key = "", attempt = 0 } = claim?.items[2] ?? {};
  await raiseInObject({ frontier, charges }, { key, attempt, credits: 2 });
  for (const nowMs of [1e9, 2e9]) frontier.reap(nowMs);
  await charges.charge(0);
  expect(frontier.state()?.raised).toBeUndefined();
  expect((await gate.usage("key")).creditsUsed).toBe(8);
});
