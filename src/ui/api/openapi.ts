/** The keywords of JSON Schema (2020-12, as in OpenAPI 3.1) that forms are built from. References are resolved. */
export interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: boolean | Schema;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  maxLength?: number;
  minItems?: number;
  default?: unknown;
  description?: string;
  example?: unknown;
  $ref?: string;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: Schema;
}

/** An operation of the API. */
export interface Operation {
  /** `post /v2/scrape`. */
  id: string;
  /** Its `operationId`. */
  name: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  parameters: Parameter[];
  body: { kind: "json" | "multipart"; schema: Schema; example: unknown } | undefined;
}

interface RawOperation {
  operationId?: string;
  tags?: string[];
  summary?: string;
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema; description?: string }[];
  requestBody?: {
    content: Record<string, { schema: Schema; example?: unknown; examples?: Record<string, { value?: unknown }> }>;
  };
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, RawOperation>>;
  components?: { schemas?: Record<string, Schema> };
}

const METHODS = new Set(["get", "post", "put", "patch", "delete"]);
/** Deeper than any request body. Limits recursive schemas. */
const MAX_DEPTH = 12;

/** Returns the document's operations in document order. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, raw]) => toOperation(document, { method, path, raw })),
  );
}

function toOperation(
  document: OpenApiDocument,
  { method, path, raw }: { method: string; path: string; raw: RawOperation },
): Operation {
  // Resolving the references of all operations would take longer than showing one of them.
  const parameters = once(() => parametersOf(document, raw));
  const body = once(() => bodyOf(document, raw));
  return {
    id: `${method} ${path}`,
    name: raw.operationId ?? "",
    method,
    path,
    tag: raw.tags?.[0] ?? "Other",
    summary: raw.summary ?? "",
    get parameters() {
      return parameters();
    },
    get body() {
      return body();
    },
  };
}

/** Returns a function that calls another one when its value is first needed. */
function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function parametersOf(document: OpenApiDocument, { parameters = [] }: RawOperation): Parameter[] {
  return parameters.flatMap((parameter) => {
    const { name, required = false, schema = {} } = parameter;
    if (parameter.in !== "path" && parameter.in !== "query") return [];
    return [{ name, in: parameter.in, required, schema: resolve(document, schema) } as Parameter];
  });
}

function bodyOf(document: OpenApiDocument, { requestBody }: RawOperation): Operation["body"] {
  const content = requestBody?.content ?? {};
  // Prefers a form with the file itself to JSON that refers to an upload.
  const form = content["multipart/form-data"];
  const media = form ?? firstBody(content["application/json"]);
  if (media === undefined) return undefined;
  const kind = form === undefined ? "json" : "multipart";
  return { kind, schema: resolve(document, media.schema), example: exampleOf(document, media) };
}

type Media = NonNullable<RawOperation["requestBody"]>["content"][string];

/** Returns a body with several alternatives as the first one: a form asks for one kind of request. */
function firstBody(media: Media | undefined): Media | undefined {
  const [first] = media?.schema.anyOf ?? [];
  return media === undefined || first === undefined ? media : { ...media, schema: first };
}

function exampleOf(
  document: OpenApiDocument,
  media: { schema: Schema; example?: unknown; examples?: Record<string, { value?: unknown }> },
): unknown {
  return media.example ?? Object.values(media.examples ?? {})[0]?.value ?? resolve(document, media.schema).example;
}

/** Returns the schema with all references resolved, down to `MAX_DEPTH`. */
function resolve(document: OpenApiDocument, schema: Schema, depth = 0): Schema {
  if (depth > MAX_DEPTH) return {};
  const next = (inner: Schema): Schema => resolve(document, inner, depth + 1);
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return next(document.components?.schemas?.[name] ?? {});
  }
  const { properties, items, anyOf, oneOf, allOf } = schema;
  const resolved: Schema = { ...schema };
  if (properties !== undefined) {
    resolved.properties = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, next(inner)]));
  }
  if (items !== undefined) resolved.items = next(items);
  if (anyOf !== undefined) resolved.anyOf = anyOf.map(next);
  if (oneOf !== undefined) resolved.oneOf = oneOf.map(next);
  return allOf === undefined ? resolved : mergeAll(resolved, allOf.map(next));
}

function mergeAll(base: Schema, parts: Schema[]): Schema {
  const all = [base, ...parts];
  return Object.assign({}, ...all, {
    properties: Object.assign({}, ...all.map(({ properties }) => properties)) as Record<string, Schema>,
    required: all.flatMap(({ required }) => required ?? []),
  }) as Schema;
}
