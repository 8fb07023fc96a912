import { toTraceEvents, type TraceEvent } from "../../core/jobs/agent-trace.ts";
import { AppError } from "../../core/errors.ts";
import type { Deps } from "../deps.ts";

/**
 * What an agent has done so far, step by step.
 * @throws AppError `JOB_NOT_FOUND` when nothing is known of it any more.
 */
export async function readAgentTrace(
  { stepJobs }: Pick<Deps, "stepJobs">,
  id: string,
): Promise<{ events: TraceEvent[]; creditsUsed: number }> {
  const standing = await stepJobs.standing(id);
  if (standing === undefined) throw new AppError("JOB_NOT_FOUND", "Agent job not found");
  const steps = await stepJobs.trace(id);
  return { events: toTraceEvents({ ...standing, id, steps }), creditsUsed: standing.creditsUsed };
}
