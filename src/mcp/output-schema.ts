import { isObject, type JsonSchema, type OpenApi } from "./api.ts";
import { resolveComponent, withDefinitions } from "./self-contained-schema.ts";
import type { Tool } from "./tools.ts";

/** A schema of an object, as the protocol asks of a tool's output. */
export type OutputSchema = JsonSchema & { type: "object" };

/** Keywords that explain a value to a reader; clients validate without them, and a list of tools has room for the rest. */
const EXPLAINING = new Set(["description", "example", "examples", "title", "default", "deprecated"]);

/**
 * The output schema of a tool: the response of its route, and of the status endpoint of the job that the tool may wait for.
 * A route whose response is not described allows every object.
 */
export function outputSchemaOf(
  document: OpenApi,
  { method, path, statusPath }: Pick<Tool, "method" | "path" | "statusPath">,
): OutputSchema {
  const started = responseOf(document, path, method);
  const ended = statusPath === undefined ? undefined : responseOf(document, statusPath, "GET");
  const schemas = [started, ended].filter((schema) => schema !== undefined);
  const [only, other] = schemas;
  if (only === undefined) return { type: "object" };
  const schema = other === undefined ? only : { anyOf: schemas };
  return { ...withoutExplanations(withDefinitions(document, schema)), type: "object" };
}

/** Keywords whose values are schemas by name. */
const NAMED = new Set(["properties", "patternProperties", "$defs"]);
/** Keywords whose values are schemas or lists of them. */
const NESTED = new Set(["items", "prefixItems", "additionalProperties", "anyOf", "oneOf", "allOf", "not"]);

function withoutExplanations(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(schema).filter(([keyword]) => !EXPLAINING.has(keyword));
  return Object.fromEntries(
    entries.map(([keyword, value]) => {
      if (NAMED.has(keyword) && isObject(value)) {
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, reduced(each)]))];
      }
      if (!NESTED.has(keyword)) return [keyword, value];
      return [keyword, Array.isArray(value) ? value.map(reduced) : reduced(value)];
    }),
  );
}

/** `true` and `false` are schemas too. */
function reduced(schema: unknown): unknown {
  return isObject(schema) ? withoutExplanations(schema) : schema;
}

function responseOf(document: OpenApi, path: string, method: string): JsonSchema | undefined {
  const response = document.paths?.[path]?.[method.toLowerCase()]?.responses?.["200"];
  return resolveComponent(document, response?.content?.["application/json"]?.schema);
}
