import type { StepJobs } from "../../src/ports/step-jobs.ts";
import { noteSent, replayLost, takeDueEvents } from "../../src/storage/webhooks/outbox.ts";
import { StepJobRecord } from "../../src/storage/jobs/step-job.ts";
import type { Clock } from "../../src/ports/system.ts";
import { nodeSql } from "./node-sql.ts";

/** Jobs of steps in memory, by the statements that run in a Durable Object elsewhere. Nobody is asked to work for them. */
export function memoryStepJobs(clock: Clock): StepJobs & { beginRun(id: string): Promise<void> } {
  const jobs = new Map<string, { record: StepJobRecord; runId: string | undefined }>();
  const jobOf = (id: string) => {
    const known = jobs.get(id) ?? { record: new StepJobRecord(nodeSql()), runId: undefined };
    jobs.set(id, known);
    return known;
  };
  return {
    /** Counts a worker run, as the alarm of the job's object does. */
    async beginRun(id) {
      jobOf(id).record.recordRun(clock.now());
    },
    async start(id, job) {
      jobOf(id).record.start(job, clock.now());
      return true;
    },
    async open(id, runId) {
      const job = jobOf(id);
      const opened = job.record.opened();
      if (opened !== undefined) job.runId = runId;
      return opened;
    },
    async begin(id, runId, step) {
      const { record, runId: current } = jobOf(id);
      return current === runId ? record.begin(step, clock.now()) : { kind: "stopped", status: "cancelled" };
    },
    async finish(id, _runId, step) {
      jobOf(id).record.finish(step, clock.now());
    },
    raise: async (id, key, credits) => jobOf(id).record.raise(key, credits),
    async noteCharged(id, credits) {
      jobOf(id).record.noteCharged(credits);
    },
    async drop(id, key, end) {
      jobOf(id).record.drop(key, end, clock.now());
    },
    async report(id, runId, report) {
      const { record, runId: current } = jobOf(id);
      const status = record.report(report);
      return current === runId ? status : "cancelled";
    },
    async tell(id, event, content) {
      jobOf(id).record.tell(event, content, clock.now());
    },
    async end(id, ending) {
      jobOf(id).record.end(ending, clock.now());
    },
    cancel: async (id) => jobOf(id).record.cancel(clock.now()),
    progress: async (id) => jobOf(id).record.progress(),
    trace: async (id) => jobOf(id).record.trace(),
    async leave(id, runId, { isClosed }) {
      const job = jobOf(id);
      if (job.runId === runId) job.runId = undefined;
      if (isClosed) job.record.close();
    },
    async forget(id) {
      jobs.delete(id);
    },
    takeEvents: async (id, limit) => takeDueEvents(jobOf(id).record.sql, { limit, nowMs: clock.now(), holdMs: 60_000 }),
    noteSent: async (id, sent) => noteSent(jobOf(id).record.sql, sent, clock.now()),
    replayEvents: async (id, ids) => replayLost(jobOf(id).record.sql, ids, clock.now()),
  };
}
