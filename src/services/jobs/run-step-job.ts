import { z } from "zod";
import { NO_COUNTS } from "../../core/account/meter.ts";
import { readStored } from "../../core/stored-state.ts";
import { StepSpecification } from "../../jobs/step-kind.ts";
import type { OpenedJob } from "../../ports/step-jobs.ts";
import type { Deps } from "../deps.ts";
import { CheckSpecification } from "../monitors/check-job.ts";
import { runMonitorEvents } from "../monitors/monitor-events.ts";
import { runMonitorCheck } from "../monitors/run-monitor-check.ts";
import { runStepBatch } from "../research/run-step-batch.ts";
import { failUnreadable } from "./fail-unreadable.ts";

const Specification = z.discriminatedUnion("kind", [CheckSpecification, StepSpecification]);

/**
 * Does one worker run of a step job: of a check of a monitor, of the events of one, or of a kind that works in steps. A
 * job whose stored state cannot be read by this version fails, with the reason.
 */
export async function runStepJob(deps: Deps, run: { jobId: string; runId: string }): Promise<void> {
  const { jobId, runId } = run;
  try {
    const opened = await deps.stepJobs.open(jobId, runId);
    if (opened !== undefined) await runOpened(deps, run, opened);
  } catch (error) {
    await failUnreadable(deps, { jobId, error }, async (message) => {
      await deps.stepJobs.end(jobId, { status: "failed", error: message, costs: NO_COUNTS });
      await deps.stepJobs.leave(jobId, runId, { isClosed: true });
    });
  }
}

async function runOpened(deps: Deps, { jobId, runId }: { jobId: string; runId: string }, opened: OpenedJob) {
  const specification = readStored(Specification, opened.specification, "job");
  if (specification.kind !== "monitor_check") return await runStepBatch(deps, { ...opened, specification, runId });
  const { eventsOf } = specification;
  if (eventsOf === undefined) return await runMonitorCheck(deps, { ...opened, checkId: jobId, runId });
  await runMonitorEvents(deps, { checkId: eventsOf, jobId, runId, status: opened.status });
}
