import { describe, expect, test } from "vitest";
import type { Schema } from "../../../src/ui/api/openapi.ts";
import { schemasAt } from "../../../src/ui/parts/editor/schema-at.ts";
import { problemsOf } from "../../../src/ui/parts/editor/schema-problems.ts";

const format = (type: string, properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: "object",
  properties: { type: { type: "string", enum: [type] }, ...properties },
  required: ["type", ...required],
  additionalProperties: false,
});
const schema: Schema = {
  type: "object",
  properties: {
    url: { type: "string", maxLength: 20 },
    timeout: { type: "integer", minimum: 1_000 },
    formats: {
      type: "array",
      items: {
        anyOf: [
          { enum: ["markdown", "links"] },
          format("screenshot", { fullPage: { type: "boolean" } }),
          format("attributes", { selectors: { type: "array" } }, ["selectors"]),
        ],
      },
    },
    headers: { type: "object", additionalProperties: { type: "string" } },
  },
  required: ["url"],
  additionalProperties: false,
};

describe("a value is compared with its schema", () => {
  test.each([
    { value: { url: "https://a.example/" }, problems: [] },
    { value: { url: "u", formats: ["markdown", { type: "screenshot", fullPage: true }] }, problems: [] },
    { value: {}, problems: [[[], "“url” is required"]] },
    { value: { url: 5 }, problems: [[["url"], "Expected string"]] },
    { value: { url: "u".repeat(21) }, problems: [[["url"], "At most 20 characters"]] },
    { value: { url: "u", timeout: 1 }, problems: [[["timeout"], "The minimum is 1000"]] },
    { value: { url: "u", timeout: 1_000.5 }, problems: [[["timeout"], "Expected integer"]] },
    { value: { url: "u", formts: [] }, problems: [[["formts"], "“formts” is not an option here"]] },
    { value: { url: "u", headers: { a: 1 } }, problems: [[["headers", "a"], "Expected string"]] },
    {
      value: { url: "u", formats: [{ type: "attributes" }] },
      problems: [[["formats", 0], "“selectors” is required"]],
    },
    {
      value: { url: "u", formats: [{ type: "screenshot", fullPage: "yes" }] },
      problems: [[["formats", 0, "fullPage"], "Expected boolean"]],
    },
    { value: { url: "u", formats: ["pdf"] }, problems: [[["formats", 0], 'Expected "markdown", "links", object']] },
  ])("$value", ({ value, problems }) => {
    expect(problemsOf(value, schema).map(({ path, message }) => [path, message])).toEqual(problems);
  });
});

test("the schemas at a path are those of the value's type", () => {
  const value = { formats: [{ type: "screenshot" }] };
  const [screenshot, ...others] = schemasAt(schema, ["formats", 0], value);
  expect(Object.keys(screenshot?.properties ?? {})).toEqual(["type", "fullPage"]);
  expect(others).toEqual([]);
  expect(schemasAt(schema, ["formats", 0], undefined)).toHaveLength(3);
  expect(schemasAt(schema, ["headers", "x"], undefined)).toEqual([{ type: "string" }]);
  expect(schemasAt(schema, ["nope", "x"], undefined)).toEqual([]);
});
