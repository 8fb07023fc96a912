const MAX_TEXT = 300;
const MAX_ITEMS = 8;

export interface ShownOption {
  /** Name of the field, with the names of the objects around it. */
  name: string;
  value: string;
}

/** Returns the options of a body as lines of text. Options of nested objects have their path as name. */
export function shownOptions(body: Record<string, unknown>, path = ""): ShownOption[] {
  return Object.entries(body).flatMap(([key, value]) => {
    const name = path === "" ? key : `${path}.${key}`;
    if (value === undefined || value === null) return [];
    if (key === "scrapeOptions" && isObject(value)) return shownOptions(value, name);
    return [{ name, value: toText(value) }];
  });
}

function toText(value: unknown): string {
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => nameOf(item) ?? toText(item));
    const rest = value.length - MAX_ITEMS;
    return `${items.join(", ")}${rest > 0 ? ` and ${rest.toLocaleString("en")} more` : ""}`;
  }
  if (typeof value === "boolean") return value ? "Yes" : "No";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** Returns the name of a format, which is an object with a type. */
function nameOf(value: unknown): string | undefined {
  if (!isObject(value) || typeof value["type"] !== "string") return undefined;
  return Object.keys(value).length === 1
    ? value["type"]
    : `${value["type"]} (${Object.keys(value).length - 1} options)`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
