import { nearestName } from "../text/nearest-name.ts";

/** A problem as zod reports it, as far as its description needs it. */
export interface DescribedIssue {
  code: string;
  path: readonly PropertyKey[];
  message: string;
  values?: unknown[] | undefined;
  expected?: string | undefined;
  /** `number`, `string`, `array`, …: the kind of value that is too big or too small. */
  origin?: string;
  maximum?: number | bigint;
  minimum?: number | bigint;
  inclusive?: boolean;
  exact?: boolean;
  format?: string;
}

/** A message repeats this many characters of a sent value. */
const MAX_SHOWN_CHARS = 80;
/** Messages that zod writes when the schema has none of its own. */
const DEFAULT_MESSAGE =
  /^(?:Invalid (?:input|option|discriminator|string|number|[a-z]+ address)\b|Invalid [A-Z]+\w*$|Invalid (?:email|date|url|ISO)\b|Too (?:big|small))/;
/** Names of list fields, for what one of their entries is called. */
const ENTRIES: Readonly<Record<string, string>> = { categories: "category", entities: "entity" };

const UNITS: Readonly<Record<string, string>> = {
  string: " characters",
  array: " items",
  set: " items",
  map: " entries",
  object: " fields",
  file: " bytes",
};

/** Describes a problem: what was sent, what is allowed, and the nearest allowed value. Schemas' own messages stay. */
export function describeIssue(issue: DescribedIssue, value: unknown): string {
  if (!DEFAULT_MESSAGE.test(issue.message)) return issue.message;
  return describe(issue, value) ?? issue.message;
}

function describe(issue: DescribedIssue, value: unknown): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return wrongType(issue.expected ?? "", value);
    case "invalid_value":
      return wrongValue(issue, value);
    case "too_big":
      return outOfRange(issue, value, { bound: issue.maximum, word: "at most", strict: "less than" });
    case "too_small":
      return outOfRange(issue, value, { bound: issue.minimum, word: "at least", strict: "more than" });
    case "invalid_format":
      return `expected ${formatName(issue.format ?? "text")}, got ${shown(value)}`;
    default:
      return undefined;
  }
}

function wrongType(expected: string, value: unknown): string {
  const wanted = expected.split(" or ").map(withArticle).join(" or ");
  if (value === undefined) return `is required (${wanted})`;
  return `expected ${wanted}, got ${shown(value)}`;
}

function wrongValue({ values = [], path }: DescribedIssue, value: unknown): string {
  const allowed = `Allowed: ${values.map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join(", ")}`;
  if (value === undefined) return `is required. ${allowed}`;
  const names = values.filter((each) => typeof each === "string");
  const near = typeof value === "string" ? nearestName(value, names) : undefined;
  const suggestion = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`;
  return `unknown ${entryName(path)} ${shown(value)}.${suggestion} ${allowed}`;
}

function outOfRange(
  { origin = "", inclusive = true, exact = false }: DescribedIssue,
  value: unknown,
  { bound = 0, word, strict }: { bound?: number | bigint | undefined; word: string; strict: string },
): string {
  const unit = UNITS[origin] ?? "";
  const limit = exact ? "exactly" : inclusive ? word : strict;
  const got = unit === "" ? `, got ${shown(value)}` : sizeOf(value, unit);
  return `expected ${limit} ${bound}${unit}${got}`;
}

function sizeOf(value: unknown, unit: string): string {
  const length = typeof value === "string" || Array.isArray(value) ? value.length : undefined;
  return length === undefined ? "" : `, got ${length}${length === 1 ? unit.replace(/s$/, "") : unit}`;
}

/** Returns what an entry of the list in `path` is called: `format` for `formats[0]` and `formats[0].type`. */
function entryName(path: readonly PropertyKey[]): string {
  const list = path.findLast((step, index) => typeof step === "string" && typeof path[index + 1] === "number");
  const tail = path.slice(path.lastIndexOf(list ?? "") + 2);
  const isOfEntry = tail.length === 0 || (tail.length === 1 && tail[0] === "type");
  if (typeof list !== "string" || !isOfEntry) return "value";
  return ENTRIES[list] ?? (list.endsWith("s") ? list.slice(0, -1) : "value");
}

function withArticle(type: string): string {
  if (type === "int") return "an integer";
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function formatName(format: string): string {
  if (format === "regex") return "text of another form";
  if (format === "url" || format === "uuid") return `a valid ${format.toUpperCase()}`;
  return `a valid ${format}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}
