import { validate as isUuid } from "uuid";
import { AppError, type ErrorCode } from "../core/errors.ts";
import type { JobKindName, JobRecord } from "../core/job.ts";
import type { Caller, Deps } from "./deps.ts";

/** What a route answers for the job of another team: some tell that it exists, others do not (contract § 4.5). */
interface Looking {
  /** Kinds that the route knows. */
  kinds: readonly JobKindName[];
  foreign: Extract<ErrorCode, "FORBIDDEN" | "JOB_NOT_FOUND">;
  /** Wording for another team's job. */
  foreignMessage?: string;
}

/**
 * The record of a job that the caller may see.
 * @throws AppError `INVALID_JOB_ID`, `JOB_NOT_FOUND`, or `FORBIDDEN`.
 */
export async function findJob(
  { jobs, clock }: Pick<Deps, "jobs" | "clock">,
  { key }: Caller,
  { id, kinds, foreign, foreignMessage }: Looking & { id: string },
): Promise<JobRecord> {
  if (!isUuid(id)) throw new AppError("INVALID_JOB_ID");
  const job = await jobs.find(id.toLowerCase());
  if (job === undefined || !kinds.includes(job.kind)) throw new AppError("JOB_NOT_FOUND", "Job not found");
  if (job.teamId !== key.teamId) {
    throw foreign === "FORBIDDEN"
      ? new AppError("FORBIDDEN", foreignMessage ?? "Forbidden")
      : new AppError("JOB_NOT_FOUND", "Job not found");
  }
  if (job.expiresAtMs <= clock.now()) throw new AppError("JOB_NOT_FOUND", "Job expired");
  return job;
}
