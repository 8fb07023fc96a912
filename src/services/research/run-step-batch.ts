import { isAppError } from "../../core/errors.ts";
import { checkStored } from "../../core/stored-state.ts";
import { stepKindOf } from "../../jobs/step-kinds.ts";
import type { StepKind, StepSpecification } from "../../jobs/step-kind.ts";
import { toReceipt } from "../../core/account/receipt.ts";
import { payStepJob } from "./charge-step-job.ts";
import { deliverEvents } from "../webhooks/deliver-events.ts";
import type { Deps } from "../deps.ts";
import type { EventContent } from "../../ports/crawl/frontier.ts";
import type { OpenedJob } from "../../ports/step-jobs.ts";
import { keepJobRecord } from "../jobs/keep-job-record.ts";
import { withHeartbeat } from "../jobs/with-heartbeat.ts";
import { isKeyOver } from "../account/is-key-over.ts";
import { fromService, StepRun, RunEnded } from "./step-run.ts";
import { createStepTools } from "./step-tools.ts";

const RESULT_KEY = "result of the job";
const EVENT_KEY = "last event of the job";
/** Longer data of an event are stored as an object; a row holds 2 MB. */
const MAX_EVENT_CHARS = 500_000;

/**
 * Works on a step job: runs its kind from the beginning, where completed steps return their results at once. May be
 * interrupted anywhere: the next run continues after the last step. An unexpected error does not end the job, nor does an
 * object of the service that does not answer; the next run tries again.
 */
export async function runStepBatch(
  deps: Deps,
  {
    specification,
    status,
    isUnused,
    runId,
  }: Pick<OpenedJob, "status" | "isUnused"> & { specification: StepSpecification; runId: string },
): Promise<void> {
  const { id: jobId } = specification;
  const own: Deps = { ...deps, settings: { ...deps.settings, ownHosts: specification.ownHosts } };
  const run = new StepRun(own, { specification, runId });
  // The record of a deleted job stays deleted while its events are sent again.
  const record = async (): Promise<void> => (isUnused === true ? undefined : await keepJobRecord(own, specification));
  // Without a record the job still ends, which releases its slot and credits.
  const isRecorded = await record().then(
    () => true,
    () => false,
  );
  const isOver = status === "scraping" && (await isKeyOver(deps, specification.key));
  if (isOver) await deps.stepJobs.cancel(jobId);
  if (status === "scraping" && !isOver) {
    deps.defer(deliverEvents(own, own.stepJobs, specification));
    const work = () => runKind(run, stepKindOf(specification.kind)).finally(() => run.release());
    await withHeartbeat(own, () => run.report(), work).finally(() => run.report().catch(() => undefined));
  }
  if (!isRecorded) {
    await record().catch((error: unknown) => deps.log({ event: "job_not_recorded", jobId, message: String(error) }));
  }
  const isClosed = await closeJob(run);
  // A receiver that hangs does not delay the end of the job.
  await deliverEvents(own, own.stepJobs, specification);
  // Events of a job that was deleted meanwhile leave nothing of it in the list of deliveries.
  if (isUnused === true && specification.webhook !== undefined)
    await deps.webhookDeliveries.emptyBodies(specification.key.teamId, jobId);
  await deps.stepJobs.leave(jobId, runId, { isClosed });
}

async function runKind(run: StepRun, kind: StepKind): Promise<void> {
  const { specification, deps } = run;
  try {
    const input = checkStored(kind.input, specification.input, "input of a job");
    const result = await kind.run(input, createStepTools(run));
    const text = JSON.stringify(result);
    const kept = await run.keep(RESULT_KEY, text, { asObject: true });
    const progress = await fromService(deps.stepJobs.progress(specification.id));
    const data = kind.webhookData?.(result, progress?.creditsUsed ?? 0);
    const content = data === undefined ? { document: wholeOf(kept, text) } : await contentOf(run, data);
    const end = { status: "completed" as const, result: kept, event: { name: "completed" as const, content } };
    await fromService(deps.stepJobs.end(specification.id, { ...end, costs: deps.meter.take() }));
  } catch (error) {
    if (error instanceof RunEnded) return;
    if (!isAppError(error)) throw error;
    await deps.stepJobs.end(specification.id, { status: "failed", error: error.message, costs: deps.meter.take() });
  }
}

/** Returns the content of the last event. Receivers get the same body from data and from a document. */
async function contentOf(run: StepRun, data: unknown): Promise<EventContent> {
  const text = JSON.stringify(data);
  if (text.length <= MAX_EVENT_CHARS) return { data };
  if (run.specification.webhook === undefined) return {};
  return { document: wholeOf(await run.keep(EVENT_KEY, text, { asObject: true }), text) };
}

function wholeOf(kept: Awaited<ReturnType<StepRun["keep"]>>, text: string) {
  const object = "object" in kept ? kept.object : "";
  return { object, offset: 0, length: new TextEncoder().encode(text).byteLength };
}

/**
 * Reports the job's end to its record and to the credit ledger. Steps that still run are discarded: they charge nothing
 * afterwards. @returns false while the job runs.
 */
async function closeJob(run: StepRun): Promise<boolean> {
  const { deps, specification } = run;
  const { id, key, kind, createdAtMs, record } = specification;
  const progress = await deps.stepJobs.settle(id);
  if (progress === undefined) return false;
  // A charge that began before the end would come after the last one.
  await run.charged();
  await deps.jobs.setStatus(id, progress.status, progress.endedAtMs);
  await deps.keyLedger.recordJob(key.id, {
    jobId: id,
    endpoint: kind,
    createdAtMs,
    pages: progress.costs.pages,
    hasFailed: progress.status === "failed",
    receipt: toReceipt({ ...progress.costs, credits: progress.creditsUsed }),
    ...(record === undefined || record.target === "" ? {} : { target: record.target }),
  });
  await payStepJob(deps, specification, progress);
  await deps.keyLedger.releaseSlot(key.id, id);
  return true;
}
