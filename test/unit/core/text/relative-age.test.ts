import { expect, test } from "vitest";
import { relativeAge } from "../../../../src/core/text/relative-age.ts";

const NOW_MS = Date.UTC(2026, 5, 15, 12);

test.each([
  ["2026-06-15T11:59:30Z", "30 seconds ago"],
  ["2026-06-15T11:55:00Z", "5 minutes ago"],
  ["2026-06-15T11:00:00+00:00", "1 hour ago"],
  ["2026-06-15T10:00:00", "2 hours ago"],
  ["2026-06-13", "2 days ago"],
  ["2026-06-01T00:00:00Z", "2 weeks ago"],
  ["2026-03-01T00:00:00Z", "3 months ago"],
  ["2021-03-01T00:00:00Z", "5 years ago"],
  ["2026-06-15T12:02:00Z", "0 seconds ago"],
  ["2026-06-17T12:00:00Z", "in 2 days"],
  ["3 hours ago", "3 hours ago"],
  ["Jun 3, 2026", "Jun 3, 2026"],
  ["2026-99-99", "2026-99-99"],
])("%s is %s", (date, age) => {
  expect(relativeAge(date, NOW_MS)).toBe(age);
});
