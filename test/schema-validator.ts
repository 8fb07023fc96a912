import { Validator, type Schema } from "@cfworker/json-schema";

/**
 * Validates against a schema of an OpenAPI document.
 * @param components what its references lead to.
 * @param shortCircuit whether the first fault is enough.
 */
export function schemaValidator(schema: object, components: object, { shortCircuit = false } = {}): Validator {
  // References lead from the document's root, so the components come along.
  const whole = withoutExamples({ ...schema, components }) as Schema;
  return new Validator(whole, "2020-12", shortCircuit);
}

/** The validator would read examples as schemas, and their `id` as the name of one. A property may be named `example`. */
function withoutExamples(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutExamples(each));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isProperties || key !== "example");
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutExamples(inner, key === "properties")]));
}
