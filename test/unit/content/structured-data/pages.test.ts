import { expect, test } from "vitest";
import { measureExtraction, totalOf } from "../../../bench/extract/measure.ts";

test("forty pages with known facts are read with a field precision of 0.95 at a recall of 0.75", () => {
  const scores = measureExtraction();
  const { precision, recall } = totalOf(scores);
  expect(scores).toHaveLength(40);
  expect(precision).toBeGreaterThanOrEqual(0.95);
  expect(recall).toBeGreaterThanOrEqual(0.75);
});
