import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MessageRate, MessageTurns } from "../../../../src/core/cdp/message-turns.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

function driver(rate: MessageRate, size = 1) {
  const handled: number[] = [];
  const onTooMany = vi.fn();
  const handle = (message: number): void => void handled.push(message);
  const turns = new MessageTurns<number>({ handle, sizeOf: () => size, onTooMany, rate });
  return { handled, turns, onTooMany };
}

test("messages are handled at once up to a burst, and the others in turns and in order, 2,000 a second", async () => {
  const { handled, turns } = driver(new MessageRate());
  for (let at = 0; at < 5_000; at++) turns.add(at);
  expect(handled).toHaveLength(500);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(handled.length).toBeGreaterThan(2_300);
  expect(handled.length).toBeLessThanOrEqual(2_500);
  turns.add(5_000);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(handled).toEqual(Array.from({ length: 5_001 }, (_, at) => at));
});

test("drivers share the rate, and one that sends now and then is handled among those that send thousands", async () => {
  const rate = new MessageRate();
  const [flood, quiet] = [driver(rate), driver(rate)];
  for (let at = 0; at < 8_000; at++) flood.turns.add(at);
  quiet.turns.add(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(quiet.handled).toEqual([1]);
  expect(flood.handled.length).toBeLessThan(1_000);
});

test("nothing is handled after the end", async () => {
  const { handled, turns } = driver(new MessageRate());
  for (let at = 0; at < 2_000; at++) turns.add(at);
  turns.close();
  turns.add(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(handled).toHaveLength(500);
});

test("a driver whose waiting messages are large together is cut off, and one large message is handled", async () => {
  const large = driver(new MessageRate(), 1_000_000);
  for (let at = 0; at < 500 + 17; at++) large.turns.add(at);
  expect(large.onTooMany).not.toHaveBeenCalled();
  large.turns.add(517);
  expect(large.onTooMany).toHaveBeenCalledTimes(1);
  const single = driver(new MessageRate(), 32_000_000);
  for (let at = 0; at < 501; at++) single.turns.add(at);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(single.handled).toHaveLength(501);
});

test("messages are handled after the clock was set back", () => {
  const rate = new MessageRate();
  for (let at = 0; at < 500; at++) rate.take(2_000_000);
  expect(rate.take(2_000_000)).toBe(false);
  expect(rate.take(1_000)).toBe(false);
  expect(rate.take(1_100)).toBe(true);
});

test("messages that cost more are handled in as much more time, and the first one at once", async () => {
  const handled: number[] = [];
  const turns = new MessageTurns<number>({
    handle: (message) => void handled.push(message),
    sizeOf: () => 1,
    costOf: () => 450,
    onTooMany: vi.fn(),
    rate: new MessageRate(),
  });
  for (let at = 0; at < 14; at++) turns.add(at);
  expect(handled).toEqual([0, 1]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(handled.length).toBeGreaterThan(4);
  expect(handled.length).toBeLessThan(8);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(handled).toEqual(Array.from({ length: 14 }, (_, at) => at));
});
