import { afterEach, expect, test, vi } from "vitest";
import { isLong, isShort, sampleCount, sampleOf, shortAndLong } from "../../../sample.ts";

afterEach(() => vi.unstubAllEnvs());

test("without TEST_SAMPLE every input is tried", () => {
  vi.stubEnv("TEST_SAMPLE", undefined);
  vi.stubEnv("TEST_SHORT", undefined);
  expect(sampleOf([1, 2, 3, 4, 5], 2)).toEqual([1, 2, 3, 4, 5]);
  expect(sampleCount(10_000, 500)).toBe(10_000);
});

test("with LONG_TESTS random tests have more runs", () => {
  vi.stubEnv("TEST_SAMPLE", undefined);
  vi.stubEnv("TEST_SHORT", undefined);
  vi.stubEnv("LONG_TESTS", undefined);
  expect([sampleCount(300, 100, 1_000), isLong()]).toEqual([300, false]);
  vi.stubEnv("LONG_TESTS", "1");
  expect([sampleCount(300, 100, 1_000), sampleCount(300, 100), isLong()]).toEqual([1_000, 300, true]);
});

test("with it, the first input and every further one at the step", () => {
  vi.stubEnv("TEST_SAMPLE", "1");
  expect(sampleOf([1, 2, 3, 4, 5], 2)).toEqual([1, 3, 5]);
  expect(sampleOf([1], 8)).toEqual([1]);
  expect(sampleCount(10_000, 500)).toBe(500);
});

test("with TEST_SHORT the form is short, and random tests have fewer runs", () => {
  vi.stubEnv("TEST_SHORT", undefined);
  vi.stubEnv("TEST_SAMPLE", undefined);
  vi.stubEnv("LONG_TESTS", undefined);
  expect([isShort(), sampleCount(300, 100)]).toEqual([false, 300]);
  vi.stubEnv("TEST_SHORT", "1");
  expect([isShort(), sampleCount(300, 100), sampleOf([1, 2, 3], 2)]).toEqual([true, 100, [1, 2, 3]]);
});

test("a table of tests is divided into the short form and long tests", () => {
  expect(shortAndLong(["a", "b", "c"], (entry, index) => entry === "c" || index === 0)).toEqual([
    { tags: [], entries: ["a", "c"] },
    { tags: ["long"], entries: ["b"] },
  ]);
});
