import type { Job } from "../job-types.ts";

/** Returns the newest jobs followed by the older ones of an earlier list. */
export function withNewest(known: readonly Job[], newest: readonly Job[]): Job[] {
  const ids = new Set(newest.map(({ id }) => id));
  const last = newest.at(-1)?.createdAt ?? "";
  return [...newest, ...known.filter(({ id, createdAt }) => !ids.has(id) && createdAt <= last)];
}
