import type { Clock } from "../../src/ports/system.ts";

/** A clock that stands still until it is told to go on. */
export function fixedClock(startMs = Date.UTC(2026, 10, 21, 12)): Clock & { advance(ms: number): void } {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}
