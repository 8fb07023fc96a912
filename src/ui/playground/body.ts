/** A request's body while it is filled in. */
export type Values = Record<string, unknown>;

/** The values with one set, or left out when there is nothing in it. */
export function withValue(values: Values, name: string, value: unknown): Values {
  const { [name]: _, ...rest } = values;
  return isEmpty(value) ? rest : { ...rest, [name]: value };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === "" || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isValues(value) && Object.keys(value).length === 0;
}

export function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Blob);
}

/** Lines of a text area as a list; a line that is being begun stays until it is left. */
export function toLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
