import { jobKindOf } from "../../jobs/index.ts";
import { combineCounts, NO_COUNTS } from "../../core/account/meter.ts";
import { checkStored, readStored } from "../../core/stored-state.ts";
import { failUnreadable } from "../jobs/fail-unreadable.ts";
import { JobSpecification } from "../../jobs/kind.ts";
import { pagesOf } from "../../core/jobs/listed-job.ts";
import type { JobProgress } from "../../ports/crawl/frontier.ts";
import {
  deliverEvents,
  MAX_DELIVERY_MS,
  type EventJob,
  type Outbox,
  type Sending,
} from "../webhooks/deliver-events.ts";
import type { Deps } from "../deps.ts";
import { closeAndForget } from "../jobs/forget-job.ts";
import { jobReceipt } from "../jobs/job-receipt.ts";
import { noteRunning } from "../jobs/note-running.ts";
import { keepJobRecord } from "../jobs/keep-job-record.ts";
import { withHeartbeat } from "../jobs/with-heartbeat.ts";
import { holdEarlier } from "./hold-earlier.ts";
import { JobRun } from "./run/job-run.ts";
import { profilesReadOnce } from "../sessions/scrape-profile.ts";
import { isKeyOver } from "../account/is-key-over.ts";

/** Time for the events of a run before the job's end is recorded, which counts their costs; the others are sent after it. */
const EVENTS_BEFORE_END_MS = 5_000;

/**
 * Works on a job for a limited time: scrapes pages, sends webhook events, and reports the job's end to its record and
 * to the credit ledger. May run twice at once or stop anywhere: its results count once.
 */
export async function runJobBatch(
  deps: Deps,
  { jobId, messageId }: { jobId: string; messageId: string },
): Promise<void> {
  const startedAtMs = deps.clock.now();
  const found = await openJob(deps, { jobId, messageId });
  if (found === undefined) return;
  const { specification, ...opened } = found;
  const eventJob = { ...specification, expiresAtMs: opened.expiresAtMs };
  const settings = { ...deps.settings, ownHosts: specification.ownHosts };
  const own: Deps = { ...deps, settings, profiles: profilesReadOnce(deps.profiles) };
  const kind = jobKindOf(specification.kind);
  const recording = keepRecords(own, specification, opened.hasRestarted);

  const outbox = limitedOutbox(own);
  const sending: Sending = { untilMs: Infinity, taken: [] };
  let delivering: Promise<void> | undefined;
  const deliver = (): void => {
    if (specification.webhook === undefined || delivering !== undefined) return;
    delivering = deliverEvents(own, outbox, eventJob, sending).finally(() => (delivering = undefined));
  };
  const run = new JobRun({ deps: own, specification, kind, messageId });
  // Without a record the job still ends, which releases its slot and credits.
  const isRecorded = recording.then(
    () => true,
    () => false,
  );
  const isOver = opened.status === "scraping" && (await isKeyOver(deps, specification.key));
  if (isOver) await deps.frontiers.cancel(jobId);
  const before = isOver ? "cancelled" : opened.status;
  const status = before === "scraping" ? await run.run(deliver) : before;
  if (!(await isRecorded)) await recordAgain(own, specification, opened.hasRestarted);
  // A receiver that hangs must not delay the end of the job, which releases its slot and credits.
  sending.untilMs = deps.clock.now() + EVENTS_BEFORE_END_MS;
  await delivering;
  await deliverEvents(own, outbox, eventJob, sending);
  if (status !== "scraping") {
    await closeJob(own, specification);
    await deliverRest(own, { specification: eventJob, messageId, taken: sending.taken });
  } else deps.defer(reportCosts(own, specification, await deps.frontiers.progress(jobId)));
  await deps.frontiers.work(jobId, { messageId, leaseIds: [], capacity: 0, isLeaving: true });
  const { pages } = deps.meter.counts;
  deps.log({ event: "job_run", jobId, kind: kind.name, status, pages, ms: deps.clock.now() - startedAtMs });
}

