import type { JsonSchema, OpenApi } from "./api.ts";

const COMPONENT = "#/components/schemas/";
const DEFINITION = "#/$defs/";

/** Returns the component that a schema refers to, or the schema itself. */
export function resolveComponent(document: OpenApi, schema: JsonSchema | undefined): JsonSchema | undefined {
  if (schema?.$ref?.startsWith(COMPONENT) !== true) return schema;
  return document.components?.schemas?.[schema.$ref.slice(COMPONENT.length)];
}

/** Copies the components that the schema refers to into `$defs`, since a tool's schema must be self-contained. */
export function withDefinitions(document: OpenApi, schema: JsonSchema): JsonSchema {
  const definitions: Record<string, JsonSchema> = {};
  const rewrite = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rewrite);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, key === "$ref" ? refer(entry) : rewrite(entry)]),
    );
  };
  const refer = (reference: unknown): unknown => {
    if (typeof reference !== "string" || !reference.startsWith(COMPONENT)) return reference;
    const name = reference.slice(COMPONENT.length);
    if (!(name in definitions)) {
      definitions[name] = {};
      definitions[name] = rewrite(document.components?.schemas?.[name] ?? {}) as JsonSchema;
    }
    return `${DEFINITION}${name}`;
  };
  const rewritten = rewrite(schema) as JsonSchema;
  return Object.keys(definitions).length === 0 ? rewritten : { ...rewritten, $defs: definitions };
}
