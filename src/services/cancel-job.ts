import { AppError } from "../core/errors.ts";
import type { JobRecord } from "../core/job.ts";
import type { Deps } from "./deps.ts";

/**
 * Ends a job at once. Pages that are being scraped come to their end, and are listed (contract § 9.3).
 * @throws AppError `JOB_ENDED` when it has ended already.
 */
export async function cancelJob(
  { frontiers, jobs, clock }: Pick<Deps, "frontiers" | "jobs" | "clock">,
  job: JobRecord,
): Promise<void> {
  const before = await frontiers.cancel(job.id);
  if (before === "scraping") return await jobs.setStatus(job.id, "cancelled", clock.now());
  const name = job.kind === "crawl" ? "Crawl" : "Batch scrape";
  throw new AppError(
    "JOB_ENDED",
    before === "cancelled" ? `${name} is already cancelled` : `${name} is already completed`,
  );
}
