import { toTraceEvents, type TraceEvent } from "../../core/jobs/agent-trace.ts";
import { AppError } from "../../core/errors.ts";
import type { Deps } from "../deps.ts";

/**
 * Returns the steps of an agent so far.
 * @throws AppError `JOB_NOT_FOUND` when the job is not stored any more.
 */
export async function readAgentTrace(
  { stepJobs }: Pick<Deps, "stepJobs">,
  id: string,
): Promise<{ events: TraceEvent[]; creditsUsed: number }> {
  const progress = await stepJobs.progress(id);
  if (progress === undefined) throw new AppError("JOB_NOT_FOUND", "Agent job not found");
  const steps = await stepJobs.trace(id);
  return { events: toTraceEvents({ ...progress, id, steps }), creditsUsed: progress.creditsUsed };
}
