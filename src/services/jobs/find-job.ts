import { validate as isUuid } from "uuid";
import { AppError } from "../../core/errors.ts";
import { retainedFromMs, runningExpiryMs } from "../../core/jobs/job-life.ts";
import { ENDPOINT_OF_JOB, type JobKindName, type JobRecord } from "../../core/jobs/job.ts";
import { checkEndpoint, checkJobFormats } from "../account/check-scope.ts";
import type { Caller, Deps } from "../deps.ts";

interface Looking {
  id: string;
  /** Kinds that the route serves. */
  kinds: readonly JobKindName[];
}

/**
 * Finds the record of a job that the caller may read. The response for another team's job is the same as for an unknown
 * ID.
 * @throws AppError `INVALID_JOB_ID`, `JOB_NOT_FOUND`, `ENDPOINT_RESTRICTED` or `FORMAT_RESTRICTED` for what the key may
 * not have.
 */
export async function findJob(
  { jobs, clock, settings }: Pick<Deps, "jobs" | "clock" | "settings">,
  { key }: Caller,
  { id, kinds }: Looking,
): Promise<JobRecord> {
  if (!isUuid(id)) throw new AppError("INVALID_JOB_ID");
  const job = await jobs.find(id.toLowerCase());
  if (job === undefined || job.teamId !== key.teamId || !kinds.includes(job.kind)) {
    throw new AppError("JOB_NOT_FOUND", "Job not found");
  }
  checkEndpoint(key, ENDPOINT_OF_JOB[job.kind]);
  await checkJobFormats({ jobs }, key, job);
  const nowMs = clock.now();
  const expiresAtMs = expiryOf({ ...job, isRunning: job.status === "scraping" }, settings, nowMs);
  if (expiresAtMs <= nowMs) throw new AppError("JOB_NOT_FOUND", "Job expired");
  return { ...job, expiresAtMs };
}

/**
 * Returns when the results of a job expire, in ms since the epoch: a shorter retention applies to those of earlier jobs as
 * well. Of a running job it is a moment before which they do not, until the job must have ended.
 */
export function expiryOf(
  {
    createdAtMs,
    endedAtMs,
    expiresAtMs,
    isRunning,
  }: Pick<JobRecord, "createdAtMs" | "endedAtMs" | "expiresAtMs"> & { isRunning: boolean },
  { resultRetentionMs }: Pick<Deps["settings"], "resultRetentionMs">,
  nowMs: number,
): number {
  if (!isRunning) return Math.min(expiresAtMs, retainedFromMs({ createdAtMs, endedAtMs }) + resultRetentionMs);
  return Math.min(expiresAtMs, runningExpiryMs({ expiresAtMs: createdAtMs + resultRetentionMs, nowMs }));
}
