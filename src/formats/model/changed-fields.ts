export interface FieldChange {
  previous: unknown;
  current: unknown;
}

/** Returns the top-level fields whose values differ, regardless of key order; a missing value is null. */
export function changedFields(previous: unknown, current: unknown): Record<string, FieldChange> {
  const [before, after] = [asRecord(previous), asRecord(current)];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changes = [...names].map((name) => [name, change(ownField(before, name), ownField(after, name))] as const);
  return Object.fromEntries(changes.filter(([, { previous: old, current: now }]) => canonical(old) !== canonical(now)));
}

/** Returns a field; undefined for what every object inherits, such as `constructor`. */
function ownField(record: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function change(previous: unknown, current: unknown): FieldChange {
  return { previous: previous ?? null, current: current ?? null };
}

/** Converts a value to a record: a list, or a single value, is one field. */
function asRecord(value: unknown): Record<string, unknown> {
  if (value === null || value === undefined) return {};
  return isRecord(value) ? value : { value };
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
