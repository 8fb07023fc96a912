import { assertKnownProxy } from "../../core/egress-routes.ts";
import { AppError } from "../../core/errors.ts";
import type { Candidate, FrontierConfig, JobBilling, JobEvent } from "../../core/crawl/frontier.ts";
import { MAX_JOB_LIFE_MS } from "../../core/jobs/job-life.ts";
import { pagesOf } from "../../core/jobs/listed-job.ts";
import { assertStorableJob } from "../../core/jobs/storable-job.ts";
import type { JobSpecification } from "../../jobs/kind.ts";
import type { Caller, Deps } from "../deps.ts";
import { claimJobId, repeatedJobId, type Idempotency } from "../idempotency.ts";
import { ZERO_RETENTION_RECORD } from "../../core/jobs/zero-retention.ts";
import { hasEnded } from "./has-ended.ts";
import { keepJobRecord } from "./keep-job-record.ts";
import { recordedJson } from "./recorded-json.ts";
import { estimateCredits } from "../scrape/scrape-credits.ts";

/** Time without a heartbeat after which the frontier gives the leased URLs to another run. */
const LEASE_MS = 12_000;

/** Options of a new job. */
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
  | "reextracts"
> {
  /** True when the responses of its pages are archived. */
  archive?: boolean;
  /** True when the versions of its pages are stored for later crawls. */
  keepsVersions?: boolean;
  /** The earlier job that an incremental crawl continues. */
  since?: { id: string; template: string | undefined; output: "all" | "changes" };
  /** For the job's record: the start URL, and the options with the field names of version 2. */
  target: string;
  options: unknown;
  seeds: readonly Candidate[];
  limit: number | undefined;
  maxConcurrency: number | undefined;
  delayMs: number;
  hasSeed: boolean;
  /** Events that the webhook receives. */
  events: readonly JobEvent[];
  /** Fingerprint by which an earlier estimate of the request is found. */
  fingerprint?: string | undefined;
  idempotency: Idempotency | undefined;
}

type StartDeps = Pick<Deps, "settings" | "clock" | "jobs" | "idempotencyKeys" | "frontiers" | "log">;

/**
 * Returns the ID of the job that an earlier request with this key has started; undefined when none was started, because
 * the request was refused or cut off.
 * @throws AppError IDEMPOTENCY_KEY_USED
 */
export async function startedJob(
  deps: Pick<Deps, "settings" | "clock" | "jobs" | "idempotencyKeys">,
  caller: Caller,
  idempotency: Idempotency | undefined,
): Promise<string | undefined> {
  const id = await repeatedJobId(deps, caller, idempotency);
  return id === undefined || (await deps.jobs.find(id)) === undefined ? undefined : id;
}

/**
 * Starts a job. Its Durable Object is written first and does the rest, including the slot; the record in the list of
 * jobs is written by this request or by the job's first worker run. A crash at any point therefore leaves either
 * nothing or a job that runs, and the same idempotency key returns the same job, also one that has ended. When the start
 * fails without a crash, a job without an idempotency key is cancelled: a repeat of its request starts another one.
 * @returns its id.
 * @throws AppError `IDEMPOTENCY_KEY_USED`, `BAD_REQUEST` for an unknown proxy, `PAYLOAD_TOO_LARGE` for options that are
 * too large to be stored, `CONCURRENCY_LIMITED` when the key has as
 * many jobs running as it may, or `INSUFFICIENT_CREDITS` when it has too few credits for all pages of a batch.
 */
