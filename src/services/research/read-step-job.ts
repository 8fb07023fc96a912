import { parseStored } from "../../core/stored-state.ts";
import { AppError } from "../../core/errors.ts";
import type { JobRecord } from "../../core/jobs/job.ts";
import type { StepProgress } from "../../ports/step-jobs.ts";
import type { Deps } from "../deps.ts";

export type { StepProgress } from "../../ports/step-jobs.ts";

/** Progress of a step job, with its result when it has one. */
export interface StepJobView {
  progress: StepProgress;
  result: unknown;
}

const POLL_MS = 250;

/** @throws AppError `JOB_NOT_FOUND` when the job is not stored any more. */
export async function readStepJob(
  { stepJobs, blobs }: Pick<Deps, "stepJobs" | "blobs">,
  id: string,
): Promise<StepJobView> {
  const progress = await stepJobs.progress(id);
  if (progress === undefined) throw new AppError("JOB_NOT_FOUND", "Job not found");
  const { result } = progress;
  if (result === undefined) return { progress, result: undefined };
  const text = "text" in result ? result.text : await blobs.text(result.object);
  if (text === undefined) throw new AppError("JOB_NOT_FOUND", "Job expired");
  return { progress, result: parseStored(text, "result of a job") };
}

/** Waits up to `waitMs` for a job to end, for callers that prefer one response. */
export async function awaitStepJob(
  deps: Pick<Deps, "stepJobs" | "blobs" | "clock" | "sleep">,
  id: string,
  waitMs: number,
): Promise<StepJobView> {
  const untilMs = deps.clock.now() + waitMs;
  for (;;) {
    const view = await readStepJob(deps, id);
    if (view.progress.status !== "scraping" || deps.clock.now() >= untilMs) return view;
    await deps.sleep(POLL_MS);
  }
}

/**
 * Ends a step job at once; steps in progress that finish before its run has ended are charged.
 * @returns the maximum number of credits that these steps cost.
 * @throws AppError `JOB_ENDED` when it has ended already.
 */
export async function cancelStepJob(
  { stepJobs, jobs, clock }: Pick<Deps, "stepJobs" | "jobs" | "clock">,
  job: JobRecord,
): Promise<number> {
  const before = await stepJobs.cancel(job.id);
  if (before === "scraping") {
    await jobs.setStatus(job.id, "cancelled", clock.now());
    return (await stepJobs.progress(job.id))?.creditsHeld ?? 0;
  }
  const name = job.kind === "agent" ? "Agent" : "Extract";
  throw new AppError("JOB_ENDED", before === "cancelled" ? `${name} is already cancelled` : `${name} already finished`);
}
