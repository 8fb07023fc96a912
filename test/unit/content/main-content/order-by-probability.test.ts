import { expect, test } from "vitest";
import { orderByProbability } from "../../../../src/content/main-content/order-by-probability.ts";

test("the likeliest come first, equals in their order", () => {
  expect([...orderByProbability(Float32Array.of(0.25, 1, 0, 0.25, 1e-30, 0.9999999, 0.25))]).toEqual([
    1, 5, 0, 3, 6, 4, 2,
  ]);
});

test("only the part of a buffer that is handed over counts", () => {
  expect([...orderByProbability(Float32Array.of(9, 0.1, 0.2, 9).subarray(1, 3))]).toEqual([1, 0]);
});
