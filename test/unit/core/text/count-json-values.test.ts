import { expect, test } from "vitest";
import { countJsonValues, isDeeperThan } from "../../../../src/core/text/count-json-values.ts";

const count = (json: string, max = 1_000): number => countJsonValues(new TextEncoder().encode(json), max);

test.each([
  { json: "{}", values: 1 },
  { json: "[[[", values: 3 },
  { json: '["[{"]', values: 1 },
  { json: '{"a":1}', values: 2 },
  { json: '{"a":[1,2,{"b":null}],"c":"x"}', values: 9 },
  { json: '{"a,b:c":"d,e:f"}', values: 2 },
  { json: String.raw`{"a\"b,c:":"\\","d":"\\\",:"}`, values: 4 },
  { json: '{"ü":"漢,字"}', values: 2 },
  { json: '{"never ended,,,,:', values: 1 },
  { json: "", values: 0 },
])("$json has $values", ({ json, values }) => {
  expect(count(json)).toBe(values);
});

test("ends right behind the limit", () => {
  expect(count(`[${"1,".repeat(500)}1]`, 100)).toBe(101);
});

test.each([
  { json: "{}", levels: 1 },
  { json: '{"a":[1,{"b":[]}],"c":[[]]}', levels: 4 },
  { json: "[[],[],[]]", levels: 2 },
])("$json has $levels levels", ({ json, levels }) => {
  const bytes = new TextEncoder().encode(json);
  expect([isDeeperThan(bytes, levels), isDeeperThan(bytes, levels - 1)]).toEqual([false, true]);
});
