import { v7 as uuidv7, validate as isUuid } from "uuid";
import { AppError } from "../core/errors.ts";
import type { Candidate, FrontierConfig, JobEvent } from "../core/frontier.ts";
import type { JobSpecification } from "../jobs/kind.ts";
import type { Caller, Deps } from "./deps.ts";
import { estimateCredits } from "./scrape-page.ts";

/** Well within the time after which the frontier takes back what nobody works on any more. */
const LEASE_MS = 12_000;
/** A job that is not heard of again gives its place back when everything about it is forgotten. */
export const ALL_EVENTS: readonly JobEvent[] = ["started", "page", "completed"];

/** A job as its caller wants it. */
export interface NewJob<Input = unknown> extends Pick<
  JobSpecification<Input>,
  | "kind"
  | "apiVersion"
  | "scrapeOptions"
  | "scrapeDefaults"
  | "zeroDataRetention"
  | "publicOrigin"
  | "webhook"
  | "input"
> {
  /** For the job's record: where it begins, and the options in v2's words. */
  target: string;
  options: unknown;
  seeds: readonly Candidate[];
  limit: number | undefined;
  maxConcurrency: number | undefined;
  delayMs: number;
  hasSeed: boolean;
  /** Events that the webhook wants to hear of. */
  events: readonly JobEvent[];
  /** As the caller sent it. */
  idempotencyKey: string | undefined;
}

type StartDeps = Pick<Deps, "settings" | "clock" | "jobs" | "keyGate" | "frontiers">;

/**
 * Writes a job down and sets it going.
 * @returns its id.
 * @throws AppError `IDEMPOTENCY_KEY_USED`, or `CONCURRENCY_LIMITED` when the key has as many jobs running as it may.
 */
export async function startJob<Input>(deps: StartDeps, { key }: Caller, job: NewJob<Input>): Promise<string> {
  const id = uuidv7();
  const nowMs = deps.clock.now();
  const expiresAtMs = nowMs + deps.settings.resultRetentionMs;
  await takeIdempotencyKey(deps, { teamId: key.teamId, key: job.idempotencyKey, nowMs });
  await takeSlot(deps, { key, jobId: id });
  const { kind, apiVersion, target } = job;
  try {
    await deps.jobs.insert({
      id,
      teamId: key.teamId,
      keyId: key.id,
      kind,
      apiVersion,
      status: "scraping",
      target,
      optionsJson: JSON.stringify(job.options),
      createdAtMs: nowMs,
      endedAtMs: undefined,
      expiresAtMs,
    });
    const specification: JobSpecification<Input> = {
      id,
      kind,
      apiVersion,
      key,
      scrapeOptions: job.scrapeOptions,
      scrapeDefaults: job.scrapeDefaults,
      zeroDataRetention: job.zeroDataRetention,
      publicOrigin: job.publicOrigin,
      ownHosts: deps.settings.ownHosts,
      webhook: job.webhook,
      createdAtMs: nowMs,
      input: job.input,
    };
    const config = configOf(deps, { key }, { job, expiresAtMs });
    await deps.frontiers.start(id, { config, specification: JSON.stringify(specification), seeds: job.seeds });
  } catch (error) {
    await deps.keyGate.releaseSlot(key.id, id);
    await deps.jobs.setStatus(id, "failed", nowMs);
    throw error;
  }
  return id;
}

function configOf(
  { settings }: StartDeps,
  { key }: Caller,
  { job, expiresAtMs }: { job: NewJob<unknown>; expiresAtMs: number },
): FrontierConfig {
  const most = key.maxConcurrency ?? settings.maxConcurrency;
  return {
    limit: job.limit,
    maxConcurrency: job.delayMs > 0 ? 1 : Math.min(job.maxConcurrency ?? most, most),
    delayMs: job.delayMs,
    hasSeed: job.hasSeed,
    failsWhenEmpty: job.kind === "crawl",
    events: job.webhook === undefined ? [] : job.events,
    leaseMs: LEASE_MS,
    billing: {
      keyId: key.id,
      creditsPerPage: estimateCredits({ options: job.scrapeOptions, zeroDataRetention: job.zeroDataRetention }),
      monthlyCredits: key.monthlyCredits ?? settings.creditsPerMonth,
    },
    expiresAtMs,
  };
}

async function takeIdempotencyKey(
  { jobs }: StartDeps,
  { teamId, key, nowMs }: { teamId: string; key: string | undefined; nowMs: number },
): Promise<void> {
  if (key === undefined || key === "") return;
  if (!isUuid(key)) throw new AppError("IDEMPOTENCY_KEY_USED", "Invalid idempotency key: it must be a UUID");
  if (!(await jobs.takeIdempotencyKey(teamId, key, nowMs))) throw new AppError("IDEMPOTENCY_KEY_USED");
}

async function takeSlot({ keyGate, settings }: StartDeps, { key, jobId }: Caller & { jobId: string }): Promise<void> {
  const limit = key.maxConcurrency ?? settings.maxConcurrency;
  const isTaken = await keyGate.takeSlot(key.id, { jobId, limit, leaseMs: settings.resultRetentionMs });
  if (isTaken) return;
  throw new AppError("CONCURRENCY_LIMITED", `Queue limit reached: this key may have ${limit} jobs running at a time.`);
}
