import { expect, test } from "vitest";
import { fromGraphNodes, toGraphNodes, type GraphNodes } from "../../../../src/core/text/graph-in-json.ts";

const copyOf = (value: object): unknown =>
  fromGraphNodes(JSON.parse(JSON.stringify(toGraphNodes(value))) as GraphNodes);

test("data that refers to itself comes back as it was", () => {
  const part: Record<string, unknown> = { name: "Part", tags: ["a", 1, null, true, []] };
  const whole = { parts: [part, part], part };
  part["whole"] = whole;
  const copy = copyOf(whole) as typeof whole;
  expect(copy).toEqual(whole);
  expect(copy.parts[0]).toBe(copy.part);
  expect(copy.part["whole"]).toBe(copy);
});

test("an object that is referred to many times is written once", () => {
  const name = "x".repeat(1_000);
  let value: object = { name };
  for (let level = 0; level < 20; level++) value = { left: value, right: value };
  expect(JSON.stringify(toGraphNodes(value)).length).toBeLessThan(3_000);
  expect(copyOf(value)).toMatchObject({ left: { right: {} } });
});

test("references that lead nowhere are undefined, and a prototype is not replaced", () => {
  expect(fromGraphNodes([{ a: [7], b: ["x"] }])).toEqual({ a: undefined, b: undefined });
  const value = fromGraphNodes(JSON.parse('[{"__proto__":[1],"a":2},{}]') as GraphNodes);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});
