import { RE2JS } from "re2js";
import { expect, test, vi } from "vitest";
import { schemaFault, schemaProblems, type JsonSchema } from "../../../../src/core/schema/json-schema.ts";
import { shapeOf, type Shape } from "../../../../src/content/structured-data/schema/schema-shape.ts";
import { processorMs } from "../../../processor-time.ts";

/** Of processor time; each of them takes less than a tenth of it. */
const MAX_MS = 3_000;

/** Levels of definitions, each of which refers to the next one so many times. */
function references(
  levels: number,
  { times, by }: { times: number; by: "properties" | "allOf" | "anyOf" },
): JsonSchema {
  const definitions: Record<string, unknown> = { [`a${levels}`]: { type: "string" } };
  for (let level = 0; level < levels; level++) {
    const next = Array.from({ length: times }, () => ({ $ref: `#/$defs/a${level + 1}` }));
    definitions[`a${level}`] =
      by === "properties"
        ? { type: "object", properties: Object.fromEntries(next.map((part, index) => [`p${index}`, part])) }
        : { [by]: next };
  }
  return { type: "object", properties: { top: { $ref: "#/$defs/a0" } }, $defs: definitions };
}

function nested(levels: number): JsonSchema {
  let schema: JsonSchema = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { type: "object", properties: { a: schema } };
  return schema;
}

/** Levels of properties, each of which leads to the next one through so many references. */
function chains(levels: number, length: number): JsonSchema {
  const definitions: Record<string, unknown> = { [`d${levels}-0`]: { type: "string" } };
  for (let level = 0; level < levels; level++) {
    for (let at = 0; at < length; at++) definitions[`d${level}-${at}`] = { $ref: `#/$defs/d${level}-${at + 1}` };
    definitions[`d${level}-${length}`] = { type: "object", properties: { a: { $ref: `#/$defs/d${level + 1}-0` } } };
  }
  return { type: "object", properties: { a: { $ref: "#/$defs/d0-0" } }, $defs: definitions };
}

test.each([
  { why: "100 levels of three references as properties", schema: references(100, { times: 3, by: "properties" }) },
  { why: "100 levels of three references in allOf", schema: references(100, { times: 3, by: "allOf" }) },
  { why: "100 levels of two references in anyOf", schema: references(100, { times: 2, by: "anyOf" }) },
  { why: "a chain of 20,000 references", schema: references(20_000, { times: 1, by: "allOf" }) },
  { why: "a reference to itself", schema: { type: "object", properties: { a: { $ref: "#/properties/a" } } } },
  { why: "two references in a circle", schema: { $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } }, $ref: "#/$defs/a" } },
  { why: "5,000 levels", schema: nested(5_000) },
  { why: "100,000 values in an enum", schema: { type: "string", enum: Array.from({ length: 100_000 }, (_, index) => `v${index}`) } },
  { why: "10,000 properties", schema: { type: "object", properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, {}])) } },
  { why: "names that are long together", schema: { type: "object", properties: { ["x".repeat(1_000_000)]: { type: "object", properties: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, {}])) } } } },
  { why: "a pattern of 2,000 characters", schema: { type: "string", pattern: "a".repeat(2_000) } },
  { why: "a pattern that is none", schema: { type: "string", pattern: "(" } },
  { why: "patterns that are large together", schema: { type: "object", properties: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, { pattern: `(?:[a-z]{900}){1}${index}` }])) } },
  { why: "a reference of 2,000 characters", schema: { type: "object", properties: { a: { $ref: `#${"/x".repeat(1_000)}` } } } },
  { why: "a long reference that is asked for at each level", schema: { type: "object", properties: { a: { $ref: `#${"/x".repeat(250_000)}` }, b: { $ref: "#" } } } },
  { why: "twelve levels of 990 references each", schema: chains(12, 990) },
  { why: "a reference that depends on its place", schema: { type: "object", properties: { a: { $dynamicRef: "#a" } } } },
])("a schema with $why is refused", async ({ schema }) => {
  const refuse = (): void => expect(schemaFault(schema)).toEqual(expect.any(String));
  expect(await processorMs(refuse)).toBeLessThan(MAX_MS);
}); // prettier-ignore

