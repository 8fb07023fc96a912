import { expect, test, vi } from "vitest";
import { readModelJson } from "../../../../src/core/schema/read-model-json.ts";
import { processorMs } from "../../../processor-time.ts";

test.each([
  { form: "alone", text: '{"a":1}' },
  { form: "in a fence", text: 'Here it is:\n```json\n{"a":1}\n```\nand {more}' },
  { form: "in a fence with blank lines and spaces", text: 'So: ``` \n\n {"a":1}\n\n  ``` ' },
  { form: "in a fence without an end", text: 'So:\n```JSON5\n{"a":1}' },
  { form: "within a sentence", text: 'The value is {"a":1}, I think.' },
  { form: "with errors", text: "{a: 1,}" },
  { form: "cut off", text: '[{"a":1},{"a":2', value: [{ a: 1 }, { a: 2 }] },
])("JSON $form is read", ({ text, value = { a: 1 } }) => expect(readModelJson(text)).toEqual({ value }));

test.each(["", "None.", "12", '"a"'])("%j is no object or array", (text) =>
  expect(readModelJson(text)).toBeUndefined(),
);

test.each([
  { what: "line breaks in a fence", text: `\`\`\`\n{${"\n".repeat(64_000)}x` },
  { what: "line breaks behind a fence", text: `\`\`\`${"\n\u2028".repeat(32_000)}` },
  { what: "fences", text: "```".repeat(20_000) },
  { what: "numbers without commas", text: `[${"1 ".repeat(80_000)}]` },
])("an answer of $what is read in linear time", async ({ text }) => {
  expect(await processorMs(() => readModelJson(text))).toBeLessThan(500);
});

test("a long answer without errors is read whole", () => {
  const value = Array.from({ length: 20_000 }, (_, index) => index);
  expect(readModelJson(JSON.stringify(value))).toEqual({ value });
});

test("of an answer that cannot be read, one candidate is repaired", () => {
  const tries = vi.spyOn(JSON, "parse");
  try {
    const bad = `{"a":1}}}} ${'"'.repeat(100)}`;
    readModelJson(`[Note] this is it:\n\`\`\`json\n${bad}\n\`\`\`\nand {more}`);
    // Two candidates begin with a bracket as they are, and one of them is repaired.
    expect(tries.mock.calls.length).toBeLessThanOrEqual(3);
  } finally {
    tries.mockRestore();
  }
  expect(readModelJson("[Note] this is it:\n```json\n{a: 1,}\n```")).toEqual({ value: { a: 1 } });
});

test("a long answer is repaired at its end alone", () => {
  const items = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `"Elba, \\ ${id}"`, tags: ["a", "b"] }));
  const json = JSON.stringify({ items });
  for (const cut of [1, 2, 5, 15, 20, 40]) {
    const value = readModelJson(`So: ${json.slice(0, -cut)}`)?.value as { items: unknown[] };
    expect(value.items.slice(0, 998)).toEqual(items.slice(0, 998));
  }
  expect(readModelJson(json.replaceAll("},{", "} {"))).toBeUndefined();
  expect(readModelJson(json.slice(0, -2))).toEqual({ value: { items } });
  expect(readModelJson(`${json.slice(0, -2)},{"text":"It is`)).toEqual({
    value: { items: [...items, { text: "It is" }] },
  });
  expect(readModelJson(`${json.slice(0, -2)},{"text"`)).toEqual({ value: { items: [...items, {}] } });
  expect(readModelJson(`[${"1 ".repeat(20_000)}`)).toBeUndefined();
});

test("JSON of more levels than readers go through is no answer", () => {
  const nested = (levels: number): string => '{"a":'.repeat(levels) + "1" + "}".repeat(levels);
  expect(readModelJson(nested(200))).toBeDefined();
  expect(readModelJson(nested(201))).toBeUndefined();
  expect(readModelJson(`So: ${nested(3_000)}`)).toBeUndefined();
  expect(readModelJson('{"a":'.repeat(3_000))).toBeUndefined();
});
