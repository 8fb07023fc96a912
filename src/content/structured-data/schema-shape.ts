import { decodePercent } from "../../core/decode-percent.ts";
import type { JsonSchema } from "../../core/json-schema.ts";

/** What a part of a JSON Schema asks for, with references followed and unions settled. */
export type Shape =
  | { kind: "object"; properties: { name: string; shape: Shape; isRequired: boolean }[]; hints: Hints }
  | { kind: "array"; items: Shape; hints: Hints }
  | { kind: "string" | "number" | "integer" | "boolean" | "any"; hints: Hints };

export interface Hints {
  title: string;
  description: string;
  format: string;
  choices: readonly unknown[];
}

const MAX_DEPTH = 12;

/** Reads a caller's schema; parts that cannot be read ask for anything. */
export function shapeOf(schema: unknown, root: unknown = schema, depth = 0): Shape {
  const settled = settle(schema, root, depth);
  const hints = hintsOf(settled);
  if (depth > MAX_DEPTH) return { kind: "any", hints };
  switch (typeOf(settled)) {
    case "object":
      return { kind: "object", properties: propertiesOf(settled, root, depth), hints };
    case "array":
      return { kind: "array", items: shapeOf(settled["items"] ?? {}, root, depth + 1), hints };
    case "string":
      return { kind: "string", hints };
    case "number":
      return { kind: "number", hints };
    case "integer":
      return { kind: "integer", hints };
    case "boolean":
      return { kind: "boolean", hints };
    default:
      return { kind: "any", hints };
  }
}

function propertiesOf(schema: JsonSchema, root: unknown, depth: number) {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  return Object.entries(properties).map(([name, inner]) => ({
    name,
    shape: shapeOf(inner, root, depth + 1),
    isRequired: required.includes(name),
  }));
}

/** Follows `$ref`, merges `allOf`, and of several possibilities takes the first that is not null. */
function settle(schema: unknown, root: unknown, depth: number): JsonSchema {
  if (!isObject(schema) || depth > MAX_DEPTH) return {};
  const reference = schema["$ref"];
  if (typeof reference === "string")
    return { ...settle(resolve(reference, root), root, depth + 1), ...without(schema, "$ref") };
  const parts = schema["allOf"];
  if (Array.isArray(parts)) {
    const merged = parts.map((part) => settle(part, root, depth + 1));
    const properties = Object.assign({}, ...merged.map((part) => part["properties"] ?? {}), schema["properties"] ?? {});
    return { ...Object.assign({}, ...merged), ...without(schema, "allOf"), properties };
  }
  for (const key of ["anyOf", "oneOf"] as const) {
    const choices = schema[key];
    if (!Array.isArray(choices)) continue;
    const first = choices.find((choice) => !isObject(choice) || choice["type"] !== "null");
    return { ...settle(first, root, depth + 1), ...without(schema, key) };
  }
  return schema;
}

function resolve(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return {};
  const steps = reference
    .slice(1)
    .split("/")
    .filter((step) => step !== "");
  let found: unknown = root;
  for (const step of steps) {
    const name = decodePercent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

function typeOf(schema: JsonSchema): string | undefined {
  const { type } = schema;
  const named = Array.isArray(type) ? type.find((one) => one !== "null") : type;
  if (typeof named === "string") return named;
  if (isObject(schema["properties"])) return "object";
  if (schema["items"] !== undefined) return "array";
  const choices = schema["enum"];
  return Array.isArray(choices) && choices.every((choice) => typeof choice === "string") ? "string" : undefined;
}

function hintsOf(schema: JsonSchema): Hints {
  const text = (name: string): string => (typeof schema[name] === "string" ? schema[name] : "");
  const choices = Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : [];
  return { title: text("title"), description: text("description"), format: text("format"), choices };
}

function without(schema: JsonSchema, key: string): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key));
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
