import type { Schema } from "../../api/openapi.ts";
import { matching, variantsOf } from "./schema-at.ts";
import type { JsonStep } from "./schema-at.ts";

/** A difference between a value and its schema. */
export interface SchemaProblem {
  path: JsonStep[];
  message: string;
}

const MAX_PROBLEMS = 50;
const MAX_LISTED = 8;

/** Returns how a value differs from its schema: types, allowed values, limits, missing and unknown fields. */
export function problemsOf(value: unknown, schema: Schema, path: JsonStep[] = []): SchemaProblem[] {
  const variants = matching(variantsOf(schema), value);
  const results = variants.map((variant) => problemsOfOne(value, variant, path));
  const best = results.toSorted((one, other) => one.length - other.length)[0] ?? [];
  if (best.length === 0 || variants.length === 1) return best.slice(0, MAX_PROBLEMS);
  // A value inside of the best variant says more than that no variant fits.
  const inside = results.find((problems) => problems.every((problem) => problem.path.length > path.length));
  return (inside ?? [{ path, message: `Expected ${listed(variants.map(describe))}` }]).slice(0, MAX_PROBLEMS);
}

function problemsOfOne(value: unknown, schema: Schema, path: JsonStep[]): SchemaProblem[] {
  const own = problemOf(value, schema);
  if (own !== undefined) return [{ path, message: own }];
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? [] : value.flatMap((item, at) => problemsOf(item, items, [...path, at]));
  }
  if (typeof value === "object" && value !== null) return fieldProblems(value as Record<string, unknown>, schema, path);
  return [];
}

function fieldProblems(value: Record<string, unknown>, schema: Schema, path: JsonStep[]): SchemaProblem[] {
  const { properties, required = [], additionalProperties } = schema;
  const missing = required
    .filter((name) => value[name] === undefined)
    .map((name) => ({ path, message: `“${name}” is required` }));
  const inside = Object.entries(value).flatMap(([name, inner]) => {
    const known = properties?.[name];
    if (known !== undefined) return problemsOf(inner, known, [...path, name]);
    if (typeof additionalProperties === "object") return problemsOf(inner, additionalProperties, [...path, name]);
    const isOpen = properties === undefined || additionalProperties !== false;
    return isOpen ? [] : [{ path: [...path, name], message: `“${name}” is not an option here` }];
  });
  return [...missing, ...inside];
}

function problemOf(value: unknown, schema: Schema): string | undefined {
  const { enum: values, minimum, maximum, maxLength, minItems } = schema;
  const constant = schema.const;
  if (constant !== undefined && value !== constant) return `Expected ${JSON.stringify(constant)}`;
  if (values !== undefined && !values.includes(value))
    return `Expected ${listed(values.map((one) => JSON.stringify(one)))}`;
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return `Expected ${listed(types)}`;
  if (typeof value === "number" && minimum !== undefined && value < minimum) return `The minimum is ${minimum}`;
  if (typeof value === "number" && maximum !== undefined && value > maximum) return `The maximum is ${maximum}`;
  if (typeof value === "string" && maxLength !== undefined && value.length > maxLength)
    return `At most ${maxLength} characters`;
  if (Array.isArray(value) && minItems !== undefined && value.length < minItems) return `At least ${minItems} items`;
  return undefined;
}

function typesOf({ type }: Schema): string[] {
  if (type === undefined) return [];
  return Array.isArray(type) ? type : [type];
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function describe(schema: Schema): string {
  if (schema.enum !== undefined) return listed(schema.enum.map((one) => JSON.stringify(one)));
  return typesOf(schema).join(" or ") || "a value";
}

function listed(names: readonly string[]): string {
  const different = [...new Set(names)];
  const shown = different.slice(0, MAX_LISTED).join(", ");
  return different.length > MAX_LISTED ? `${shown}, …` : shown;
}
