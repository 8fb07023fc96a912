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
  try {
    validatorOf(schema).validate({});
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

// The library's type names every keyword; unknown ones are ignored by it, hence the cast.
function validatorOf(schema: JsonSchema): Validator {
  return new Validator(schema as Schema, DRAFT, false);
}
