import type { CheckPlan, ListingResult } from "./monitor.ts";

/** Returns the results of the targets that a plan has listed. */
export function resultsOf({ listed, pages, failed, warnings }: CheckPlan): ListingResult[] {
  const counts = new Map<string, number>();
  for (const { targetId } of pages) counts.set(targetId, (counts.get(targetId) ?? 0) + 1);
  const failures = new Set(failed.map(({ targetId }) => targetId));
  return [...new Set(listed)].map((targetId) => {
    const warning = warnings.filter((each) => each.targetId === targetId).map((each) => each.warning).join(" "); // prettier-ignore
    const result = { targetId, pages: counts.get(targetId) ?? 0, hasFailed: failures.has(targetId) };
    return warning === "" ? result : { ...result, warning };
  });
}
