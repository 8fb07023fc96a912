import { Validator, type Schema } from "@cfworker/json-schema";
import { costsOfCheck } from "./check-cost.ts";
import { schemaLimitFault } from "./schema-limits.ts";
import { patternProblems } from "./schema-patterns.ts";

/** A JSON Schema as a caller sends it. */
export type JsonSchema = Record<string, unknown>;

const DRAFT = "2020-12";

/**
 * Checks a value against a JSON Schema (draft 2020-12) without generating code, which Workers forbid.
 * @returns problems, one line per location, at most eight; empty when the value is valid. A value that takes more than
 *   some tenths of a second has one: it is not checked.
 */
export function schemaProblems(schema: JsonSchema, value: unknown): string[] {
  const { isCostly, hasLongUniqueList } = costsOfCheck(schema, value);
  if (isCostly) return ["/: The value is too large to be checked against the schema."];
  const { valid, errors } = validatorOf(schema, hasLongUniqueList).validate(value);
  const lines = valid
    ? []
    : errors.map(({ instanceLocation, error }) => `${instanceLocation.replace(/^#/, "") || "/"}: ${error}`);
  return [...new Set([...lines, ...patternProblems(schema, value, hasLongUniqueList)])].slice(-8);
}

/** Returns why a caller's schema is invalid or exceeds a limit; undefined when it is usable. */
export function schemaFault(schema: JsonSchema): string | undefined {
  const fault = schemaLimitFault(schema) ?? shapeFault(schema, "schema");
  if (fault !== undefined) return fault;
  try {
    validatorOf(schema).validate({});
    return undefined;
  } catch (error) {
    return faultOf(error instanceof Error ? error.message : String(error));
  }
}

/** Returns the validator's message for callers: it lists the schemas that it knows by addresses of its own. */
function faultOf(message: string): string {
  const reference = /^Unresolved \$ref "([^"]*)"/.exec(message)?.[1];
  return reference === undefined ? message : `its $ref "${reference}" leads to no part of it`;
}

const TYPES: ReadonlySet<unknown> = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** Checks the structural keywords: the validator ignores keywords with invalid values. */
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
function validatorOf(schema: JsonSchema, withoutUnique = false): Validator {
  return new Validator(boundedSchema(schema, withoutUnique) as Schema, DRAFT, false);
}

/** Keywords that the library matches with backtracking, or that would change the targets of a schema's references. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "pattern", "patternProperties", "$id", "id", "$schema", "$recursiveRef", "$dynamicRef", "$recursiveAnchor",
  "__absolute_uri__", "__absolute_ref__", "__absolute_recursive_ref__",
]); // prettier-ignore
const MAPS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "dependentSchemas", "dependencies"]);
const VALUES: ReadonlySet<string> = new Set(["enum", "const", "default", "examples", "required"]);

/** Returns the schema for the library, without keywords matched in more than linear time: see `patternProblems`. */
function boundedSchema(schema: unknown, withoutUnique: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((part) => boundedSchema(part, withoutUnique));
  if (typeof schema !== "object" || schema === null) return schema;
  // Without its patterns, the library cannot apply `additionalProperties: false`.
  const isOpen = "patternProperties" in schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
      if (LEFT_OUT.has(name) && typeof value !== "boolean") return [];
      if (isOpen && name.endsWith("Properties") && typeof value === "boolean") return [];
      if (name === "uniqueItems" && withoutUnique) return [];
      if (name === "enum" && Array.isArray(value)) return [[name, shortlyWritten(value)]];
      if (VALUES.has(name)) return [[name, value]];
      // The library's expression for `url` backtracks exponentially.
      if (name === "format" && value === "url") return [[name, "uri"]];
      if (!MAPS.has(name) || typeof value !== "object" || value === null)
        return [[name, boundedSchema(value, withoutUnique)]];
      const parts = Object.entries(value).map(([key, part]) => [key, boundedSchema(part, withoutUnique)]);
      return [[name, Object.fromEntries(parts)]];
    }),
  );
}

const MAX_WRITTEN = 1_000;

/** Returns choices whose JSON is short: the library writes all of them in the message for each value that is none. */
function shortlyWritten(choices: readonly unknown[]): readonly unknown[] {
  let size = 0;
  const first = choices.filter(
    (choice) => size <= MAX_WRITTEN && (size += JSON.stringify(choice).length) <= MAX_WRITTEN,
  );
  if (first.length === choices.length) return choices;
  const shown = [...first, `… and ${choices.length - first.length} more`];
  return Object.defineProperty([...choices], "toJSON", { value: () => shown });
}
