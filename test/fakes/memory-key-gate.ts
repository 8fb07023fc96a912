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
import type { KeyGatePort } from "../../src/ports/key-gate.ts";
import type { Clock } from "../../src/ports/system.ts";

/** The gate of every key in memory; `calls` counts the round trips that the real one would take. */
export function memoryKeyGate(clock: Clock): KeyGatePort & { calls: number } {
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
      return admission;
    },
    async adjustCredits(keyId, change) {
      this.calls++;
      const gate = gateOf(keyId);
      const { done, counters } = adjustCredits(gate.counters, change, clock.now());
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
  };
}
