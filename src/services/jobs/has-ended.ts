import type { Deps } from "../deps.ts";

/**
 * Reports whether the record of a job says that it has ended, expired or was deleted. Its object may be gone then, and a
 * start would run the job a second time.
 */
export async function hasEnded({ jobs, clock }: Pick<Deps, "jobs" | "clock">, id: string): Promise<boolean> {
  const job = await jobs.find(id);
  return job !== undefined && (job.status !== "scraping" || job.expiresAtMs <= clock.now());
}
