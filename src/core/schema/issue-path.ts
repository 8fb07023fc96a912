type Path = readonly PropertyKey[];

/** Returns a path as JavaScript writes it, for example `scrapeOptions.formats[0]`; an empty text for the whole input. */
export function writePath(path: Path): string {
  return path.map(writeStep).join("");
}

function writeStep(step: PropertyKey, index: number): string {
  if (typeof step === "number") return `[${step}]`;
  const name = String(step).slice(0, 100);
  if (!/^[\w$-]+$/.test(name)) return `[${JSON.stringify(name)}]`;
  return index === 0 ? name : `.${name}`;
}

/** Returns the value at a path; undefined when there is none. */
export function valueAt(input: unknown, path: Path): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

/** Reports whether a problem has exactly this path. */
export function isPathOf(issue: { path: Path }, path: Path): boolean {
  return issue.path.length === path.length && issue.path.every((step, index) => step === path[index]);
}
