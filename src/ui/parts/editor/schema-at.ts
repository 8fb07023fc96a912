import type { Schema } from "../../api/openapi.ts";

/** A step of a path in a JSON value: the name of a property or the index of an item. */
export type JsonStep = string | number;

/** Variants of a schema to follow at most. */
const MAX_VARIANTS = 100;

/**
 * Returns the schemas that a value may have at a path, with variants (`anyOf`, `oneOf`) listed separately.
 * @param value The whole value: of the variants of an object with `type`, only those of its type are returned.
 */
export function schemasAt(schema: Schema, path: readonly JsonStep[], value: unknown): Schema[] {
  const variants = matching(variantsOf(schema), value);
  const [step, ...rest] = path;
  if (step === undefined) return variants;
  const inner = valueAt(value, step);
  return variants
    .flatMap((variant) => childOf(variant, step) ?? [])
    .flatMap((child) => schemasAt(child, rest, inner))
    .slice(0, MAX_VARIANTS);
}

/** Returns the variants of a schema, or the schema itself. */
export function variantsOf(schema: Schema): Schema[] {
  const variants = schema.anyOf ?? schema.oneOf;
  return variants === undefined ? [schema] : variants.flatMap(variantsOf).slice(0, MAX_VARIANTS);
}

/** Returns the variants whose `type` property has the value's type; all if none has. */
export function matching(variants: Schema[], value: unknown): Schema[] {
  const type = valueAt(value, "type");
  if (type === undefined) return variants;
  const found = variants.filter(({ properties }) => {
    const named = properties?.["type"];
    return named?.const === type || (named?.enum ?? []).includes(type);
  });
  return found.length > 0 ? found : variants;
}

function childOf(schema: Schema, step: JsonStep): Schema | undefined {
  if (typeof step === "number") return schema.items;
  const { properties, additionalProperties } = schema;
  const own = properties?.[step];
  if (own !== undefined) return own;
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

function valueAt(value: unknown, step: JsonStep): unknown {
  return typeof value === "object" && value !== null ? (value as Record<JsonStep, unknown>)[step] : undefined;
}
