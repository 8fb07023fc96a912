const HOUR_MS = 3_600_000;

/** Returns the names of the hours (UTC) from the start of a day up to the current one: `2026-11-21T10`. */
export function hoursSince(day: string, nowMs: number): string[] {
  const startMs = Date.parse(day);
  const count = Math.max(1, Math.floor((nowMs - startMs) / HOUR_MS) + 1);
  return Array.from({ length: count }, (_, at) =>
    new Date(startMs + at * HOUR_MS).toISOString().slice(0, "2026-11-21T10".length),
  );
}
