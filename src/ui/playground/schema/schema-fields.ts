import { isValues } from "../request/body.ts";
import type { Values } from "../request/body.ts";

/** Types of fields that the form offers. */
export const FIELD_TYPES = {
  string: "Text",
  number: "Number",
  integer: "Whole number",
  boolean: "Yes or no",
  strings: "List of texts",
  numbers: "List of numbers",
  object: "Object",
  objects: "List of objects",
} as const;
export type FieldType = keyof typeof FIELD_TYPES;

/** A field of a JSON Schema as the form shows it. */
export interface SchemaField {
  name: string;
  type: FieldType;
  description: string;
  isRequired: boolean;
  /** Fields of an object or of the objects of a list. */
  fields: SchemaField[];
}

const MAX_DEPTH = 5;
/** Keywords that the form shows; a schema with others is edited as JSON. */
const KNOWN = new Set(["type", "properties", "required", "description", "items"]);

/** Returns the fields of a schema; undefined if the form cannot show all of it. */
export function toFields(schema: unknown, depth = 0): SchemaField[] | undefined {
  if (!isValues(schema) || depth > MAX_DEPTH || Object.keys(schema).some((name) => !KNOWN.has(name))) return undefined;
  const { properties = {}, required = [] } = schema;
  if (schema["type"] !== "object" || !isValues(properties) || !Array.isArray(required)) return undefined;
  const fields: SchemaField[] = [];
  for (const [name, inner] of Object.entries(properties)) {
    const field = toField(inner, depth);
    if (field === undefined) return undefined;
    fields.push({ ...field, name, isRequired: required.includes(name) });
  }
  return fields;
}

function toField(schema: unknown, depth: number): SchemaField | undefined {
  if (!isValues(schema)) return undefined;
  const description = typeof schema["description"] === "string" ? schema["description"] : "";
  const own = { name: "", description, isRequired: false, fields: [] };
  const { type, items } = schema;
  const isPlain = Object.keys(schema).every((name) => name === "type" || name === "description" || name === "items");
  if (type === "array" && isValues(items)) {
    const simple = ({ string: "strings", number: "numbers" } as const)[String(items["type"])];
    if (simple !== undefined && isPlain && Object.keys(items).length === 1) return { ...own, type: simple };
    const fields = toFields(items, depth + 1);
    return fields === undefined || !isPlain ? undefined : { ...own, type: "objects", fields };
  }
  if (type === "object") {
    const fields = toFields(schema, depth + 1);
    return fields === undefined ? undefined : { ...own, type: "object", fields };
  }
  const isScalar = type === "string" || type === "number" || type === "integer" || type === "boolean";
  return isScalar && isPlain && items === undefined ? { ...own, type } : undefined;
}

/** Returns the JSON Schema of fields. Fields without a name are left out. */
export function fromFields(fields: readonly SchemaField[]): Values {
  const named = fields.filter(({ name }) => name !== "");
  const required = named.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(named.map((field) => [field.name, fromField(field)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

function fromField({ type, description, fields }: SchemaField): Values {
  const about = description === "" ? {} : { description };
  if (type === "strings") return { type: "array", items: { type: "string" }, ...about };
  if (type === "numbers") return { type: "array", items: { type: "number" }, ...about };
  if (type === "objects") return { type: "array", items: fromFields(fields), ...about };
  return type === "object" ? { ...fromFields(fields), ...about } : { type, ...about };
}

/** Returns fields that fit an example; empty values have no type and become texts. */
export function fieldsOfExample(example: unknown, depth = 0): SchemaField[] {
  const value: unknown = Array.isArray(example) ? (example as unknown[])[0] : example;
  if (!isValues(value) || depth > MAX_DEPTH) return [];
  return Object.entries(value).map(([name, inner]) => {
    const type = typeOf(inner);
    const fields = type === "object" || type === "objects" ? fieldsOfExample(inner, depth + 1) : [];
    return { name, type, description: "", isRequired: false, fields };
  });
}

function typeOf(value: unknown): FieldType {
  if (Array.isArray(value)) {
    const [first] = value as unknown[];
    if (isValues(first)) return "objects";
    return typeof first === "number" ? "numbers" : "strings";
  }
  if (isValues(value)) return "object";
  return typeof value === "number" || typeof value === "boolean" ? (typeof value as "number" | "boolean") : "string";
}
