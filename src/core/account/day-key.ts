/** The UTC day of a moment, as `2026-11-21`. Stored objects carry it in their key, so that whole days expire by prefix. */
export function dayKey(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
