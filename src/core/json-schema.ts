import { Validator, type Schema } from "@cfworker/json-schema";

/** A JSON Schema as a caller sends it. */
export type JsonSchema = Record<string, unknown>;

const DRAFT = "2020-12";

/**
 * Checks a value against a JSON Schema (draft 2020-12) without generating code, which Workers forbid.
 * @returns what is wrong, one line a place, at most eight; empty when the value fits.
 */
export function schemaProblems(schema: JsonSchema, value: unknown): string[] {
  const { valid, errors } = validatorOf(schema).validate(value);
  if (valid) return [];
  const lines = errors.map(({ instanceLocation, error }) => `${instanceLocation.replace(/^#/, "") || "/"}: ${error}`);
  return [...new Set(lines)].slice(-8);
}

/** @returns why a caller's schema cannot be used; undefined when it can. */
export function schemaFault(schema: JsonSchema): string | undefined {
  const fault = shapeFault(schema, "schema");
  if (fault !== undefined) return fault;
  try {
    validatorOf(schema).validate({});
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const TYPES: ReadonlySet<unknown> = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** The validator passes over keywords whose values make no sense: these are the ones that everything hangs on. */
function shapeFault(schema: unknown, at: string): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return `${at} must be an object`;
  const { type, properties, items } = schema as JsonSchema;
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (!types.every((one) => TYPES.has(one))) return `${at}.type names no type of JSON`;
  if (items !== undefined && !Array.isArray(items)) {
    const fault = shapeFault(items, `${at}.items`);
    if (fault !== undefined) return fault;
  }
  if (properties === undefined) return undefined;
  if (typeof properties !== "object" || properties === null || Array.isArray(properties))
    return `${at}.properties must be an object`;
  for (const [name, inner] of Object.entries(properties)) {
    const fault = shapeFault(inner, `${at}.properties.${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

// The library's type names every keyword; unknown ones are ignored by it, hence the cast.
function validatorOf(schema: JsonSchema): Validator {
  return new Validator(schema as Schema, DRAFT, false);
}