test.each([
  { why: "a tree of nodes", schema: { $defs: { node: { type: "object", properties: { name: { type: "string" }, left: { $ref: "#/$defs/node" }, right: { $ref: "#/$defs/node" } } } }, $ref: "#/$defs/node" } },
  { why: "40 levels of objects", schema: nested(40) },
  { why: "twelve levels of 100 references each", schema: chains(12, 100) },
  { why: "patterns with signs by their number", schema: { type: "string", pattern: String.raw`^[^\u{2014}]+\u{2014}\u{9999}$` } },
  { why: "a pattern with look-ahead, as zod writes for addresses", schema: { type: "object", properties: { mail: { type: "string", pattern: String.raw`^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$` } } } },
  { why: "properties that are called like keywords", schema: { type: "object", properties: { pattern: { type: "string" }, $id: { type: "string" }, enum: { type: "string" }, not: { type: "string" } } } },
])("a schema with $why is taken", ({ schema }) => {
  expect(schemaFault(schema)).toBeUndefined();
}); // prettier-ignore

test("a schema that holds itself in many places is read to fewer levels", () => {
  const inner = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`p${index}`, { $ref: "#" }]));
  const schema = { type: "object", properties: { name: { type: "string" }, ...inner } };
  expect(schemaFault(schema)).toBeUndefined();
  expect(countShapes(shapeOf(schema))).toBeLessThan(6_000);
});

function countShapes(shape: Shape): number {
  if (shape.kind === "array") return 1 + countShapes(shape.items);
  if (shape.kind !== "object") return 1;
  return shape.properties.reduce((sum, property) => sum + countShapes(property.shape), 1);
}

test("a pattern is checked in linear time, wherever its text stands", async () => {
  const evil = { type: "string", pattern: "^(a+)+$" };
  const schema = { type: "object", properties: { a: evil, list: { type: "array", items: evil }, b: { $ref: "#/$defs/c" } }, $defs: { c: evil } };
  const text = `${"a".repeat(50_000)}!`;
  const check = (): void =>
    expect(schemaProblems(schema, { a: text, list: ["aa", text], b: text })).toEqual([
      "/a: String does not match pattern.",
      "/list/1: String does not match pattern.",
      "/b: String does not match pattern.",
    ]);
  expect(await processorMs(check)).toBeLessThan(MAX_MS);
  expect(schemaProblems(schema, { a: "aaa", list: ["a"], b: "aa" })).toEqual([]);
}); // prettier-ignore

test("a pattern that is too large is refused before it is compiled", () => {
  const compile = vi.spyOn(RE2JS, "compile");
  try {
    expect(schemaFault({ type: "string", pattern: "a{1000}".repeat(140) })).toBe("its patterns are too large");
    expect(schemaFault({ type: "string", pattern: String.raw`[^\p{L}a]|`.repeat(90) })).toBeUndefined();
    expect(compile).toHaveBeenCalledTimes(1);
  } finally {
    compile.mockRestore();
  }
});

function withPatterns(patterns: readonly string[]): JsonSchema {
  return { type: "object", properties: Object.fromEntries(patterns.map((pattern, at) => [`p${at}`, { pattern }])) };
}

test.each([
  { what: "alternatives of Unicode classes", unit: String.raw`\pL|[^\P{Nd}x]|`, compiled: 2 },
  { what: "alternatives of letters", unit: "abcdefg|", compiled: 5 },
])("patterns of many $what, which compile to few steps, are refused while few are compiled", ({ unit, compiled }) => {
  const patterns = Array.from({ length: 200 }, (_, index) => `(?i)${unit.repeat(900 / unit.length)}${index}`);
  const compile = vi.spyOn(RE2JS, "compile");
  try {
    expect(schemaFault(withPatterns(patterns))).toBe("its patterns are too large");
    expect(compile).toHaveBeenCalledTimes(compiled);
  } finally {
    compile.mockRestore();
  }
});

test("a pattern that many properties share counts once", () => {
  const patterns = Array.from({ length: 150 }, () => String.raw`^[\p{L}\p{N}]{3,40}(?:-[a-z0-9]{1,20}){0,5}$`);
  expect(schemaFault(withPatterns(patterns))).toBeUndefined();
});

/** Fits a text of the letters a, b and c in the slowest way. */
const SLOW = "(?:a|b|c)*a(?:a|b|c){900}d?e";

test("a text is matched once with a pattern, however often the schema refers to it", () => {
  const parts = Array.from({ length: 490 }, () => ({ $ref: "#/$defs/p" }));
  const schema = { type: "object", properties: { a: { allOf: parts }, b: { allOf: parts } }, $defs: { p: { type: "string", pattern: SLOW } } };
  expect(schemaFault(schema)).toBeUndefined();
  const run = vi.spyOn(RE2JS.prototype, "test");
  try {
    expect(schemaProblems(schema, { a: "abc", b: "abca" })).toEqual([
      "/a: String does not match pattern.",
      "/b: String does not match pattern.",
    ]);
    expect(run).toHaveBeenCalledTimes(2);
  } finally {
    run.mockRestore();
  }
}); // prettier-ignore

