import type { JsonSchema } from "../../../core/schema/json-schema.ts";

/**
 * Returns a caller's schema in the form that a model receives: every property may be null, and none is required, so
 * that the model need not invent values that a page does not state.
 */
export function nullableSchema(schema: JsonSchema): JsonSchema {
  return loosen(schema, true) as JsonSchema;
}

const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const MAPS = ["properties", "$defs", "definitions", "patternProperties"];
const SINGLE = ["items", "additionalProperties"];

function loosen(schema: unknown, isRoot: boolean): unknown {
  if (!isObject(schema)) return schema;
  const loose: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) {
    if (name === "required" || name === "minItems" || name === "minProperties" || name === "default") continue;
    if (LISTS.includes(name) && Array.isArray(value)) loose[name] = value.map((part) => loosen(part, true));
    else if (MAPS.includes(name) && isObject(value)) {
      loose[name] = Object.fromEntries(
        Object.entries(value).map(([key, part]) => [key, loosen(part, name === "$defs" || name === "definitions")]),
      );
    } else if (SINGLE.includes(name)) loose[name] = loosen(value, true);
    else loose[name] = value;
  }
  return isRoot ? loose : orNull(loose);
}

function orNull(schema: Record<string, unknown>): Record<string, unknown> {
  const { type } = schema;
  const choices = schema["enum"];
  if (Array.isArray(choices))
    return { ...schema, ...(type === undefined ? {} : { type: withNull(type) }), enum: [...choices, null] };
  if (type !== undefined) return { ...schema, type: withNull(type) };
  const hasShape = ["$ref", "anyOf", "oneOf", "allOf", "const"].some((name) => name in schema);
  return hasShape ? { anyOf: [schema, { type: "null" }] } : schema;
}

function withNull(type: unknown): unknown {
  const types = Array.isArray(type) ? type : [type];
  return types.includes("null") ? type : [...types, "null"];
}

/** Returns the answer without empty properties. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === null || inner === undefined ? [] : [[name, withoutNulls(inner)]],
    ),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
