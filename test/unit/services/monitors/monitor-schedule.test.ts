import { expect, test } from "vitest";
import { nextRun, readSchedule } from "../../../../src/services/monitors/monitor-schedule.ts";

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
