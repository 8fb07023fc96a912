import { z } from "zod";

/** Entries of a list whose schema has no maximum of its own, and fields of a map. */
const MAX_STRINGS = 1_000;
const MAX_FIELDS = 1_000;
/** The same for lists of anything but strings, whose entries take long to validate. */
const MAX_ITEMS = 100;
/** Characters of a text of a request whose schema has no maximum. */
const MAX_CHARS = 20_000;

/** Sizes that a schema allows; of a union, the largest of its variants. */
interface ListLimits {
  maxItems?: number;
  items?: ListLimits;
  maxFields?: number;
  values?: ListLimits;
  fields?: Map<string, ListLimits>;
  /** Of a text. Infinite where the schema has a maximum, which it checks itself. */
  maxChars?: number;
}

type Path = readonly PropertyKey[];

const limitsOf = new WeakMap<z.core.$ZodType, ListLimits>();
const charsOf = new WeakMap<z.core.$ZodType, number>();

/**
 * Sets how many characters a text may have in requests. The schema itself has no maximum: it also reads what earlier versions stored.
 * @returns the schema, of which a copy, such as that of `describe`, has the usual maximum
 */
export function ofRequests<Schema extends z.core.$ZodType>(schema: Schema, maxChars: number): Schema {
  charsOf.set(schema, maxChars);
  return schema;
}

/**
 * Returns a problem for the first list, map or text of `input` that is longer than its schema allows, without a look at its
 * entries. Schemas check the length after the entries, and report each invalid one.
 */
export function findLongList(schema: z.core.$ZodType, input: unknown): z.core.$ZodIssue | undefined {
  return search(read(schema), input, []);
}

/** Like `safeParse`, but reports a list or text that is too long before its entries are validated. */
export function parseWithinLimits<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  const issue = findLongList(schema, input);
  return issue === undefined
    ? schema.safeParse(input)
    : { success: false, error: new z.ZodError([issue]) as z.ZodError<z.output<Schema>> };
}

function search(limits: ListLimits, value: unknown, path: Path): z.core.$ZodIssue | undefined {
  if (typeof value === "string") {
    const { maxChars = Infinity } = limits;
    return value.length > maxChars ? tooBig("string", maxChars, path) : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { maxItems, items, maxFields, values, fields } = limits;
  if (Array.isArray(value)) {
    if (maxItems !== undefined && value.length > maxItems) return tooBig("array", maxItems, path);
    return items === undefined ? undefined : searchEach(value.entries(), () => items, path);
  }
  if (maxFields !== undefined && Object.keys(value).length > maxFields) return tooBig("object", maxFields, path);
  if (values !== undefined) return searchEach(Object.entries(value), () => values, path);
  const known = [...(fields?.keys() ?? [])].filter((name) => Object.hasOwn(value, name));
  const inner = known.map((name) => [name, (value as Record<string, unknown>)[name]] as const);
  return searchEach(inner, (name) => fields?.get(String(name)), path);
}

function searchEach(
  entries: Iterable<readonly [PropertyKey, unknown]>,
  limits: (name: PropertyKey) => ListLimits | undefined,
  path: Path,
): z.core.$ZodIssue | undefined {
  for (const [name, value] of entries) {
    const issue = search(limits(name) ?? {}, value, [...path, name]);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

const UNITS = { array: "items", object: "fields", string: "characters" } as const;

function tooBig(origin: keyof typeof UNITS, maximum: number, path: Path): z.core.$ZodIssue {
  const unit = UNITS[origin];
  const message = `Too big: expected ${origin} to have <=${maximum} ${unit}`;
  return { code: "too_big", origin, maximum, inclusive: true, path: [...path], message };
}

function defOf(schema: z.core.$ZodType): z.core.$ZodTypes["_zod"]["def"] {
  const {
    _zod: { def },
  } = schema as z.core.$ZodTypes;
  return def;
}

/** Reads the limits of a schema once. Recursive schemas (`z.lazy`) have none below the place where they begin. */
function read(schema: z.core.$ZodType): ListLimits {
  const known = limitsOf.get(schema);
  if (known !== undefined) return known;
  const limits = readNew(schema);
  limitsOf.set(schema, limits);
  return limits;
}

function readNew(schema: z.core.$ZodType): ListLimits {
  const def = defOf(schema);
  switch (def.type) {
    case "object":
      return { fields: new Map(Object.entries(def.shape).map(([name, field]) => [name, read(field)])) };
    case "array":
      return { maxItems: maxItemsOf(def), items: read(def.element) };
    case "string":
      return { maxChars: maximaOf(def).length > 0 ? Infinity : (charsOf.get(schema) ?? MAX_CHARS) };
    case "record":
      return { maxFields: MAX_FIELDS, values: read(def.valueType) };
    case "union":
      return def.options.map(read).reduce(widest, {});
    case "intersection":
      return widest(read(def.left), read(def.right));
    case "pipe":
      return widest(read(def.in), read(def.out));
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "catch":
    case "readonly":
      return read(def.innerType);
    default:
      return {};
  }
}

function maximaOf({ checks = [] }: { checks?: z.core.$ZodCheck<never>[] | undefined }): number[] {
  return checks.flatMap(({ _zod: { def } }) => ("maximum" in def ? [Number(def.maximum)] : []));
}

function maxItemsOf(def: z.core.$ZodArrayDef): number {
  const maxima = maximaOf(def);
  const isText = defOf(def.element).type === "string";
  return maxima.length > 0 ? Math.min(...maxima) : isText ? MAX_STRINGS : MAX_ITEMS;
}

function widest(one: ListLimits, other: ListLimits): ListLimits {
  const fields = new Map(one.fields);
  for (const [name, limits] of other.fields ?? []) fields.set(name, widest(fields.get(name) ?? {}, limits));
  return {
    ...larger("maxItems", one, other),
    ...larger("maxFields", one, other),
    ...larger("maxChars", one, other),
    ...merged("items", one, other),
    ...merged("values", one, other),
    ...(fields.size === 0 ? {} : { fields }),
  };
}

function larger(name: "maxItems" | "maxFields" | "maxChars", one: ListLimits, other: ListLimits): ListLimits {
  const sizes = [one[name] ?? 0, other[name] ?? 0];
  const size = Math.max(...sizes);
  return size === 0 ? {} : { [name]: size };
}

function merged(name: "items" | "values", one: ListLimits, other: ListLimits): ListLimits {
  const parts = [one[name] ?? [], other[name] ?? []].flat();
  return parts.length === 0 ? {} : { [name]: parts.reduce(widest) };
}
