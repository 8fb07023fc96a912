import type { Context } from "hono";
import { AppError } from "../core/errors.ts";
import type { JobKindName, JobRecord } from "../core/job.ts";
import { findJob } from "../services/find-job.ts";
import type { AppEnv } from "./context.ts";
import { admit } from "./rate-limit.ts";

/**
 * The job of steps of an id in a path, for its own team.
 * @throws AppError `JOB_NOT_FOUND` with the words that clients of the kind know.
 */
export async function findStepJob(
  c: Context<AppEnv>,
  { id, kind, notFound }: { id: string; kind: JobKindName; notFound: string },
): Promise<JobRecord> {
  await admit(c, { mode: "extractStatus", credits: 0 });
  const { deps, caller } = c.var;
  try {
    return await findJob(deps, caller, { id, kinds: [kind], foreign: "JOB_NOT_FOUND" });
  } catch (error) {
    const isUnknown = error instanceof AppError && error.code === "JOB_NOT_FOUND";
    throw isUnknown ? new AppError("JOB_NOT_FOUND", notFound) : error;
  }
}

/** The names that clients of jobs of steps know for where one stands. */
export function stepStatus(status: string): "processing" | "completed" | "failed" | "cancelled" {
  return status === "completed" || status === "failed" || status === "cancelled" ? status : "processing";
}
