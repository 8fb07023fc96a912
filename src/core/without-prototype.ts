/**
 * Returns a table without the properties that all objects have, for look-ups by names that come from outside: a page, a file or
 * a request may well name `constructor` or `toString`.
 */
export function withoutPrototype<Value>(entries: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.assign(Object.create(null) as Record<string, Value>, entries);
}
