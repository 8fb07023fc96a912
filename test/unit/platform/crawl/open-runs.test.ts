import { expect, test } from "vitest";
import { OpenRuns } from "../../../../src/platform/crawl/open-runs.ts";

test("the finished pages of all runs count until they are reported, or their run leaves or is silent for too long", () => {
  const runs = new OpenRuns();
  runs.note("a", 10_000, 5);
  runs.note("b", 11_000, 7);
  // A heartbeat says nothing about finished pages.
  runs.note("b", 12_000);
  expect([runs.size, runs.unreported]).toEqual([2, 12]);
  runs.note("b", 13_000, 1);
  expect(runs.unreported).toBe(6);
  runs.dropSilent(10_000);
  expect([runs.size, runs.unreported]).toEqual([1, 1]);
  runs.delete("b");
  expect([runs.size, runs.unreported]).toEqual([0, 0]);
});

test("the pause after a failed run doubles up to 12 s, until a run has left in order", () => {
  const runs = new OpenRuns();
  const pauses = Array.from({ length: 8 }, () => runs.failed("run"));
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 12_000, 12_000, 12_000, 12_000]);
  runs.left("run");
  expect(runs.failed("run")).toBe(1_000);
});
