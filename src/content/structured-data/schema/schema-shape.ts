import type { JsonSchema } from "../../../core/schema/json-schema.ts";
import { MAX_SHAPE_DEPTH, shapeDepthOf } from "../../../core/schema/schema-limits.ts";
import { SchemaReferences } from "../../../core/schema/schema-references.ts";

/** The value that a part of a JSON Schema asks for, with references followed and unions settled. */
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

/**
 * Reads a caller's schema; parts that cannot be read accept anything. References are followed down to 12 levels, to
 * fewer in a schema that refers to itself in many places.
 */
export function shapeOf(schema: unknown): Shape {
  return new ShapeReader(schema).shape(schema, 0);
}

class ShapeReader {
  readonly #references: SchemaReferences;
  readonly #maxDepth: number;
  /** Per level the shapes that were read there: the target of several references is read once. */
  readonly #known: Map<unknown, Shape>[] = Array.from({ length: MAX_SHAPE_DEPTH + 2 }, () => new Map());

  constructor(root: unknown) {
    this.#references = new SchemaReferences(root);
    this.#maxDepth = shapeDepthOf(root);
  }

  shape(schema: unknown, depth: number): Shape {
    const known = this.#known[depth]?.get(schema);
    if (known !== undefined) return known;
    const shape = this.#read(schema, depth);
    this.#known[depth]?.set(schema, shape);
    return shape;
  }

  #read(schema: unknown, depth: number): Shape {
    const settled = this.#settle(schema, depth);
    const hints = hintsOf(settled);
    if (depth > this.#maxDepth) return { kind: "any", hints };
    const type = typeOf(settled);
    switch (type) {
      case "object":
        return { kind: "object", properties: this.#properties(settled, depth), hints };
      case "array":
        return { kind: "array", items: this.shape(settled["items"] ?? {}, depth + 1), hints };
      case "string":
      case "number":
      case "integer":
      case "boolean":
        return { kind: type, hints };
      default:
        return { kind: "any", hints };
    }
  }

  #properties(schema: JsonSchema, depth: number) {
    const required = new Set<unknown>(Array.isArray(schema["required"]) ? schema["required"] : []);
    const properties = isObject(schema["properties"]) ? schema["properties"] : {};
    return Object.entries(properties).map(([name, inner]) => ({
      name,
      shape: this.shape(inner, depth + 1),
      isRequired: required.has(name),
    }));
  }

  /** Follows `$ref`, merges `allOf`, and of several alternatives takes the first that is not null. */
  #settle(schema: unknown, depth: number): JsonSchema {
    if (!isObject(schema) || depth > this.#maxDepth) return {};
    const reference = schema["$ref"];
    if (typeof reference === "string")
      return { ...this.#settle(this.#references.resolve(reference), depth + 1), ...without(schema, "$ref") };
    const parts = schema["allOf"];
    if (Array.isArray(parts)) {
      const merged = parts.map((part) => this.#settle(part, depth + 1));
      const properties = Object.assign(
        {},
        ...merged.map((part) => part["properties"] ?? {}),
        schema["properties"] ?? {},
      );
      return { ...Object.assign({}, ...merged), ...without(schema, "allOf"), properties };
    }
    for (const key of ["anyOf", "oneOf"] as const) {
      const choices = schema[key];
      if (!Array.isArray(choices)) continue;
      const first: unknown = choices.find((choice) => !isObject(choice) || choice["type"] !== "null");
      return { ...this.#settle(first, depth + 1), ...without(schema, key) };
    }
    return schema;
  }
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
