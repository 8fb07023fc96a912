import { z } from "zod";
import { schemaFault, type JsonSchema } from "../core/schema/json-schema.ts";

const SCHEMA_LESS =
  "The schema is a schema-less dictionary (type object with additionalProperties and no properties), which OpenAI's structured outputs do not take; name the properties that are wanted.";

/** A caller's JSON Schema. Boolean `additionalProperties` and `required` names without a property are dropped. */
export const JsonSchemaOption = z
  .looseObject({})
  .refine((schema) => !isDictionary(schema), { message: SCHEMA_LESS })
  .superRefine((schema, context) => {
    const fault = schemaFault(schema);
    if (fault !== undefined) context.addIssue({ code: "custom", message: `Invalid JSON schema: ${fault}.` });
  })
  .transform((schema) => tidy(schema) as JsonSchema);

function isDictionary(schema: JsonSchema): boolean {
  return (
    schema["type"] === "object" &&
    schema["additionalProperties"] === true &&
    Object.keys(propertiesOf(schema)).length === 0
  );
}

function propertiesOf(schema: JsonSchema): Record<string, unknown> {
  return isObject(schema["properties"]) ? schema["properties"] : {};
}

function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (!isObject(value)) return value;
  const properties = propertiesOf(value);
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    if (name === "additionalProperties" && typeof inner === "boolean") return [];
    if (name === "required" && Array.isArray(inner))
      return [[name, inner.filter((one) => Object.hasOwn(properties, String(one)))]];
    return [[name, name === "enum" || name === "const" ? inner : tidy(inner)]];
  });
  return Object.fromEntries(entries);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
