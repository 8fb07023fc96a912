import { AppError } from "../../core/errors.ts";
import type { JobRecord } from "../../core/jobs/job.ts";
import type { Deps } from "../deps.ts";

/**
 * Ends a job at once. Pages that are being scraped are finished, listed and charged.
 * @returns the maximum number of these pages: some of them may not have begun, and are dropped.
 * @throws AppError `JOB_ENDED` when it has ended already.
 */
export async function cancelJob(
  { frontiers, jobs, clock, log }: Pick<Deps, "frontiers" | "jobs" | "clock" | "log">,
  job: JobRecord,
): Promise<number> {
  const before = await frontiers.cancel(job.id);
  if (before === "scraping") {
    // The job's next run records the status as well.
    await jobs
      .setStatus(job.id, "cancelled", clock.now())
      .catch((error: unknown) => log({ event: "cancel_not_recorded", jobId: job.id, message: String(error) }));
    return (await frontiers.progress(job.id))?.inFlight ?? 0;
  }
  const name = job.kind === "crawl" ? "Crawl" : "Batch scrape";
  throw new AppError(
    "JOB_ENDED",
    before === "cancelled" ? `${name} is already cancelled` : `${name} is already completed`,
  );
}
