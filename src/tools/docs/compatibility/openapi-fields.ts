/** A schema of the OpenAPI document, as far as its fields are read. */
export interface OpenApiSchema {
  $ref?: string;
  description?: string;
  properties?: Record<string, OpenApiSchema>;
  items?: OpenApiSchema;
  anyOf?: OpenApiSchema[];
  oneOf?: OpenApiSchema[];
  allOf?: OpenApiSchema[];
}

type Contents = Record<string, { schema: OpenApiSchema }>;

export interface OpenApiDocument {
  paths: Record<
    string,
    Record<
      string,
      {
        parameters?: { name: string; description?: string }[];
        requestBody?: { content: Contents };
        responses?: Record<string, { content?: Contents }>;
      }
    >
  >;
  components: { schemas: Record<string, OpenApiSchema> };
}

/**
 * Returns the parameters and the fields of the body of an operation by path, such as `webhook.url`; list items add nothing
 * to a path. Undefined for an operation that the service does not have.
 */
export function requestFields(openapi: OpenApiDocument, operation: string): Map<string, OpenApiSchema> | undefined {
  const found = operationOf(openapi, operation);
  if (found === undefined) return undefined;
  const parameters = (found.parameters ?? []).map(({ name, description = "" }): [string, OpenApiSchema] => [
    name,
    { description },
  ]);
  return new Map([...parameters, ...fieldsOf(openapi, found.requestBody?.content ?? {})]);
}

/** Returns the names of all fields of an operation's successful response, at any depth. */
export function responseNames(openapi: OpenApiDocument, operation: string): Set<string> {
  const contents = operationOf(openapi, operation)?.responses?.["200"]?.content ?? {};
  return new Set([...fieldsOf(openapi, contents).keys()].map((path) => path.slice(path.lastIndexOf(".") + 1)));
}

function operationOf(openapi: OpenApiDocument, operation: string) {
  const [method = "", path = ""] = operation.split(" ");
  return openapi.paths[path]?.[method];
}

function fieldsOf(openapi: OpenApiDocument, contents: Contents): Map<string, OpenApiSchema> {
  const fields = new Map<string, OpenApiSchema>();
  for (const { schema } of Object.values(contents)) collect(schema, "", { openapi, fields, open: new Set() });
  return fields;
}

interface Collecting {
  openapi: OpenApiDocument;
  fields: Map<string, OpenApiSchema>;
  /** References that are being followed: a schema may contain itself. */
  open: Set<string>;
}

function collect(schema: OpenApiSchema, place: string, collecting: Collecting): void {
  const { $ref, properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  if ($ref !== undefined && !collecting.open.has($ref)) {
    collecting.open.add($ref);
    collect(collecting.openapi.components.schemas[$ref.slice($ref.lastIndexOf("/") + 1)] ?? {}, place, collecting);
    collecting.open.delete($ref);
  }
  for (const [name, inner] of Object.entries(properties)) {
    if (!collecting.fields.has(place + name)) collecting.fields.set(place + name, inner);
    collect(inner, `${place}${name}.`, collecting);
  }
  for (const part of [...(items === undefined ? [] : [items]), ...anyOf, ...oneOf, ...allOf]) {
    collect(part, place, collecting);
  }
}
