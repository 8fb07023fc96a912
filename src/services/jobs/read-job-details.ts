import { validate as isUuid } from "uuid";
import { toReceipt, type Receipt } from "../../core/account/receipt.ts";
import { AppError } from "../../core/errors.ts";
import { JOB_KIND_NAMES, type JobRecord } from "../../core/jobs/job.ts";
import { listedStatus, pagesOf, type ListedJob } from "../../core/jobs/listed-job.ts";
import { hasZeroRetention } from "../../core/jobs/zero-retention.ts";
import type { PageTimes } from "../../core/jobs/page-times.ts";
import type { JobProgress } from "../../ports/crawl/frontier.ts";
import { checkEndpoint } from "../account/check-scope.ts";
import type { Caller, Deps } from "../deps.ts";
import { findJob } from "./find-job.ts";
import { jobReceipt } from "./job-receipt.ts";
import { jobWarning } from "./job-warning.ts";
import { readJobUrls } from "./read-job-urls.ts";

/** URLs of a batch that its request names at most. */
const MAX_URLS = 10_000;

/** A job with everything about it besides its results. */
export interface JobDetails {
  job: ListedJob;
  error: string | undefined;
  warning: string | undefined;
  /** Time from the creation to the end, or to now. */
  durationMs: number;
  /** Numbers of pages; undefined for step jobs. */
  pages: Omit<JobProgress, "costs"> | undefined;
  pageTimes: PageTimes | undefined;
  receipt: Receipt | undefined;
  /** Options with which the job was started, as JSON; undefined for checks, and when they are not stored. */
  optionsJson: string | undefined;
  /** URLs of a batch. */
  urls: string[] | undefined;
}

type Uses = Pick<Deps, "jobs" | "monitors" | "frontiers" | "stepJobs" | "clock" | "settings">;

/**
 * Reads a job, or a check of a monitor, of the caller's team.
 * @throws AppError as `findJob` does.
 */
export async function readJobDetails(deps: Uses, caller: Caller, id: string): Promise<JobDetails> {
  if (!isUuid(id)) throw new AppError("INVALID_JOB_ID");
  const check = await readCheck(deps, caller, id.toLowerCase());
  if (check !== undefined) return check;
  const job = await findJob(deps, caller, { id, kinds: JOB_KIND_NAMES });
  return job.kind === "crawl" || job.kind === "batch_scrape" ? await pagesJob(deps, job) : await stepJob(deps, job);
}

async function readCheck({ monitors, clock }: Uses, { key }: Caller, id: string): Promise<JobDetails | undefined> {
  const check = await monitors.findCheck(id);
  if (check === undefined) return undefined;
  const monitor = await monitors.find(check.monitorId);
  if (monitor?.teamId !== key.teamId || check.expiresAtMs <= clock.now())
    throw new AppError("JOB_NOT_FOUND", "Job not found");
  checkEndpoint(key, "monitor");
  return {
    job: {
      id,
      kind: "monitor_check",
      status: listedStatus(check.status),
      target: monitor.name,
      apiVersion: "v2",
      keyId: monitor.keyId,
      monitorId: monitor.id,
      pages: undefined,
      hasZeroRetention: false,
      createdAtMs: check.createdAtMs,
      endedAtMs: check.finishedAtMs,
      expiresAtMs: check.expiresAtMs,
    },
    error: check.error,
    warning: undefined,
    durationMs: (check.finishedAtMs ?? clock.now()) - check.createdAtMs,
    pages: undefined,
    pageTimes: undefined,
    receipt: undefined,
    optionsJson: undefined,
    urls: undefined,
  };
}

async function pagesJob(deps: Uses, job: JobRecord): Promise<JobDetails> {
  const progress = await deps.frontiers.progress(job.id);
  const hasUrls = job.kind === "batch_scrape" && progress !== undefined;
  const list = hasUrls ? await readJobUrls(deps, job.id, { limit: MAX_URLS, cursor: undefined }) : undefined;
  return {
    job: { ...toListed(job), ...stateOf(progress), ...(progress === undefined ? {} : { pages: pagesOf(progress) }) },
    error: progress?.error,
    warning: progress === undefined ? undefined : jobWarning(job, progress),
    durationMs: durationOf(deps, job, progress),
    pages: progress,
    pageTimes: progress?.pageTimes,
    receipt: progress === undefined ? undefined : jobReceipt(progress),
    optionsJson: await deps.jobs.wholeOptions(job),
    // A batch with more URLs cannot be named as a whole.
    urls: list === undefined || list.next !== undefined ? undefined : list.lines.map(({ url }) => url),
  };
}

async function stepJob(deps: Uses, job: JobRecord): Promise<JobDetails> {
  const progress = await deps.stepJobs.progress(job.id);
  return {
    job: { ...toListed(job), ...stateOf(progress) },
    error: progress?.error,
    warning: undefined,
    durationMs: durationOf(deps, job, progress),
    pages: undefined,
    pageTimes: undefined,
    receipt: progress === undefined ? undefined : toReceipt({ ...progress.costs, credits: progress.creditsUsed }),
    optionsJson: await deps.jobs.wholeOptions(job),
    urls: undefined,
  };
}

function durationOf({ clock }: Pick<Uses, "clock">, job: JobRecord, progress: Timed | undefined): number {
  return (progress?.endedAtMs ?? job.endedAtMs ?? clock.now()) - job.createdAtMs;
}

type Timed = Pick<JobProgress, "status" | "endedAtMs">;

/** Returns the state that the job itself has, which its record follows with a delay. */
function stateOf(progress: Timed | undefined): Partial<Pick<ListedJob, "status" | "endedAtMs">> {
  return progress === undefined ? {} : { status: listedStatus(progress.status), endedAtMs: progress.endedAtMs };
}

function toListed(job: JobRecord): ListedJob {
  const { id, kind, status, target, apiVersion, keyId, createdAtMs, endedAtMs, expiresAtMs } = job;
  return {
    id,
    kind,
    target,
    apiVersion,
    keyId,
    createdAtMs,
    endedAtMs,
    expiresAtMs,
    status: listedStatus(status),
    monitorId: undefined,
    pages: undefined,
    hasZeroRetention: hasZeroRetention(job),
  };
}