/** Repeats an insert that failed when the run began. Another failure is logged: the next run, or a repeat of the request, inserts it. */
async function recordAgain(deps: Deps, specification: JobSpecification, hasRestarted?: boolean): Promise<void> {
  await keepRecords(deps, specification, hasRestarted).catch((error: unknown) =>
    deps.log({ event: "job_not_recorded", jobId: specification.id, message: String(error) }),
  );
}

/** Keeps what a job needs elsewhere: its record, also when a retry or addition could not note that it runs again, and the earlier crawl. */
async function keepRecords(deps: Deps, specification: JobSpecification, hasRestarted = false): Promise<void> {
  await keepJobRecord(deps, specification);
  if (hasRestarted) await noteRunning(deps, specification.id);
  await holdEarlier(deps, specification);
}

/** Sends events of a job whose end is recorded. Without a heartbeat the job's object would start another run for them. */
async function deliverRest(
  deps: Deps,
  { specification, messageId, taken }: { specification: EventJob; messageId: string } & Pick<Sending, "taken">,
): Promise<void> {
  if (specification.webhook === undefined) return;
  const beat = () => deps.frontiers.work(specification.id, { messageId, leaseIds: [], capacity: 0 });
  const sending = { untilMs: deps.clock.now() + MAX_DELIVERY_MS, taken };
  await withHeartbeat(deps, beat, () => deliverEvents(deps, limitedOutbox(deps), specification, sending));
}

/** Returns the outbox of a job: empty once the invocation has made most of its queries, which leaves the events to another run. */
function limitedOutbox({ frontiers, meter }: Pick<Deps, "frontiers" | "meter">): Outbox {
  return {
    takeEvents: async (id, limit) => (meter.hasManyQueries ? [] : await frontiers.takeEvents(id, limit)),
    noteSent: async (id, notes) => await frontiers.noteSent(id, notes),
  };
}

/** Opens a job for this run. One whose stored state this version cannot read fails, with the reason. */
async function openJob(deps: Deps, { jobId, messageId }: { jobId: string; messageId: string }) {
  try {
    const opened = await deps.frontiers.open(jobId, messageId);
    if (opened === undefined) return undefined;
    const stored = readStored(JobSpecification, opened.specification, "job");
    const input = checkStored(jobKindOf(stored.kind).input, stored.input, "input of a job");
    return { ...opened, specification: { ...stored, input } };
  } catch (error) {
    await failUnreadable(deps, { jobId, error }, async (message) => {
      await deps.frontiers.fail(jobId, message);
      await deps.frontiers.close(jobId);
    });
    return undefined;
  }
}

/** Costs that arise after the receipt is closed: calls of the credit ledger and of the frontier. */
const CLOSING_COSTS = { ...NO_COUNTS, durableObjectRequests: 4, durableObjectRowsWritten: 5 };

async function closeJob(deps: Deps, specification: JobSpecification): Promise<void> {
  const { id } = specification;
  const progress = await deps.frontiers.progress(id);
  if (progress === undefined || progress.status === "scraping") return;
  await deps.jobs.setStatus(id, progress.status, progress.endedAtMs, pagesOf(progress));
  // A request that appends URLs or retries pages in between has recorded that the job runs, before this end.
  await noteRunning(deps, id);
  if (progress.inFlight > 0) return await reportCosts(deps, specification, progress);
  const costs = combineCounts(CLOSING_COSTS, deps.meter.take());
  await reportCosts(deps, specification, await deps.frontiers.settle(id, costs));
  await (specification.zeroDataRetention
    ? closeAndForget(deps, specification, progress.endedAtMs)
    : deps.frontiers.close(id));
}

/** Reports the job's totals to the credit ledger. A later report replaces the earlier one. */
async function reportCosts(
  { keyLedger }: Deps,
  { id, key, kind, createdAtMs, record }: JobSpecification,
  progress: JobProgress | undefined,
): Promise<void> {
  if (progress === undefined) return;
  await keyLedger.recordJob(key.id, {
    jobId: id,
    endpoint: kind,
    createdAtMs,
    pages: progress.completed,
    hasFailed: progress.status === "failed",
    receipt: jobReceipt(progress),
    ...(record === undefined || record.target === "" ? {} : { target: record.target }),
  });
}
