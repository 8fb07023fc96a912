/** Returns the UTC day of a time, as `2026-11-21`. Keys of stored objects contain it, so that days expire by prefix. */
export function dayKey(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
