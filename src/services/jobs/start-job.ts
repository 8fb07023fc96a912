import { AppError } from "../../core/errors.ts";
import type { Candidate, FrontierConfig, JobEvent } from "../../core/crawl/frontier.ts";
import type { JobSpecification } from "../../jobs/kind.ts";
import type { Caller, Deps } from "../deps.ts";
import { jobIdFor, type Idempotency } from "../idempotency.ts";
import { UNKEPT_RECORD } from "./forget-job.ts";
import { keepJobRecord } from "./keep-job-record.ts";
import { estimateCredits } from "../scrape/scrape-page.ts";

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
  idempotency: Idempotency | undefined;
}

type StartDeps = Pick<Deps, "settings" | "clock" | "jobs" | "idempotencyKeys" | "frontiers">;

/**
 * Starts a job. Its own object is written first and does the rest by itself, slot included; the record in the list of
 * jobs is written by whoever comes first, this request or the job's first turn. So a crash at any point leaves either
 * nothing or a job that runs, and the same idempotency key leads to the same job.
 * @returns its id.
 * @throws AppError `IDEMPOTENCY_KEY_USED`, or `CONCURRENCY_LIMITED` when the key has as many jobs running as it may.
 */
export async function startJob<Input>(deps: StartDeps, { key }: Caller, job: NewJob<Input>): Promise<string> {
  const id = await jobIdFor(deps, { key }, job.idempotency);
  const nowMs = deps.clock.now();
  const expiresAtMs = nowMs + deps.settings.resultRetentionMs;
  const { kind, apiVersion, target } = job;
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
    record: {
      ...(job.zeroDataRetention ? UNKEPT_RECORD : { target, optionsJson: JSON.stringify(job.options) }),
      expiresAtMs,
    },
    input: job.input,
  };
  const config = configOf(deps, { key }, { job, expiresAtMs });
  const isStarted = await deps.frontiers.start(id, {
    config,
    specification: JSON.stringify(specification),
    seeds: job.seeds,
  });
  if (!isStarted) throw tooManyJobs(deps, { key });
  await keepJobRecord(deps, specification);
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
    slot: { limit: most, leaseMs: settings.resultRetentionMs },
    expiresAtMs,
  };
}

/** The answer to a job for which its key has no slot left. */
export function tooManyJobs({ settings }: Pick<Deps, "settings">, { key }: Caller): AppError {
  const limit = key.maxConcurrency ?? settings.maxConcurrency;
  return new AppError("CONCURRENCY_LIMITED", `Queue limit reached: this key may have ${limit} jobs running at a time.`);
}
