import { JobStart } from "../../../src/platform/jobs/job-start.ts";
import type { KeyLedgerPort } from "../../../src/ports/account/key-ledger.ts";
import type { StepJobs } from "../../../src/ports/step-jobs.ts";
import { nextEventMs, noteSent, replayLost, takeDueEvents } from "../../../src/storage/webhooks/outbox.ts";
import { recordedOptions } from "../../../src/storage/jobs/recorded-options.ts";
import { StepJobRecord } from "../../../src/storage/jobs/step-job.ts";
import type { Clock } from "../../../src/ports/system.ts";
import { memoryKeyLedger } from "./memory-key-ledger.ts";
import { nodeSql } from "./node-sql.ts";

/** Milliseconds without a heartbeat after which a run counts as lost, as in the job's object. */
const LEASE_MS = 12_000;

interface MemoryJob {
  record: StepJobRecord;
  run: { id: string; endsAtMs: number } | undefined;
}

export interface MemoryStepJobs extends StepJobs {
  /** Begins a worker run in place of the current one, as the alarm of the job's object does. @returns its id. */
  beginRun(id: string): Promise<string>;
  /** Begins a worker run when the current one is lost, as the alarm of the job's object does. */
  alarm(id: string): Promise<void>;
  /** Notes that a worker run has thrown, as the job's object does, which has called it. */
  failRun(id: string, runId: string): void;
  currentRun(id: string): string | undefined;
}

/**
 * Jobs of steps in memory, by the statements that run in a Durable Object elsewhere. Runs begin only when a test begins
 * them. Slots are taken from keys by the code that takes them elsewhere.
 * @param keyLedger has the slots; by default one that nothing else uses.
 */
export function memoryStepJobs(
  clock: Clock,
  keyLedger: Pick<KeyLedgerPort, "takeSlot" | "releaseSlot"> = memoryKeyLedger(clock),
): MemoryStepJobs {
  const jobs = new Map<string, MemoryJob>();
  const jobOf = (id: string): MemoryJob => {
    const known = jobs.get(id) ?? { record: new StepJobRecord(nodeSql()), run: undefined };
    jobs.set(id, known);
    return known;
  };
  /** Reports whether a run is the current one, and renews it. Without a current run, the first one counts. */
  const renewLease = (job: MemoryJob, runId: string): boolean => {
    job.run ??= { id: runId, endsAtMs: 0 };
    if (job.run.id !== runId) return false;
    job.run.endsAtMs = clock.now() + LEASE_MS;
    return true;
  };
  const hasWork = ({ record }: MemoryJob): boolean => {
    const state = record.state();
    if (state === undefined) return false;
    return !state.isClosed || (nextEventMs(record.sql) ?? Infinity) <= clock.now();
  };
  const beginRun = async (id: string): Promise<string> => {
    const job = jobOf(id);
    job.run = { id: crypto.randomUUID(), endsAtMs: clock.now() + LEASE_MS };
    job.record.recordRun(clock.now());
    return job.run.id;
  };
  const endRun = (job: MemoryJob, runId: string): void => {
    if (job.run?.id !== runId) return;
    job.run = undefined;
    job.record.noteRunEnded();
  };
  return {
    beginRun,
    failRun: (id, runId) => endRun(jobOf(id), runId),
    async alarm(id) {
      const { run } = jobOf(id);
      if (run === undefined || run.endsAtMs <= clock.now()) await beginRun(id);
    },
    currentRun: (id) => jobOf(id).run?.id,
    async start(id, job) {
      const { record } = jobOf(id);
      record.start(job, clock.now());
      const start = new JobStart(
        {
          getByName: (keyId) => ({
            takeSlot: (slot) => keyLedger.takeSlot(keyId, slot),
            releaseSlot: (jobId) => keyLedger.releaseSlot(keyId, jobId),
          }),
        },
        {
          id: () => id,
          wantedSlot: () => {
            const { isStarting, config } = record.state() ?? {};
            if (isStarting !== true || config?.payer === undefined) return undefined;
            return { keyId: config.payer.keyId, ...config.payer.slot };
          },
          noteSlot: () => record.noteSlot(),
          forget: async () => void jobs.delete(id),
        },
      );
      return (await start.finish()) === "started";
    },
    async open(id, runId) {
      const job = jobOf(id);
      return hasWork(job) && renewLease(job, runId) ? job.record.opened() : undefined;
    },
    recordedOptions: async (id) => recordedOptions(jobOf(id).record.sql),
    async begin(id, runId, step) {
      const job = jobOf(id);
      if (renewLease(job, runId)) return job.record.begin(step, clock.now());
      return { kind: "stopped", status: job.record.state()?.status ?? "cancelled" };
    },
    async finish(id, runId, step) {
      const job = jobOf(id);
      renewLease(job, runId);
      job.record.finish(step, clock.now());
    },
    raise: async (id, key, credits) => jobOf(id).record.raise(key, credits),
    async noteCharged(id, credits) {
      jobOf(id).record.noteCharged(credits);
    },
    async drop(id, runId, key, end) {
      const { record, run } = jobOf(id);
      if (run === undefined || run.id === runId) record.drop(key, end, clock.now());
    },
    async report(id, runId, report) {
      const job = jobOf(id);
      const status = job.record.report(report);
      return renewLease(job, runId) ? status : "cancelled";
    },
    async tell(id, event, content) {
      jobOf(id).record.tell(event, content, clock.now());
    },
    settle: async (id) => jobOf(id).record.settle(),
    async end(id, ending) {
      jobOf(id).record.end(ending, clock.now());
    },
    cancel: async (id) => jobOf(id).record.cancel(clock.now()),
    progress: async (id) => jobOf(id).record.progress(),
    trace: async (id) => jobOf(id).record.trace(),
    tracedResult: async (id, number) => jobOf(id).record.tracedResult(number),
    async leave(id, runId, { isClosed }) {
      const job = jobOf(id);
      endRun(job, runId);
      if (isClosed) job.record.close();
      if (job.record.isToDelete()) jobs.delete(id);
    },
    async forget(id) {
      if (!jobOf(id).record.forgetWhenOver()) jobs.delete(id);
    },
    takeEvents: async (id, limit) => takeDueEvents(jobOf(id).record.sql, { limit, nowMs: clock.now(), holdMs: 60_000 }),
    async noteSent(id, sent) {
      const { record } = jobOf(id);
      noteSent(record.sql, sent, clock.now());
      if (record.isToDelete()) jobs.delete(id);
    },
    replayEvents: async (id, ids) => replayLost(jobOf(id).record.sql, ids, clock.now()),
  };
}
