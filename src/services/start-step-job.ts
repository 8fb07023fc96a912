import { v7 as uuidv7 } from "uuid";
import { AppError } from "../core/errors.ts";
import type { JobEvent } from "../core/frontier.ts";
import type { StepSpecification } from "../jobs/step-kind.ts";
import type { Caller, Deps } from "./deps.ts";

/** A job of steps as its caller wants it. */
export interface NewStepWork<Input = unknown> extends Pick<
  StepSpecification<Input>,
  "kind" | "apiVersion" | "scrapeDefaults" | "zeroDataRetention" | "publicOrigin" | "webhook" | "input" | "maxCredits"
> {
  /** For the job's record: what it begins with, and its options. */
  target: string;
  options: unknown;
  /** Ms that the job may take before it is to end with what it has. */
  timeMs: number;
  /** Events that the webhook wants to hear of. */
  events: readonly JobEvent[];
}

/**
 * Writes a job of steps down and sets it going.
 * @returns its id.
 * @throws AppError `CONCURRENCY_LIMITED` when the key has as many jobs running as it may.
 */
export async function startStepJob<Input>(
  deps: Pick<Deps, "settings" | "clock" | "jobs" | "keyGate" | "stepJobs">,
  { key }: Caller,
  job: NewStepWork<Input>,
): Promise<string> {
  const id = uuidv7();
  const nowMs = deps.clock.now();
  const expiresAtMs = nowMs + deps.settings.resultRetentionMs;
  const { target, options, timeMs, events, ...work } = job;
  await takeSlot(deps, { key, jobId: id });
  try {
    await deps.jobs.insert({
      id,
      teamId: key.teamId,
      keyId: key.id,
      kind: job.kind,
      apiVersion: job.apiVersion,
      status: "scraping",
      target,
      optionsJson: JSON.stringify(options),
      createdAtMs: nowMs,
      endedAtMs: undefined,
      expiresAtMs,
    });
    const specification: StepSpecification<Input> = {
      ...work,
      id,
      key,
      ownHosts: deps.settings.ownHosts,
      createdAtMs: nowMs,
      deadlineMs: nowMs + timeMs,
    };
    await deps.stepJobs.start(id, {
      specification: JSON.stringify(specification),
      events: job.webhook === undefined ? [] : events,
      maxCredits: job.maxCredits,
      expiresAtMs,
    });
  } catch (error) {
    await deps.keyGate.releaseSlot(key.id, id);
    await deps.jobs.setStatus(id, "failed", nowMs);
    throw error;
  }
  return id;
}

async function takeSlot(
  { keyGate, settings }: Pick<Deps, "keyGate" | "settings">,
  { key, jobId }: Caller & { jobId: string },
): Promise<void> {
  const limit = key.maxConcurrency ?? settings.maxConcurrency;
  if (await keyGate.takeSlot(key.id, { jobId, limit, leaseMs: settings.resultRetentionMs })) return;
  throw new AppError("CONCURRENCY_LIMITED", `Queue limit reached: this key may have ${limit} jobs running at a time.`);
}
