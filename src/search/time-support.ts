import type { SearchFilter, SearchQuery } from "./provider.ts";

/**
 * Names the time range of a query as left out when a provider that knows ranges of dates does not apply it in full: none of them sorts
 * by date unless it says so itself.
 */
export function rangesOnly({ timeRange }: SearchQuery): SearchFilter[] {
  return timeRange?.newestFirst === true ? ["tbs"] : [];
}

/** The same for a provider that knows only the last day, week, month or year. */
export function unitsOnly({ timeRange }: SearchQuery): SearchFilter[] {
  if (timeRange === undefined) return [];
  const { unit, toMs, newestFirst } = timeRange;
  return unit === undefined || toMs !== undefined || newestFirst === true ? ["tbs"] : [];
}
