import { AppError, isAppError } from "../core/errors.ts";
import type { Meter } from "../core/meter.ts";
import type { StepJobs } from "../ports/step-jobs.ts";
import type { StepJob } from "./step-job.ts";

type Stub = DurableObjectStub<StepJob>;

/** Reaches each job's object. Every call bears being made twice, so one that was lost on the way is made again. */
export function createStepJobs(namespace: DurableObjectNamespace<StepJob>, meter: Meter): StepJobs {
  const call = async <Result>(jobId: string, ask: (stub: Stub) => Promise<Result>, tries = 2): Promise<Result> => {
    meter.add("durableObjectRequests");
    try {
      return await ask(namespace.getByName(jobId));
    } catch (error) {
      if (isAppError(error)) throw error;
      if (tries > 1) return await call(jobId, ask, tries - 1);
      throw new AppError("SERVICE_UNAVAILABLE", undefined, { cause: error, retryAfterSeconds: 1 });
    }
  };
  return {
    start: (jobId, job) => call(jobId, (stub) => stub.start(job)),
    open: (jobId, turnId) => call(jobId, async (stub) => stub.open(turnId)),
    begin: (jobId, turnId, step) => call(jobId, async (stub) => stub.begin(turnId, step)),
    finish: (jobId, turnId, step) => call(jobId, (stub) => stub.finish(turnId, step)),
    drop: (jobId, key) => call(jobId, (stub) => stub.drop(key)),
    report: (jobId, turnId, report) => call(jobId, async (stub) => stub.report(turnId, report), 1),
    tell: (jobId, event, content) => call(jobId, (stub) => stub.tell(event, content), 1),
    end: (jobId, ending) => call(jobId, (stub) => stub.end(ending)),
    cancel: (jobId) => call(jobId, async (stub) => stub.cancel(), 1),
    standing: (jobId) => call(jobId, async (stub) => stub.standing()),
    leave: (jobId, turnId, options) => call(jobId, (stub) => stub.leave(turnId, options)),
    takeEvents: (jobId, limit) => call(jobId, async (stub) => stub.takeEvents(limit)),
    noteSent: (jobId, sent) => call(jobId, async (stub) => stub.noteSent(sent)),
    replayEvents: (jobId, webhookIds) =>
      call(jobId, async (stub) => stub.replayEvents(webhookIds === undefined ? undefined : [...webhookIds])),
  };
}
