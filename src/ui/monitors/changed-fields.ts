export interface FieldChange {
  name: string;
  previous: string;
  current: string;
}

/** Returns the changed fields of a diff, each with `previous` and `current`. Lists and objects are written as JSON. */
export function changedFields(json: Record<string, unknown>): FieldChange[] {
  return Object.entries(json).flatMap(([name, change]) => {
    if (typeof change !== "object" || change === null || Array.isArray(change)) return [];
    if (!("previous" in change) && !("current" in change)) return [];
    const { previous, current } = change as { previous?: unknown; current?: unknown };
    return [{ name, previous: toText(previous), current: toText(current) }];
  });
}

export function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
