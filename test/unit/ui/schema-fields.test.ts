import { describe, expect, test } from "vitest";
import { fieldsOfExample, fromFields, toFields } from "../../../src/ui/playground/schema/schema-fields.ts";

const schema = {
  type: "object",
  properties: {
    name: { type: "string", description: "Name of the product" },
    price: { type: "number" },
    tags: { type: "array", items: { type: "string" } },
    maker: { type: "object", properties: { city: { type: "string" } } },
    offers: {
      type: "array",
      items: { type: "object", properties: { stock: { type: "integer" } }, required: ["stock"] },
    },
  },
  required: ["name"],
};

describe("a schema as a form", () => {
  test("is the same schema when it is read back", () => {
    const fields = toFields(schema);
    expect(fields?.map(({ name, type, isRequired }) => [name, type, isRequired])).toEqual([
      ["name", "string", true],
      ["price", "number", false],
      ["tags", "strings", false],
      ["maker", "object", false],
      ["offers", "objects", false],
    ]);
    expect(fromFields(fields ?? [])).toEqual(schema);
  });

  test.each([
    { type: "object", properties: { a: { enum: ["x"] } } },
    { type: "object", properties: { a: { type: "string", format: "date" } } },
    { type: "object", properties: {}, additionalProperties: false },
    { anyOf: [] },
    "text",
  ])("is edited as JSON if it has more than fields: %j", (other) => {
    expect(toFields(other)).toBeUndefined();
  });

  test("leaves out fields without a name", () => {
    const [field] = toFields(schema) ?? [];
    expect(field && fromFields([{ ...field, name: "" }])).toEqual({ type: "object", properties: {} });
  });
});

test("an example gives the fields and their types", () => {
  const example = {
    name: "Lantern",
    price: 48,
    isNew: true,
    tags: ["a"],
    sizes: [1],
    maker: { city: "H" },
    offers: [{ p: 1 }],
    none: null,
  };
  expect(fromFields(fieldsOfExample(example))).toEqual({
    type: "object",
    properties: {
      name: { type: "string" },
      price: { type: "number" },
      isNew: { type: "boolean" },
      tags: { type: "array", items: { type: "string" } },
      sizes: { type: "array", items: { type: "number" } },
      maker: { type: "object", properties: { city: { type: "string" } } },
      offers: { type: "array", items: { type: "object", properties: { p: { type: "number" } } } },
      none: { type: "string" },
    },
  });
  expect(fieldsOfExample("text")).toEqual([]);
});
