import type { JobKind, JobState } from "./job-types.ts";
import { KIND_WORDS, STATE_WORDS } from "./job-types.ts";

/** The filter of the list of jobs. It is part of the view's URL, so that a link opens the same list. */
export interface JobFilter {
  kind: JobKind | "";
  status: JobState | "";
  time: string;
  search: string;
}

const HOUR_MS = 3_600_000;
/** Periods before now by name, with their length in ms. */
export const PERIODS: readonly { name: string; label: string; ms: number }[] = [
  { name: "1h", label: "Last hour", ms: HOUR_MS },
  { name: "24h", label: "Last 24 hours", ms: 24 * HOUR_MS },
  { name: "7d", label: "Last 7 days", ms: 7 * 24 * HOUR_MS },
  { name: "30d", label: "Last 30 days", ms: 30 * 24 * HOUR_MS },
];

/** Reads the filter of a URL. Unknown values mean no filter. */
export function filterOf(query: URLSearchParams): JobFilter {
  const kind = query.get("kind") ?? "";
  const status = query.get("status") ?? "";
  const time = query.get("time") ?? "";
  return {
    kind: Object.hasOwn(KIND_WORDS, kind) ? (kind as JobKind) : "",
    status: Object.hasOwn(STATE_WORDS, status) ? (status as JobState) : "",
    time: PERIODS.some(({ name }) => name === time) ? time : "",
    search: query.get("search") ?? "",
  };
}

/** Returns the parts of a filter that restrict the list. */
export function setParts(filter: JobFilter): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
}

/** Returns the path of a page of the list. */
export function pathOf(filter: JobFilter, page: { cursor: string | null; limit: number; nowMs: number }): string {
  const { time, ...same } = setParts(filter);
  const period = PERIODS.find(({ name }) => name === time);
  const query = new URLSearchParams({ ...same, limit: String(page.limit) });
  if (period !== undefined) query.set("from", new Date(page.nowMs - period.ms).toISOString());
  if (page.cursor !== null) query.set("cursor", page.cursor);
  return `/v2/jobs?${query}`;
}
