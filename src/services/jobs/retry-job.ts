import { AppError } from "../../core/errors.ts";
import type { JobKindName } from "../../core/jobs/job.ts";
import type { Caller, Deps } from "../deps.ts";
import { jobIdFor, type Idempotency } from "../idempotency.ts";
import { findJob } from "./find-job.ts";
import { noteRunning } from "./note-running.ts";
import { tooManyJobs } from "./start-job.ts";

/** Numbers of a retry. */
export interface RetriedJob {
  id: string;
  /** Pages that are scraped again. */
  retried: number;
  /** Pages that had failed. */
  failed: number;
}

type RetryDeps = Pick<Deps, "frontiers" | "jobs" | "settings" | "clock" | "idempotencyKeys">;

/**
 * Runs an ended job again with the pages that failed. A repeat with the same idempotency key returns the numbers of the
 * first request.
 * @throws AppError JOB_RUNNING; JOB_ENDED for a job that was cancelled or ran out of credits; CONCURRENCY_LIMITED when
 * the key has as many jobs running as it may; IDEMPOTENCY_KEY_USED; as `findJob` does.
 */
export async function retryJob(
  deps: RetryDeps,
  caller: Caller,
  { id, kinds, idempotency }: { id: string; kinds: readonly JobKindName[]; idempotency: Idempotency | undefined },
): Promise<RetriedJob> {
  const retryId = await jobIdFor(deps, caller, idempotency);
  const job = await findJob(deps, caller, { id, kinds });
  const outcome = await deps.frontiers.retry(job.id, retryId);
  switch (outcome?.kind) {
    case undefined:
      throw new AppError("JOB_NOT_FOUND", "Job not found");
    case "running":
      throw new AppError("JOB_RUNNING", "This job is still running. Retry its failed pages when it has ended.");
    case "ended":
      throw new AppError("JOB_ENDED", "This job was cancelled or ran out of credits: it accepts no more work");
    case "no_slot":
      throw tooManyJobs(deps, caller);
    case "retried":
      if (outcome.retried > 0) await noteRunning(deps, job.id);
      return { id: job.id, retried: outcome.retried, failed: outcome.failed };
  }
}
