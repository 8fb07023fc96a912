import { z } from "zod";

/** Number of pages by the time since the start of a job. The last interval ends with the last page. */
export const PageTimes = z.object({
  /** Length of an interval in ms. */
  stepMs: z.number(),
  /** Pages in each interval, the first one starting with the job. */
  counts: z.array(z.number()),
});
export type PageTimes = z.infer<typeof PageTimes>;

const FIRST_STEP_MS = 1_000;
/** More intervals are merged in pairs, so that the counts of a job of any length stay small. */
const MAX_STEPS = 120;

export const NO_PAGE_TIMES: PageTimes = { stepMs: FIRST_STEP_MS, counts: [] };

/** Counts a page that was completed this many ms after the start of the job. */
export function countPage({ stepMs, counts }: PageTimes, elapsedMs: number): PageTimes {
  let next = { stepMs, counts: [...counts] };
  while (Math.floor(elapsedMs / next.stepMs) >= MAX_STEPS) next = merged(next);
  const place = Math.max(0, Math.floor(elapsedMs / next.stepMs));
  while (next.counts.length <= place) next.counts.push(0);
  next.counts[place] = (next.counts[place] ?? 0) + 1;
  return next;
}

function merged({ stepMs, counts }: PageTimes): PageTimes {
  const pairs = Array.from({ length: Math.ceil(counts.length / 2) }, (_, at) => {
    return (counts[2 * at] ?? 0) + (counts[2 * at + 1] ?? 0);
  });
  return { stepMs: stepMs * 2, counts: pairs };
}
