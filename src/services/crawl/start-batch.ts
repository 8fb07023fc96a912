import { z } from "zod";
import { batchEntries } from "../../core/crawl/dispatch.ts";
import { AppError } from "../../core/errors.ts";
import type { JobRecord } from "../../core/jobs/job.ts";
import { hasZeroRetention } from "../../core/jobs/zero-retention.ts";
import { readReplaceable } from "../../core/stored-state.ts";
import { hasHidden } from "../../formats/hidden-options.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { readWebhook, type WebhookValue } from "../../jobs/webhook.ts";
import type { Caller, Deps } from "../deps.ts";
import { jobIdFor, type Idempotency } from "../idempotency.ts";
import { findJob } from "../jobs/find-job.ts";
import { noteRunning } from "../jobs/note-running.ts";
import { startJob, tooManyJobs } from "../jobs/start-job.ts";
import { assertProfile } from "../sessions/scrape-profile.ts";
import type { ScrapeDefaults } from "../scrape/scrape-plan.ts";

/** Request to scrape a list of pages. */
export interface BatchRequest {
  apiVersion: "v1" | "v2";
  defaults: ScrapeDefaults;
  /** Valid URLs, at least one. */
  urls: readonly string[];
  options: ScrapeOptions;
  /** The batch to add the URLs to; undefined for a new one. */
  appendToId: string | undefined;
  webhook: WebhookValue | undefined;
  maxConcurrency: number | undefined;
  zeroDataRetention: boolean;
  archive?: boolean;
  publicOrigin: string;
  /** Fingerprint by which an earlier estimate of the request is found. */
  fingerprint?: string | undefined;
  idempotency: Idempotency | undefined;
}

type BatchDeps = Pick<Deps, "settings" | "clock" | "jobs" | "idempotencyKeys" | "frontiers" | "profiles" | "log">;

/**
 * Starts a batch, or appends to one.
 * @returns its ID.
 * @throws AppError as `startJob` and `assertProfile` do; when appending, `JOB_NOT_FOUND` for an ID that is no batch of the caller's
 * team, and `JOB_ENDED` for a cancelled one.
 */
export async function startBatch(deps: BatchDeps, caller: Caller, request: BatchRequest): Promise<string> {
  const { urls, appendToId, options, idempotency } = request;
  if (appendToId !== undefined) return await append(deps, caller, { id: appendToId, urls, idempotency });
  await assertProfile(deps, caller.key.teamId, { profile: options.profile, urls });
  return await startJob(deps, caller, {
    kind: "batch_scrape",
    apiVersion: request.apiVersion,
    scrapeOptions: options,
    scrapeDefaults: request.defaults,
    zeroDataRetention: request.zeroDataRetention,
    archive: request.archive ?? false,
    publicOrigin: request.publicOrigin,
    ...readWebhook(request.webhook),
    input: {},
    target: urls[0] ?? "",
    options: recordedOptions(request),
    seeds: batchEntries(urls, 0),
    limit: undefined,
    maxConcurrency: request.maxConcurrency,
    delayMs: 0,
    hasSeed: false,
    fingerprint: request.fingerprint,
    idempotency,
  });
}

/** Returns the options as the job's record has them; `scrapedWith` of the estimates leaves out what does not scrape. */
function recordedOptions({ options, archive = false, maxConcurrency }: BatchRequest): object {
  return {
    ...options,
    ...(archive ? { archive } : {}),
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
  };
}

async function append(
  deps: BatchDeps,
  caller: Caller,
  { id, urls, idempotency }: { id: string } & Pick<BatchRequest, "urls" | "idempotency">,
): Promise<string> {
  const job = await findJob(deps, caller, { id, kinds: ["batch_scrape"] });
  if (job.keyId !== caller.key.id) await assertNoSecrets(deps, job);
  const appendId = await jobIdFor(deps, caller, idempotency);
  const outcome = await deps.frontiers.append(job.id, { urls, appendId });
  if (outcome === "ended") throw new AppError("JOB_ENDED", "This batch accepts no more URLs");
  if (outcome === "no_slot") throw tooManyJobs(deps, caller);
  if (outcome === "no_credits") {
    throw new AppError("INSUFFICIENT_CREDITS", "Insufficient credits to perform this request: the added URLs need more than remain this month."); // prettier-ignore
  }
  await noteRunning(deps, job.id);
  return job.id;
}

/**
 * Checks that a batch of another key has no headers, typed texts or scripts that this key does not see: a page of its own would
 * receive them.
 * @throws AppError FORBIDDEN
 */
async function assertNoSecrets({ jobs }: Pick<Deps, "jobs">, job: JobRecord): Promise<void> {
  const text = await jobs.wholeOptions(job);
  const options = text === undefined ? undefined : readReplaceable(z.record(z.string(), z.unknown()), text);
  // A job with zero data retention has no options in its record.
  if (options !== undefined && !hasZeroRetention(job) && !hasHidden(options)) return;
  throw new AppError(
    "FORBIDDEN",
    "This batch was started by another key with headers, typed texts or scripts, which added pages would receive. Add URLs with that key, or start a batch.",
  );
}
