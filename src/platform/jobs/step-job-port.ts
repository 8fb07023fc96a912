import type { StepJobs } from "../../ports/step-jobs.ts";
import { createObjectCalls } from "../object-calls.ts";
import type { StepJob } from "./step-job.ts";

/** Calls each job's object. Every call may be made twice, except those that are tried once. */
export function createStepJobs(namespace: DurableObjectNamespace<StepJob>): StepJobs {
  const call = createObjectCalls(namespace);
  return {
    start: (jobId, job) => call(jobId, (stub) => stub.start(job)),
    open: (jobId, runId) => call(jobId, async (stub) => stub.open(runId)),
    recordedOptions: (jobId) => call(jobId, async (stub) => stub.recordedOptions()),
    begin: (jobId, runId, step) => call(jobId, async (stub) => stub.begin(runId, step)),
    finish: (jobId, runId, step) => call(jobId, (stub) => stub.finish(runId, step)),
    raise: (jobId, key, credits) => call(jobId, async (stub) => stub.raise(key, credits), 1),
    noteCharged: (jobId, credits) => call(jobId, (stub) => stub.noteCharged(credits)),
    drop: (jobId, runId, key, end) => call(jobId, (stub) => stub.drop(key, end, runId)),
    report: (jobId, runId, report) => call(jobId, async (stub) => stub.report(runId, report), 1),
    tell: (jobId, event, content) => call(jobId, (stub) => stub.tell(event, content), 1),
    settle: (jobId) => call(jobId, async (stub) => stub.settle()),
    end: (jobId, ending) => call(jobId, (stub) => stub.end(ending)),
    cancel: (jobId) => call(jobId, async (stub) => stub.cancel(), 1),
    progress: (jobId) => call(jobId, async (stub) => stub.progress()),
    trace: (jobId) => call(jobId, async (stub) => stub.tracedSteps()),
    tracedResult: (jobId, number) => call(jobId, async (stub) => stub.tracedResult(number)),
    leave: (jobId, runId, options) => call(jobId, (stub) => stub.leave(runId, options)),
    forget: (jobId) => call(jobId, (stub) => stub.forget()),
    takeEvents: (jobId, limit) => call(jobId, async (stub) => stub.takeEvents(limit)),
    noteSent: (jobId, sent) => call(jobId, async (stub) => stub.noteSent(sent)),
    replayEvents: (jobId, webhookIds) =>
      call(jobId, async (stub) => stub.replayEvents(webhookIds === undefined ? undefined : [...webhookIds])),
  };
}
