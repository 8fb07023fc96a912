import type { JobEvent } from "../../core/crawl/frontier.ts";
import { MAX_JOB_LIFE_MS } from "../../core/jobs/job-life.ts";
import { assertStorableJob } from "../../core/jobs/storable-job.ts";
import type { StepSpecification } from "../../jobs/step-kind.ts";
import type { Caller, Deps } from "../deps.ts";
import { claimJobId, type Idempotency } from "../idempotency.ts";
import { hasEnded } from "../jobs/has-ended.ts";
import { keepJobRecord } from "../jobs/keep-job-record.ts";
import { tooManyJobs } from "../jobs/start-job.ts";

/** Options of a new step job. */
export interface NewStepWork<Input = unknown> extends Pick<
  StepSpecification<Input>,
  "kind" | "apiVersion" | "scrapeDefaults" | "zeroDataRetention" | "publicOrigin" | "webhook" | "input" | "maxCredits"
> {
  /** For the job's record: its target and its options. */
  target: string;
  options: unknown;
  /** Ms after which the job is to end with the results that it has. */
  timeMs: number;
  /** Events that the webhook receives. */
  events: readonly JobEvent[];
  /** Fingerprint by which an earlier estimate of the request is found. */
  fingerprint?: string | undefined;
  idempotency: Idempotency | undefined;
  /** Called with the id before the job starts; an error refuses the start. */
  claim?: (id: string) => Promise<void>;
  /** Called when the job does not start. */
  release?: (id: string) => Promise<void>;
}

/**
 * Starts a step job, in the order that `startJob` describes.
 * @returns its id.
 * @throws AppError `IDEMPOTENCY_KEY_USED`, `PAYLOAD_TOO_LARGE` for options that are too large to be stored, or
 * `CONCURRENCY_LIMITED` when the key has as many jobs running as it may.
 */
export async function startStepJob<Input>(
  deps: Pick<Deps, "settings" | "clock" | "jobs" | "idempotencyKeys" | "stepJobs" | "log">,
  { key }: Caller,
  job: NewStepWork<Input>,
): Promise<string> {
  const { settings } = deps;
  assertStorableJob([{ ...job, options: JSON.stringify(job.options) }]);
  const { id, isRepeat } = await claimJobId(deps, { key }, job.idempotency);
  if (isRepeat && (await hasEnded(deps, id))) return id;
  const nowMs = deps.clock.now();
  const expiresAtMs = nowMs + settings.resultRetentionMs;
  await job.claim?.(id);
  const { target, options, timeMs, events, fingerprint, idempotency: _, claim: _claim, release, ...work } = job;
  const specification: StepSpecification<Input> = {
    ...work,
    id,
    key,
    ownHosts: settings.ownHosts,
    createdAtMs: nowMs,
    deadlineMs: nowMs + timeMs,
    record: {
      target,
      optionsJson: JSON.stringify(options),
      expiresAtMs,
      ...(fingerprint === undefined ? {} : { fingerprint }),
    },
  };
  const isStarted = await deps.stepJobs.start(id, {
    specification: JSON.stringify(specification),
    events: job.webhook === undefined ? [] : events,
    maxCredits: job.maxCredits,
    payer: {
      keyId: key.id,
      monthlyCredits: key.monthlyCredits ?? settings.creditsPerMonth,
      slot: {
        limit: key.maxConcurrency ?? settings.maxConcurrency,
        leaseMs: MAX_JOB_LIFE_MS + settings.resultRetentionMs,
      },
    },
    expiresAtMs,
  });
  if (!isStarted) {
    // A repeat of the request, which has the same id, may have started the job meanwhile.
    if (release !== undefined && (await deps.stepJobs.progress(id)) === undefined) await release(id);
    throw tooManyJobs(deps, { key });
  }
  // An insert that failed is repeated once. A repeat with the same idempotency key gets the job; without one its caller never
  // learns its id.
  await keepJobRecord(deps, specification)
    .catch(() => keepJobRecord(deps, specification))
    .catch(async (error: unknown) => {
      if (job.idempotency === undefined) await cancelUnanswered(deps, id);
      throw error;
    });
  return id;
}

/** Cancels a job whose request fails after the job was stored. A failure is logged: the job then runs. */
async function cancelUnanswered({ stepJobs, log }: Pick<Deps, "stepJobs" | "log">, id: string): Promise<void> {
  try {
    await stepJobs.cancel(id).catch(() => stepJobs.cancel(id));
  } catch (error) {
    log({ event: "job_not_cancelled", jobId: id, message: String(error) });
  }
}
