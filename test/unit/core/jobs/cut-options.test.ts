import { expect, test } from "vitest";
import { cutOptions } from "../../../../src/core/jobs/cut-options.ts";
import { utf8Length } from "../../../../src/core/text/utf8.ts";

const JSON_TEXT = JSON.stringify({
  schema: { description: "波".repeat(100) },
  prompt: "Waves",
  urls: ["a".repeat(40)],
  limit: 3,
});

test("options that fit stay as they are", () => {
  expect(cutOptions(JSON_TEXT, utf8Length(JSON_TEXT))).toEqual({ json: JSON_TEXT, isCut: false });
});

test.each([
  { maxBytes: utf8Length(JSON_TEXT) - 1, names: ["prompt", "urls", "limit"] },
  { maxBytes: 100, names: ["prompt", "urls", "limit"] },
  { maxBytes: 40, names: ["prompt", "limit"] },
  { maxBytes: 2, names: [] },
])("$maxBytes bytes of options have the short fields $names", ({ maxBytes, names }) => {
  const { json, isCut } = cutOptions(JSON_TEXT, maxBytes);
  expect(Object.keys(JSON.parse(json) as object)).toEqual(names);
  expect(utf8Length(json)).toBeLessThanOrEqual(maxBytes);
  expect(isCut).toBe(true);
});
