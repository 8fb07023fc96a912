import { Duplex } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { joinSockets } from "../../../../src/tools/egress/forward-request.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Two ends that say nothing, with the limits of a socket. */
function silentPair() {
  const asked: number[] = [];
  const open = () => {
    let timer: NodeJS.Timeout | undefined;
    return Object.assign(new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() }), {
      setTimeout: (ms: number, late: () => void) => {
        clearTimeout(timer);
        if (ms > 0) timer = setTimeout(late, ms);
      },
      setKeepAlive: (_isOn: boolean, ms: number) => void asked.push(ms),
    });
  };
  return { one: open(), other: open(), asked };
}

test("ends that are silent for ten minutes are parted", () => {
  const { one, other, asked } = silentPair();
  joinSockets(one, other);
  vi.advanceTimersByTime(601_000);
  expect([one.destroyed, other.destroyed]).toEqual([true, true]);
  expect(asked).toEqual([]);
});

test("ends that may be silent stay joined, and are asked whether they still exist", () => {
  const { one, other, asked } = silentPair();
  joinSockets(one, other, { mayBeSilent: true });
  vi.advanceTimersByTime(3_600_000);
  expect([one.destroyed, other.destroyed]).toEqual([false, false]);
  expect(asked).toEqual([60_000, 60_000]);
});