export async function startJob<Input>(deps: StartDeps, { key }: Caller, job: NewJob<Input>): Promise<string> {
  assertKnownProxy(deps.settings.egress, job.scrapeOptions.proxy);
  assertStorableJob([job.target, JSON.stringify(job.options), job.scrapeOptions, job.webhook, job.input]);
  const { id, isRepeat } = await claimJobId(deps, { key }, job.idempotency);
  if (isRepeat && (await hasEnded(deps, id))) return id;
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
    archive: job.archive ?? false,
    ...(job.reextracts === undefined ? {} : { reextracts: job.reextracts }),
    keepsVersions: job.keepsVersions ?? false,
    ...(job.since === undefined ? {} : { since: { id: job.since.id, output: job.since.output } }),
    createdAtMs: nowMs,
    record: {
      ...(job.zeroDataRetention
        ? ZERO_RETENTION_RECORD
        : { target, optionsJson: recordedJson(kind, JSON.stringify(job.options)) }),
      expiresAtMs,
      ...(job.fingerprint === undefined || job.zeroDataRetention ? {} : { fingerprint: job.fingerprint }),
    },
    input: job.input,
  };
  const config = configOf(deps, { key }, { job, expiresAtMs });
  const begin = async () => {
    const outcome = await deps.frontiers.start(id, {
      config,
      specification: JSON.stringify(specification),
      seeds: job.seeds,
      ...(job.since?.template === undefined ? {} : { template: job.since.template }),
    });
    // An insert that failed is repeated once.
    if (outcome === "started") await keepJobRecord(deps, specification).catch(() => keepJobRecord(deps, specification));
    return outcome;
  };
  const outcome = await begin().catch(async (error: unknown) => {
    // A repeat with the same idempotency key gets the job. Without one the caller never learns its id.
    if (job.idempotency === undefined) await cancelUnanswered(deps, id);
    throw error;
  });
  if (outcome === "no_slot") throw tooManyJobs(deps, { key });
  if (outcome === "no_credits") throw tooFewCredits(config.billing, job.seeds.length);
  if (isRepeat) await recordEnd(deps, id);
  return id;
}

/** Records the end of a job that ended while its record could not be inserted. */
async function recordEnd({ frontiers, jobs }: Pick<Deps, "frontiers" | "jobs">, id: string): Promise<void> {
  const progress = await frontiers.progress(id);
  if (progress === undefined || progress.status === "scraping") return;
  await jobs.setStatus(id, progress.status, progress.endedAtMs, pagesOf(progress));
}

/** Cancels a job whose request fails after the job may have been stored. A failure is logged: the job then runs. */
async function cancelUnanswered({ frontiers, log }: Pick<Deps, "frontiers" | "log">, id: string): Promise<void> {
  try {
    await frontiers.cancel(id).catch(() => frontiers.cancel(id));
  } catch (error) {
    log({ event: "job_not_cancelled", jobId: id, message: String(error) });
  }
}

function configOf(
  { settings }: StartDeps,
  { key }: Caller,
  { job, expiresAtMs }: { job: NewJob<unknown>; expiresAtMs: number },
): FrontierConfig & { billing: JobBilling } {
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
      // The pages of a batch are known, so that one beyond the budget can be refused.
      reservesAll: job.kind === "batch_scrape",
    },
    slot: { limit: most, leaseMs: MAX_JOB_LIFE_MS + settings.resultRetentionMs },
    expiresAtMs,
    ...(job.since === undefined ? {} : { since: { jobId: job.since.id, output: job.since.output } }),
  };
}

/** Returns the error for pages that the key has too few credits for, those reserved for other jobs not counted. */
export function tooFewCredits({ creditsPerPage }: Pick<JobBilling, "creditsPerPage">, pages: number): AppError {
  return new AppError(
    "INSUFFICIENT_CREDITS",
    `Insufficient credits to perform this request: it needs ${pages * creditsPerPage}, and fewer remain this month.`,
  );
}

/** Returns the error for a job whose key has no slot left. */
export function tooManyJobs({ settings }: Pick<Deps, "settings">, { key }: Caller): AppError {
  const limit = key.maxConcurrency ?? settings.maxConcurrency;
  return new AppError("CONCURRENCY_LIMITED", `Queue limit reached: this key may have ${limit} jobs running at a time.`);
}
