import type { Meter } from "../../src/core/account/meter.ts";
import type { KeyLedgerPort } from "../../src/ports/account/key-ledger.ts";
import type { Clock } from "../../src/ports/system.ts";
import { KeyBooks } from "../../src/storage/account/key-books.ts";
import { nodeSql } from "./node-sql.ts";

/** The gate of every key in memory; `calls` counts the round trips that the real one would take. */
export function memoryKeyLedger(clock: Clock, meter?: Meter): KeyLedgerPort & { calls: number } {
  const gates = new Map<string, KeyBooks>();
  const booksOf = (keyId: string): KeyBooks => {
    const books = gates.get(keyId) ?? new KeyBooks(nodeSql(), clock.now());
    gates.set(keyId, books);
    return books;
  };
  return {
    calls: 0,
    async admit(keyId, request) {
      this.calls++;
      const admission = booksOf(keyId).admit(request, clock.now());
      if (admission.kind === "admitted") meter?.add("credits", request.credits);
      return admission;
    },
    async addHold(keyId, request) {
      this.calls++;
      return booksOf(keyId).addHold(request, clock.now());
    },
    async holdOnce(keyId, request) {
      this.calls++;
      return booksOf(keyId).holdOnce(request, clock.now());
    },
    async chargeJob(keyId, charge) {
      this.calls++;
      return booksOf(keyId).chargeJob(charge, clock.now());
    },
    async adjustCredits(keyId, change) {
      this.calls++;
      const done = booksOf(keyId).adjustCredits(change, clock.now());
      if (done) meter?.add("credits", change.credits);
      return done;
    },
    async takeSlot(keyId, slot) {
      this.calls++;
      return booksOf(keyId).takeSlot(slot, clock.now());
    },
    async releaseSlot(keyId, jobId) {
      this.calls++;
      booksOf(keyId).releaseSlot(jobId, clock.now());
    },
    async usage(keyId) {
      this.calls++;
      return booksOf(keyId).usage(clock.now());
    },
    async record(keyId, work) {
      booksOf(keyId).record(work, clock.now());
    },
    async recordJob(keyId, job) {
      booksOf(keyId).ledger.recordJob(job);
    },
    async usageDays(keyId, fromDay, toDay) {
      return booksOf(keyId).ledger.usage(fromDay, toDay);
    },
    async activity(keyId, query) {
      return booksOf(keyId).ledger.activity(query);
    },
    async lastSuccessMs(keyId) {
      return booksOf(keyId).ledger.lastSuccessMs();
    },
  };
}
