import { expect, test } from "vitest";
import { batchEntries } from "../../../../src/core/crawl/dispatch.ts";
import { JobCharges, type KeyLedgers } from "../../../../src/platform/account/job-charges.ts";
import { expireInObject } from "../../../../src/platform/crawl/end-in-object.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryKeyLedger } from "../../../fakes/memory/memory-key-ledger.ts";
import { nodeSql } from "../../../fakes/memory/node-sql.ts";

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
    expire: () => expireInObject({ frontier, charges }),
    failAfter: (calls: number) => void (callsLeft = calls),
  };
}

test("a job that expires releases its slot and the credits of its unread pages, wherever the ledger fails", async () => {
  for (let calls = 0; calls < 3; calls++) {
    const { gate, frontier, expire, failAfter } = await batch();
    expect(await gate.usage("key")).toMatchObject({ creditsUsed: 8, runningJobs: 1 });
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
