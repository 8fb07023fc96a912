import type { Meter } from "../../../src/core/account/meter.ts";
import type { KeyLedgerPort } from "../../../src/ports/account/key-ledger.ts";
import type { Clock } from "../../../src/ports/system.ts";
import { KeyLedgerRecord } from "../../../src/storage/account/key-ledger-record.ts";
import { nodeSql } from "./node-sql.ts";

/** The ledger of every key in memory; `calls` counts the round trips that the real one would take. */
export function memoryKeyLedger(clock: Clock, meter?: Meter): KeyLedgerPort & { calls: number } {
  const records = new Map<string, KeyLedgerRecord>();
  const recordOf = (keyId: string): KeyLedgerRecord => {
    const record = records.get(keyId) ?? new KeyLedgerRecord(nodeSql(), clock.now());
    records.set(keyId, record);
    return record;
  };
  return {
    calls: 0,
    async admit(keyId, request) {
      this.calls++;
      const admission = recordOf(keyId).admit(request, clock.now());
      if (admission.kind === "admitted") meter?.add("credits", request.credits);
      return admission;
    },
    async addHold(keyId, request) {
      this.calls++;
      return recordOf(keyId).addHold(request, clock.now());
    },
    async holdOnce(keyId, request) {
      this.calls++;
      return recordOf(keyId).holdOnce(request, clock.now());
    },
    async chargeJob(keyId, charge) {
      this.calls++;
      return recordOf(keyId).chargeJob(charge, clock.now());
    },
    async adjustCredits(keyId, change) {
      this.calls++;
      const done = recordOf(keyId).adjustCredits(change, clock.now());
      if (done) meter?.add("credits", change.credits);
      return done;
    },
    async takeSlot(keyId, slot) {
      this.calls++;
      return recordOf(keyId).takeSlot(slot, clock.now());
    },
    async releaseSlot(keyId, jobId) {
      this.calls++;
      recordOf(keyId).releaseSlot(jobId, clock.now());
    },
    async usage(keyId) {
      this.calls++;
      return recordOf(keyId).usage(clock.now());
    },
    async record(keyId, work) {
      recordOf(keyId).record(work, clock.now());
    },
    recordCosts: () => ({ durableObjectRequests: 1, durableObjectRowsWritten: 1 }),
    async recordJob(keyId, job) {
      recordOf(keyId).ledger.recordJob(job);
    },
    async usageDays(keyId, fromDay, toDay) {
      return recordOf(keyId).ledger.usage(fromDay, toDay);
    },
    async usageParts(keyId, fromDay, toDay) {
      return recordOf(keyId).ledger.parts(fromDay, toDay);
    },
    async activity(keyId, query) {
      return recordOf(keyId).ledger.activity(query).entries;
    },
    async lastSuccessMs(keyId) {
      return recordOf(keyId).ledger.lastSuccessMs();
    },
  };
}
