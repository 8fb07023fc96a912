import { pagesOf } from "../../core/jobs/listed-job.ts";
import type { Deps } from "../deps.ts";

/**
 * Records that a job runs, unless it has ended again. A job that ends between the two reads keeps its final status,
 * which the write would replace.
 */
export async function noteRunning({ frontiers, jobs }: Pick<Deps, "frontiers" | "jobs">, jobId: string): Promise<void> {
  if ((await frontiers.progress(jobId))?.status !== "scraping") return;
  await jobs.setStatus(jobId, "scraping", undefined);
  const after = await frontiers.progress(jobId);
  if (after !== undefined && after.status !== "scraping")
    await jobs.setStatus(jobId, after.status, after.endedAtMs, pagesOf(after));
}
