/** The values of a form that become the request body. */
export type Values = Record<string, unknown>;

/** Returns the values with one set, or without it if it is empty. */
export function withValue(values: Values, name: string, value: unknown): Values {
  const { [name]: _, ...rest } = values;
  return isEmpty(value) ? rest : { ...rest, [name]: value };
}

/** Reports whether a value is left out of the request. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "" || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isValues(value) && Object.keys(value).length === 0;
}

export function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Blob);
}

/** Returns the lines of a text, trimmed and without empty ones. */
export function toLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
