import { expect, test } from "vitest";
import type { JsonSchema } from "../../../../../src/core/schema/json-schema.ts";
import { shapeOf } from "../../../../../src/content/structured-data/schema/schema-shape.ts";

const schemaWith = (reference: string): JsonSchema => ({
  type: "object",
  properties: { price: { $ref: reference } },
  $defs: { "an amount": { type: "number" } },
});

test("references are followed through their percent-encoding (RFC 6901 § 6)", () => {
  const found = shapeOf(schemaWith("#/$defs/an%20amount"));
  expect(found).toEqual(shapeOf({ type: "object", properties: { price: { type: "number" } } }));
});

test("a reference with a broken encoding leads nowhere, and breaks nothing", () => {
  expect(shapeOf(schemaWith("#/$defs/%zz"))).toEqual(shapeOf(schemaWith("#/$defs/missing")));
});
