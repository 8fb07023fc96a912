import type { JsonSchema, OpenApi, Operation } from "./api.ts";
import type { Tool } from "./tools.ts";

const COMPONENT = "#/components/schemas/";
const DEFINITION = "#/$defs/";

/**
 * The input schema of a tool, cut out of the schema of the route that the tool calls.
 * @param fields names of body fields and parameters, in the order in which they are shown; those that the route does not
 *   know are left out.
 * @returns undefined when there is no such route in this deployment, or it lacks a field that the tool always sends.
 */
export function inputSchemaOf(
  document: OpenApi,
  { method, path, fields, fixed = {} }: Pick<Tool, "method" | "path" | "fields" | "fixed">,
): JsonSchema | undefined {
  const operation = document.paths?.[path]?.[method.toLowerCase()];
  if (operation === undefined) return undefined;
  const { properties, required } = fieldsOf(document, operation);
  if (Object.keys(fixed).some((name) => properties[name] === undefined)) return undefined;
  const shown = fields.filter((name) => properties[name] !== undefined);
  const schema = {
    type: "object",
    properties: Object.fromEntries(shown.map((name) => [name, properties[name]])) as Record<string, JsonSchema>,
    required: shown.filter((name) => required.has(name)),
    additionalProperties: false,
  };
  return withDefinitions(document, schema);
}

/** Parameters and body fields of a route side by side, as a tool takes them. */
function fieldsOf(
  document: OpenApi,
  operation: Operation,
): { properties: Record<string, JsonSchema>; required: Set<string> } {
  const properties: Record<string, JsonSchema> = {};
  const required = new Set<string>();
  for (const parameter of operation.parameters ?? []) {
    if (parameter.in === "header") continue;
    properties[parameter.name] = parameter.schema ?? {};
    if (parameter.required === true) required.add(parameter.name);
  }
  const body = resolve(document, operation.requestBody?.content?.["application/json"]?.schema);
  Object.assign(properties, body?.properties);
  for (const name of body?.required ?? []) required.add(name);
  return { properties, required };
}

function resolve(document: OpenApi, schema: JsonSchema | undefined): JsonSchema | undefined {
  if (schema?.$ref?.startsWith(COMPONENT) !== true) return schema;
  return document.components?.schemas?.[schema.$ref.slice(COMPONENT.length)];
}

/** Copies the components that the schema refers to into `$defs`, since a tool's schema must be self-contained. */
function withDefinitions(document: OpenApi, schema: JsonSchema): JsonSchema {
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
