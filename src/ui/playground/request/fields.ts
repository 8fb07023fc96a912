import type { Schema } from "../../api/openapi.ts";

/** A form field, derived from the schema of a value. */
export type Field = { name: string; isRequired: boolean; hint: string | undefined } & FieldKind;

export type FieldKind =
  /** `suggestions` are values with a name of their own; any other text can be entered. */
  | { kind: "text"; isLong: boolean; isUrl: boolean; example: string | undefined; suggestions: string[] }
  | { kind: "number"; isWhole: boolean; minimum: number | undefined; maximum: number | undefined; fallback: unknown }
  | { kind: "boolean"; fallback: boolean | undefined }
  | { kind: "choice"; options: string[]; fallback: unknown }
  /** Multiple choice. Some choices have options (`variants`); `plain` ones can be sent as a string. */
  | {
      kind: "choices";
      options: string[];
      variants: Record<string, Field[]>;
      plain: string[];
      /** Descriptions of the choices. */
      about: Record<string, string | undefined>;
    }
  /** A list of texts or numbers, one per line. */
  | { kind: "lines"; isNumbers: boolean }
  /** A list of steps, each of one of several kinds. */
  | { kind: "steps"; variants: Record<string, Field[]> }
  | { kind: "group"; fields: Field[] }
  | { kind: "file" }
  | { kind: "json" };

/** Names of fields that take several lines of text. */
const LONG = /prompt|^code$|^options$|script|question|query|goal|text$/i;
const SHORT = /^(query|search)$/;

/** Returns the fields of an object schema, in schema order. */
export function fieldsOf(schema: Schema): Field[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {})
    .filter(([, inner]) => inner.const === undefined)
    .map(([name, inner]) => toField(name, inner, required.has(name)));
}

export function toField(name: string, schema: Schema, isRequired: boolean): Field {
  return { name, isRequired, hint: schema.description ?? innerDescription(schema), ...kindOf(name, schema) };
}

function innerDescription({ anyOf, oneOf }: Schema): string | undefined {
  return (anyOf ?? oneOf)?.find(({ description }) => description !== undefined)?.description;
}

function kindOf(name: string, schema: Schema): FieldKind {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return kindOfVariants(name, variants);
  if (schema.enum !== undefined) return { kind: "choice", options: schema.enum.map(String), fallback: schema.default };
  const type = typeOf(schema);
  if (type === "boolean") return { kind: "boolean", fallback: schema.default as boolean | undefined };
  if (type === "integer" || type === "number") {
    const { minimum = schema.exclusiveMinimum, maximum, default: fallback } = schema;
    return { kind: "number", isWhole: type === "integer", minimum, maximum: displayedMaximum(maximum), fallback };
  }
  if (type === "string") return textKind(name, schema);
  if (type === "array") return listKind(schema.items ?? {});
  const isOpen = Object.keys(schema.properties ?? {}).length === 0;
  if (type === "object" && !isOpen) return { kind: "group", fields: fieldsOf(schema) };
  return { kind: "json" };
}

/** Hides a maximum that only reflects the largest safe integer. */
function displayedMaximum(maximum: number | undefined): number | undefined {
  return maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
}

function textKind(name: string, schema: Schema): FieldKind {
  if (schema.format === "binary") return { kind: "file" };
  const isLong = LONG.test(name) && !SHORT.test(name);
  const isUrl = schema.format === "uri" || /url$/i.test(name);
  const example = typeof schema.example === "string" ? schema.example : undefined;
  return { kind: "text", isLong, isUrl, example, suggestions: [] };
}

/** Chooses the simplest control among the variants of a value. Other variants can be entered as JSON. */
function kindOfVariants(name: string, all: Schema[]): FieldKind {
  const variants = all.filter((variant) => typeOf(variant) !== "null");
  const [only] = variants;
  if (variants.length === 1 && only !== undefined) return kindOf(name, only);
  const types = new Set(variants.map(typeOf));
  if (variants.every((variant) => variant.enum !== undefined)) {
    return {
      kind: "choice",
      options: variants.flatMap((variant) => variant.enum ?? []).map(String),
      fallback: undefined,
    };
  }
  const simple = variants.find((variant) => ["boolean", "integer", "number"].includes(typeOf(variant)));
  if (simple !== undefined && !types.has("object") && !types.has("array")) return kindOf(name, simple);
  if (types.size === 1 && types.has("string")) {
    const suggestions = variants.flatMap((variant) => variant.enum ?? []).map(String);
    return { kind: "text", isLong: false, isUrl: false, example: undefined, suggestions };
  }
  if (types.has("string") && !types.has("array"))
    return textKind(name, variants.find((one) => typeOf(one) === "string") ?? {});
  const list = variants.find((variant) => typeOf(variant) === "array");
  return list === undefined ? { kind: "json" } : listKind(list.items ?? {});
}

function listKind(items: Schema): FieldKind {
  const variants = items.anyOf ?? items.oneOf ?? [items];
  const plain = variants.flatMap((variant) => (variant.enum ?? []).map(String));
  const objects = variants.filter((variant) => variant.properties?.["type"] !== undefined);
  if (plain.length > 0) {
    const named = byType(objects);
    const options = [...new Set([...plain, ...Object.keys(named)])];
    return { kind: "choices", plain, variants: named, options, about: descriptionsOf(objects) };
  }
  if (objects.length > 0 && objects.length === variants.length) return { kind: "steps", variants: byType(objects) };
  const type = typeOf(variants[0] ?? {});
  if (variants.length === 1 && (type === "string" || type === "number" || type === "integer")) {
    return { kind: "lines", isNumbers: type !== "string" };
  }
  const hasStrings = variants.some((variant) => typeOf(variant) === "string");
  return hasStrings ? { kind: "lines", isNumbers: false } : { kind: "json" };
}

function byType(objects: Schema[]): Record<string, Field[]> {
  const entries = objects.flatMap((variant) => {
    const type = variant.properties?.["type"];
    const names = type?.const === undefined ? (type?.enum ?? []) : [type.const];
    const fields = fieldsOf(variant).filter(({ name }) => name !== "type");
    return names.map((name): [string, Field[]] => [String(name), fields]);
  });
  return Object.fromEntries(entries);
}

function descriptionsOf(objects: Schema[]): Record<string, string | undefined> {
  const types = objects.flatMap(({ properties }) => properties?.["type"] ?? []);
  return Object.fromEntries(
    types.flatMap((type) => [type.const, ...(type.enum ?? [])].map((name) => [String(name), type.description])),
  ) as Record<string, string | undefined>;
}

function typeOf({ type, enum: values, properties }: Schema): string {
  const named = Array.isArray(type) ? type.find((one) => one !== "null") : type;
  if (named !== undefined) return named;
  if (values !== undefined) return "string";
  return properties === undefined ? "any" : "object";
}
