import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ObjectAlarm } from "../../../src/platform/object-alarm.ts";

let stored: number | null;
let writes: number[];
const storage = {
  getAlarm: async (): Promise<number | null> => stored,
  setAlarm: async (at: number | Date): Promise<void> => {
    stored = Number(at);
    writes.push(stored);
  },
};

beforeEach(() => {
  stored = null;
  writes = [];
  vi.useFakeTimers({ now: 1_000_000, toFake: ["Date"] });
});
afterEach(() => vi.useRealTimers());

test("an alarm is moved to an earlier time only", async () => {
  const alarm = new ObjectAlarm(storage);
  await alarm.setBy(1_060_000);
  await alarm.setBy(1_070_000);
  await alarm.setBy(1_050_000);
  expect(writes).toEqual([1_060_000, 1_050_000]);
});

test("an alarm that an earlier instance has stored is known", async () => {
  stored = 1_010_000;
  const alarm = new ObjectAlarm(storage);
  await alarm.setBy(1_020_000);
  expect(writes).toEqual([]);
});

test("an alarm that did not come is set again, once it is 15 s late", async () => {
  stored = 990_000;
  const alarm = new ObjectAlarm(storage);
  await alarm.setBy(1_000_000);
  expect(writes).toEqual([]);
  vi.setSystemTime(1_005_001);
  await alarm.setBy(1_005_001);
  await alarm.setBy(1_005_002);
  expect(writes).toEqual([1_005_001]);
});

test("after an alarm has come, the next one is set whatever its time", async () => {
  const alarm = new ObjectAlarm(storage);
  await alarm.setBy(1_000_000);
  stored = null;
  alarm.forget();
  await alarm.setBy(1_090_000);
  expect(writes).toEqual([1_000_000, 1_090_000]);
});
