import { expect, test } from "vitest";
import { countPage, NO_PAGE_TIMES } from "../../../../src/core/jobs/page-times.ts";

test("pages are counted by the second since the start of their job", () => {
  const times = [0, 999, 1_000, 3_500].reduce(countPage, NO_PAGE_TIMES);
  expect(times).toEqual({ stepMs: 1_000, counts: [2, 1, 0, 1] });
  expect(countPage(NO_PAGE_TIMES, -5)).toEqual({ stepMs: 1_000, counts: [1] });
});

test("a long job has few intervals, and every page is counted once", () => {
  const times = Array.from({ length: 5_000 }, (_, at) => at * 700).reduce(countPage, NO_PAGE_TIMES);
  expect(times.stepMs).toBe(32_000);
  expect(times.counts.length).toBeLessThanOrEqual(120);
  expect(times.counts.reduce((sum, count) => sum + count)).toBe(5_000);
  const later = countPage(times, 30 * 86_400_000);
  expect(later.counts.length).toBeLessThanOrEqual(120);
  expect(later.counts.reduce((sum, count) => sum + count)).toBe(5_001);
});
