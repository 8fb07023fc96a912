import type { JsonSchema, OpenApi, Operation } from "./api.ts";
import { resolveComponent, withDefinitions } from "./self-contained-schema.ts";
import type { Tool } from "./tools.ts";

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
  const body = resolveComponent(document, operation.requestBody?.content?.["application/json"]?.schema);
  Object.assign(properties, body?.properties);
  for (const name of body?.required ?? []) required.add(name);
  return { properties, required };
}
