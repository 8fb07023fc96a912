import { dereference, validate, type Schema, type ValidationResult } from "@cfworker/json-schema";

export interface SchemaValidator {
  validate(instance: unknown): ValidationResult;
}

/** Schemas by their absolute URI. */
type Lookup = ReturnType<typeof dereference>;

const BASE = new URL("https://openapi.example/");
/** What was read of the components of a document, which each of its hundreds of schemas refers to. */
const lookups = new WeakMap<object, Lookup>();
let count = 0;

/**
 * Validates against a schema of an OpenAPI document.
 * @param components what its references lead to.
 * @param shortCircuit whether the first fault is enough.
 */
export function schemaValidator(schema: object, components: object, { shortCircuit = false } = {}): SchemaValidator {
  let lookup = lookups.get(components);
  if (lookup === undefined) {
    // References lead from the document's root.
    lookup = dereference({ components: withoutExamples(components) } as Schema, {}, BASE);
    lookups.set(components, lookup);
  }
  const own = withoutExamples(schema) as Schema;
  dereference(own, lookup, BASE, `/validated/${++count}`);
  const known = lookup;
  return { validate: (instance) => validate(instance, own, "2020-12", known, shortCircuit) };
}

/** The validator would read examples as schemas, and their `id` as the name of one. A property may be named `example`. */
function withoutExamples(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutExamples(each));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isProperties || key !== "example");
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutExamples(inner, key === "properties")]));
}
