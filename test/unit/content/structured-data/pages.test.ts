import { expect, test } from "vitest";
import { measureLies } from "../../../bench/extract/measure-lies.ts";
import { measureExtraction, totalOf } from "../../../bench/extract/measure.ts";

test("forty pages with known facts are read with a field precision of 0.95 at a recall of 0.75", () => {
  const scores = measureExtraction();
  const { precision, recall } = totalOf(scores);
  expect(scores).toHaveLength(40);
  expect(precision).toBeGreaterThanOrEqual(0.95);
  expect(recall).toBeGreaterThanOrEqual(0.75);
});

test("a model that lies about all of them gets no quote fabricated, and no lie believed", async () => {
  const scores = await measureLies();
  expect(scores.reduce((sum, { lies }) => sum + lies, 0)).toBeGreaterThan(400);
  for (const { page, fabricated, believed } of scores)
    expect({ page, fabricated, believed }).toEqual({ page, fabricated: 0, believed: [] });
});
