import type { StepSpecification } from "../../jobs/step-kind.ts";
import type { Deps } from "../deps.ts";
import { isMonitorCheck, type CheckSpecification } from "../monitors/check-job.ts";
import { runMonitorCheck } from "../monitors/run-monitor-check.ts";
import { runStepBatch } from "../research/run-step-batch.ts";

/** Does one worker run of a step job: of a check of a monitor, or of a kind that works in steps. */
export async function runStepJob(deps: Deps, { jobId, runId }: { jobId: string; runId: string }): Promise<void> {
  const opened = await deps.stepJobs.open(jobId, runId);
  if (opened === undefined) return;
  const specification = JSON.parse(opened.specification) as StepSpecification | CheckSpecification;
  if (isMonitorCheck(specification)) return await runMonitorCheck(deps, { ...opened, checkId: jobId, runId });
  await runStepBatch(deps, { specification, status: opened.status, runId });
}
