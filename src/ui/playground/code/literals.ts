/** Quotes a text for the shell. In single quotes only the quote itself needs escaping. */
export function inShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Indents all lines but the first. */
export function indent(text: string, width = 2): string {
  return text.replaceAll("\n", `\n${" ".repeat(width)}`);
}

/** Returns a JSON value as a Python literal. */
export function pythonValue(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = " ".repeat((depth + 1) * 4);
  const end = `\n${" ".repeat(depth * 4)}`;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[${value.map((item) => `\n${inner}${pythonValue(item, depth + 1)},`).join("")}${end}]`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return "{}";
  return `{${entries.map(([name, item]) => `\n${inner}${JSON.stringify(name)}: ${pythonValue(item, depth + 1)},`).join("")}${end}}`;
}
