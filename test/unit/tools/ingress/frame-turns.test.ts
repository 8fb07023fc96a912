import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FrameTurns } from "../../../../src/tools/ingress/frame-turns.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

test("frames of one group come at a rate, and those of another beside them", () => {
  const turns = new FrameTurns();
  expect(turns.waitOf("a", 8_000)).toBe(0);
  expect(turns.waitOf("b", 10)).toBe(0);
  expect(turns.waitOf("a", 4_000)).toBe(2_000);
  vi.advanceTimersByTime(1_000);
  expect(turns.waitOf("a", 10)).toBe(2_000);
  vi.advanceTimersByTime(10_000);
  expect(turns.waitOf("a", 10)).toBe(0);
});

/** Turns of which those at once are taken, and senders that ask for one after another. */
function busy() {
  const turns = new FrameTurns();
  let taken = 0;
  while (turns.take(1_000)) taken += 1_000;
  const log: string[] = [];
  const enter = (owner: string, name: string, frames = 2_000): (() => void) => {
    const sender = { owner };
    turns.enter(sender, frames, () => void log.push(name));
    return () => turns.leave(sender);
  };
  return { turns, taken, log, enter };
}

test("all frames together come at a rate, after many at once", () => {
  const { turns, taken } = busy();
  expect(taken).toBeLessThan(12_000);
  let later = 0;
  for (let ms = 0; ms < 10_000; ms += 10) {
    vi.advanceTimersByTime(10);
    while (turns.take(100)) later += 100;
  }
  expect(later).toBeGreaterThan(195_000);
  expect(later).toBeLessThan(205_000);
});

test("an owner with few frames comes before those with many, who take turns", () => {
  const { turns, log, enter } = busy();
  for (const name of ["a1", "a2", "a3"]) enter("a", name);
  for (const name of ["b1", "b2"]) enter("b", name);
  vi.advanceTimersByTime(60);
  expect(log).toEqual(["a1"]);
  expect(turns.take(1)).toBe(false);
  enter("c", "c1", 1);
  enter("c", "c2", 1);
  vi.advanceTimersByTime(110);
  expect(log.slice(1)).toEqual(["b1"]);
  vi.advanceTimersByTime(1_000);
  expect(log.slice(2)).toEqual(["c1", "c2", "a2", "b2", "a3"]);
  expect(turns.take(1)).toBe(true);
});

test("senders whose connection has ended leave their places", () => {
  const { turns, log, enter } = busy();
  const leave = [enter("a", "a1"), enter("a", "a2"), enter("b", "b1")];
  leave[0]?.();
  leave[2]?.();
  vi.advanceTimersByTime(1_000);
  expect(log).toEqual(["a2"]);
  enter("a", "a3")();
  vi.advanceTimersByTime(1_000);
  expect(log).toEqual(["a2"]);
  expect(turns.take(1)).toBe(true);
});
