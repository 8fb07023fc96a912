import { expect, test } from "vitest";
import { leastProcessorMs } from "../../../processor-time.ts";
import { nextRun, readSchedule, runsAMonth } from "../../../../src/services/monitors/monitor-schedule.ts";

const NOW = Date.UTC(2026, 10, 21, 12);

test.each([
  ["every 30 minutes", "*/30 * * * *"],
  ["every 15 minutes starting at :05", "5-59/15 * * * *"],
  ["hourly at :20", "20 * * * *"],
  ["every 6 hours", "0 */6 * * *"],
  ["every 24 hours", "0 0 * * *"],
  ["daily", "0 0 * * *"],
  ["daily at 9:30pm", "30 21 * * *"],
  ["daily at 12am", "0 0 * * *"],
  ["weekly", "0 0 * * 1"],
])("the words %s are the cron %s", (text, cron) => {
  expect(readSchedule({ text }, NOW)).toEqual({ cron, timezone: "UTC" });
});

test("a run comes at the hour of its time zone", () => {
  expect(new Date(nextRun({ cron: "0 9 * * *", timezone: "America/New_York" }, NOW) ?? 0).toISOString()).toBe(
    "2026-11-21T14:00:00.000Z",
  );
});

test("runs a month are the same in every time zone, and those of a rare schedule are rounded up to one", () => {
  const perMonth = (cron: string, timezone: string): number => runsAMonth({ cron, timezone }, NOW);
  expect([perMonth("0 9 * * *", "UTC"), perMonth("0 9 * * *", "America/New_York")]).toEqual([30, 30]);
  expect(perMonth("*/30 * * * *", "Asia/Kolkata")).toBe(1440);
  expect(perMonth("0 0 29 2 *", "UTC")).toBe(1);
});

test("a schedule in a time zone that does not exist is refused", () => {
  expect(readSchedule({ text: "daily", timezone: "Europe/Nowhere" }, NOW)).toMatch(/^schedule cannot be read: /);
});

test("runs of a leap day are not listed for a thousand years", async () => {
  let minute = 0;
  const countDays = (): void => {
    for (let count = 0; count < 20; count++)
      expect(runsAMonth({ cron: `${minute++} 1 29 2 *`, timezone: "UTC" }, NOW)).toBe(1);
  };
  expect(await leastProcessorMs(countDays, 150)).toBeLessThan(150);
});
