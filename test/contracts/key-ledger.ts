import { describe, expect, test } from "vitest";
import type { AdmitRequest, KeyLedgerPort } from "../../src/ports/account/key-ledger.ts";
import { NO_RECEIPT } from "../../src/core/account/receipt.ts";

const REQUEST: AdmitRequest = { mode: "scrape", limit: 100, credits: 1, monthlyCredits: undefined };

/** Requirements of every rate limiter and credit ledger. */
export function keyLedgerContract(name: string, makeLedger: () => KeyLedgerPort): void {
  const newKey = () => ({ ledger: makeLedger(), keyId: crypto.randomUUID() });

  describe(`${name} as a rate limiter and credit ledger`, () => {
    test("admits requests up to the limit of a minute", async () => {
      const { ledger, keyId } = newKey();
      const request = { ...REQUEST, limit: 2 };
      const kinds = [];
      for (let index = 0; index < 3; index++) kinds.push((await ledger.admit(keyId, request)).kind);
      expect(kinds).toEqual(["admitted", "admitted", "rate_limited"]);
      expect((await ledger.admit(crypto.randomUUID(), request)).kind).toBe("admitted");
    });

    test("spends and refunds credits within the month's budget", async () => {
      const { ledger, keyId } = newKey();
      const request = { ...REQUEST, credits: 6, monthlyCredits: 10 };
      expect(await ledger.admit(keyId, request)).toMatchObject({ kind: "admitted", remainingCredits: 4 });
      expect(await ledger.admit(keyId, request)).toMatchObject({ kind: "out_of_credits", remainingCredits: 4 });
      expect(await ledger.adjustCredits(keyId, { credits: 5, monthlyCredits: 10 })).toBe(false);
      expect(await ledger.adjustCredits(keyId, { credits: -2, monthlyCredits: 10 })).toBe(true);
      expect(await ledger.usage(keyId)).toMatchObject({ creditsUsed: 4, runningJobs: 0 });
    });

    test("replaces a reservation by the cost of the recorded work", async () => {
      const { ledger, keyId } = newKey();
      await ledger.admit(keyId, { ...REQUEST, credits: 5, holdId: "work" });
      expect((await ledger.usage(keyId)).creditsUsed).toBe(5);
      const work = {
        requestId: "work",
        id: "work",
        endpoint: "scrape" as const,
        apiVersion: "v2" as const,
        target: "https://site.example/",
        ms: 7,
        hasFailed: false,
        pages: 1,
        receipt: { ...NO_RECEIPT, credits: 3 },
      };
      await ledger.record(keyId, work);
      await ledger.record(keyId, work);
      expect((await ledger.usage(keyId)).creditsUsed).toBe(3);
      const [entry, ...others] = await ledger.activity(keyId, {
        sinceMs: 0,
        limit: 10,
        cursor: undefined,
        endpoint: undefined,
      });
      expect(entry).toMatchObject({ id: "work", endpoint: "scrape", credits: 3, ms: 7, hasFailed: false });
      expect(others).toEqual([]);
      expect(await ledger.lastSuccessMs(keyId)).toBe(entry?.atMs);
    });

    test("gives job slots up to the limit, each job one", async () => {
      const { ledger, keyId } = newKey();
      const take = (jobId: string) => ledger.takeSlot(keyId, { jobId, limit: 1, leaseMs: 60_000 });
      expect(await take("one")).toBe(true);
      expect(await take("one")).toBe(true);
      expect(await take("two")).toBe(false);
      expect((await ledger.usage(keyId)).runningJobs).toBe(1);
      await ledger.releaseSlot(keyId, "one");
      expect(await take("two")).toBe(true);
    });
  });
}
