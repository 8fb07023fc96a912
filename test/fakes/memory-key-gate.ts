import {
  NO_COUNTERS,
  NO_SLOTS,
  adjustCredits,
  admit,
  keyUsage,
  releaseSlot,
  takeSlot,
  type GateCounters,
  type GateSlots,
} from "../../src/core/key-gate.ts";
import type { Meter } from "../../src/core/meter.ts";
import type { KeyGatePort } from "../../src/ports/key-gate.ts";
import type { Clock } from "../../src/ports/system.ts";
import { UsageLedger } from "../../src/storage/usage-ledger.ts";
import { nodeSql } from "./node-sql.ts";

/** The gate of every key in memory; `calls` counts the round trips that the real one would take. */
export function memoryKeyGate(clock: Clock, meter?: Meter): KeyGatePort & { calls: number } {
  const ledgers = new Map<string, UsageLedger>();
  const ledgerOf = (keyId: string): UsageLedger => {
    const ledger = ledgers.get(keyId) ?? new UsageLedger(nodeSql());
    ledgers.set(keyId, ledger);
    return ledger;
  };
  const gates = new Map<string, { counters: GateCounters; slots: GateSlots }>();
  const gateOf = (keyId: string) => {
    const gate = gates.get(keyId) ?? { counters: NO_COUNTERS, slots: NO_SLOTS };
    gates.set(keyId, gate);
    return gate;
  };
  return {
    calls: 0,
    async admit(keyId, request) {
      this.calls++;
      const gate = gateOf(keyId);
      const { admission, counters } = admit(gate.counters, request, clock.now());
      gate.counters = counters;
      if (admission.kind === "admitted") meter?.add("credits", request.credits);
      return admission;
    },
    async adjustCredits(keyId, change) {
      this.calls++;
      const gate = gateOf(keyId);
      const { done, counters } = adjustCredits(gate.counters, change, clock.now());
      if (done) meter?.add("credits", change.credits);
      gate.counters = counters;
      return done;
    },
    async takeSlot(keyId, slot) {
      this.calls++;
      const gate = gateOf(keyId);
      const { taken, slots } = takeSlot(gate.slots, slot, clock.now());
      gate.slots = slots;
      return taken;
    },
    async releaseSlot(keyId, jobId) {
      this.calls++;
      const gate = gateOf(keyId);
      gate.slots = releaseSlot(gate.slots, jobId, clock.now());
    },
    async usage(keyId) {
      this.calls++;
      const gate = gateOf(keyId);
      return keyUsage(gate.counters, gate.slots, clock.now());
    },
    async record(keyId, work) {
      ledgerOf(keyId).record(work, clock.now());
    },
    async recordJob(keyId, job) {
      ledgerOf(keyId).recordJob(job);
    },
    async usageDays(keyId, fromDay, toDay) {
      return ledgerOf(keyId).usage(fromDay, toDay);
    },
    async activity(keyId, query) {
      return ledgerOf(keyId).activity(query);
    },
    async lastSuccessMs(keyId) {
      return ledgerOf(keyId).lastSuccessMs();
    },
  };
}