test("texts beyond the steps of a check are not matched, and few states of patterns are kept", () => {
  const schema = { type: "array", items: { type: "string", pattern: "x{900}" } };
  const texts = Array.from({ length: 100 }, (_, index) => `${index}${"a".repeat(500)}`);
  const run = vi.spyOn(RE2JS.prototype, "test");
  const compile = vi.spyOn(RE2JS, "compile");
  try {
    expect(schemaProblems(schema, [...texts, "a"])).toContain("/100: String does not match pattern.");
    // 10 million steps, for each 900 of which one character is matched.
    expect(run.mock.calls.length).toBeLessThan(25);
    expect(run.mock.calls.length).toBeGreaterThan(20);
    expect(compile.mock.calls.length).toBeGreaterThan(3);
  } finally {
    run.mockRestore();
    compile.mockRestore();
  }
});

test("names that fit patternProperties are checked, and the format url does not backtrack", async () => {
  const schema = { type: "object", patternProperties: { "^x-": { type: "string", pattern: "^[0-9]+$" } }, properties: { url: { type: "string", format: "url" } } };
  expect(schemaProblems(schema, { "x-a": "12", other: "z" })).toEqual([]);
  expect(schemaProblems(schema, { "x-a": "z" })).toEqual(["/x-a: String does not match pattern."]);
  const check = (): void => expect(schemaProblems(schema, { url: `http://${"a".repeat(5_000)}` })).toEqual([]);
  expect(await processorMs(check)).toBeLessThan(MAX_MS);
}); // prettier-ignore

test.each(["#/$defs/none", "https://a.example/schema"])("a $ref to %s is refused by its name alone", (reference) => {
  const schema: JsonSchema = { type: "object", $ref: reference };
  expect(schemaFault(schema)).toBe(`its $ref "${reference}" leads to no part of it`);
});

const TOO_LARGE = ["/: The value is too large to be checked against the schema."];

test.each([
  { what: "objects in an enum", item: { enum: Array.from({ length: 4_900 }, (_, a) => ({ a })) }, value: { a: -1 } },
  { what: "branches of a union", item: { anyOf: Array.from({ length: 990 }, (_, a) => ({ const: a })) }, value: -1 },
  { what: "branches by reference", item: { $ref: "#/$defs/a" }, value: -1 },
  { what: "a long constant", item: { const: "x".repeat(100_000) }, value: "a" },
])("a long answer by a schema of $what is not checked, and a short one is", ({ item, value }) => {
  const $defs = { a: { allOf: [{ not: { anyOf: Array.from({ length: 900 }, () => ({ type: "number" })) } }] } };
  const schema = { type: "object", properties: { list: { type: "array", items: item } }, $defs };
  expect(schemaProblems(schema, { list: Array.from({ length: 2_000 }, () => value) })).toEqual(TOO_LARGE);
  const problems = schemaProblems(schema, { list: [value] });
  expect(problems).not.toEqual(TOO_LARGE);
  expect(problems).not.toEqual([]);
}); // prettier-ignore

test("a message names the first choices of a long enum alone", () => {
  const choices = Array.from({ length: 4_000 }, (_, index) => `choice ${index}`);
  const schema = { type: "array", items: { enum: choices } };
  const problems = schemaProblems(schema, ["none"]).join("\n");
  expect(problems).toMatch(/any of \["choice 0","choice 1",.*,"… and 39\d\d more"\]/);
  expect(problems.length).toBeLessThan(1_500);
  expect(schemaProblems(schema, choices.slice(0, 1_000))).toEqual([]);
});

test("a long list of unique items is compared in linear time", () => {
  const schema = { type: "object", properties: { list: { type: "array", uniqueItems: true, items: { type: "object" } } } };
  const list = Array.from({ length: 5_000 }, (_, a) => ({ a, b: [a, { c: null, 1: "x" }] }));
  expect(schemaProblems(schema, { list })).toEqual([]);
  const twice = { list: [...list, { b: [7, { 1: "x", c: null }], a: 7 }] };
  expect(schemaProblems(schema, twice)).toEqual(["/list: Duplicate items."]);
  expect(schemaProblems(schema, { list: twice.list.slice(5_000 - 400).concat(list.slice(4_900, 4_901)) }).join("\n")).toContain("Duplicate");
}); // prettier-ignore
