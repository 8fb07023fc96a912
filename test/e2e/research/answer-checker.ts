import { schemaValidator, type SchemaValidator } from "../../schema-validator.ts";

interface Operation {
  responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: object;
}

/** An answer as it went over the wire; `path` may have a query. */
export interface WireResponse {
  method: string;
  path: string;
  status: number;
  body: string;
}

export interface Finding {
  /** `POST /v2/scrape 200`; undefined for paths that the document does not have. */
  operation: string | undefined;
  violations: string[];
}

/** @returns a function that compares an answer with the schema which the document gives for it. */
export function answerChecker(document: OpenApiDocument): (answer: WireResponse) => Finding {
  const templates = Object.keys(document.paths)
    .map((template) => ({ template, pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }))
    // A path that is written out goes before one with a parameter at the same place.
    .sort((a, b) => Number(a.template.includes("{")) - Number(b.template.includes("{")));
  const validators = new Map<string, SchemaValidator>();

  return ({ method, path, status, body }) => {
    const [pathname = ""] = path.split("?", 1);
    const template = templates.find(({ pattern }) => pattern.test(pathname))?.template;
    const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()];
    if (template === undefined || operation === undefined) return { operation: undefined, violations: [] };
    const name = `${method} ${template} ${status}`;
    const response = operation.responses[String(status)];
    if (response === undefined) return { operation: name, violations: [`${name}: the document has no such status`] };
    const schema = response.content?.["application/json"]?.schema;
    if (schema === undefined) return { operation: name, violations: [`${name}: the document gives no schema`] };
    let validator = validators.get(name);
    if (validator === undefined) {
      validator = schemaValidator(schema, document.components);
      validators.set(name, validator);
    }
    const { errors } = validator.validate(JSON.parse(body));
    const [first] = errors.toSorted((a, b) => b.instanceLocation.length - a.instanceLocation.length);
    const violations = first === undefined ? [] : [`${name}: ${first.instanceLocation}: ${first.error}`];
    return { operation: name, violations };
  };
}
