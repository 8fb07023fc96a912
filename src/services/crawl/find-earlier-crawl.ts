import { validate as isUuid } from "uuid";
import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { cutTarget } from "../../core/jobs/cut-target.ts";
import type { JobRecord } from "../../core/jobs/job.ts";
import { readOwn, readReplaceable } from "../../core/stored-state.ts";
import type { Caller, Deps } from "../deps.ts";
import { findJob } from "../jobs/find-job.ts";
import { hasZeroRetention } from "../../core/jobs/zero-retention.ts";

/** Crawls of the same URL among which `last` looks for one with the same options. */
const MAX_CANDIDATES = 50;

/** Options that change neither the pages that a crawl finds nor their documents, and one that earlier versions did not record. */
const FREE_OPTIONS: ReadonlySet<string> = new Set([
  "limit",
  "delay",
  "maxConcurrency",
  "archive",
  "since",
  "sinceOutput",
  "robotsUserAgent",
]);

/** The job that an incremental crawl continues. */
export interface EarlierCrawl {
  id: string;
  /** Content that the pages of its site share. */
  template: string | undefined;
}

interface Wanted {
  since: string;
  /** Start URL and options as the job's record has them. */
  target: string;
  options: unknown;
  /** Time until which the earlier job must stay readable, in ms since the epoch. */
  neededUntilMs: number;
}

type FindDeps = Pick<Deps, "jobs" | "clock" | "settings" | "frontiers">;

/**
 * Finds the crawl that an incremental one continues, and keeps it readable.
 * @returns undefined when `last` finds none.
 * @throws AppError as `findJob` does; `BAD_REQUEST` for a crawl that has not completed, has kept nothing, or has other
 * options; `JOB_NOT_FOUND` for one whose data has expired.
 */
export async function findEarlierCrawl(
  deps: FindDeps,
  caller: Caller,
  wanted: Wanted,
): Promise<EarlierCrawl | undefined> {
  const job = wanted.since === "last" ? await findLast(deps, caller, wanted) : await findNamed(deps, caller, wanted);
  if (job === undefined) return undefined;
  const held = await deps.frontiers.hold(job.id, wanted.neededUntilMs);
  if (held !== undefined) return { id: job.id, template: held.template };
  if (wanted.since === "last") return undefined;
  throw new AppError("JOB_NOT_FOUND", "The results of the crawl in since have expired");
}

async function findLast({ jobs, clock }: FindDeps, { key }: Caller, wanted: Wanted): Promise<JobRecord | undefined> {
  const query = { target: wanted.target, nowMs: clock.now(), limit: MAX_CANDIDATES };
  const found = await jobs.listCompletedCrawls(key.teamId, query);
  for (const job of found) if ((await refusalOf({ jobs }, job, wanted)) === undefined) return job;
  return undefined;
}

async function findNamed(deps: FindDeps, caller: Caller, wanted: Wanted): Promise<JobRecord> {
  if (!isUuid(wanted.since)) throw refused('since must be the ID of a crawl, or "last"');
  const job = await findJob(deps, caller, { id: wanted.since, kinds: ["crawl"] });
  const refusal = await refusalOf(deps, job, wanted);
  if (refusal !== undefined) throw refused(refusal);
  return job;
}

/** Returns the reason why a crawl cannot be continued with these options. */
async function refusalOf(
  { jobs }: Pick<Deps, "jobs">,
  job: JobRecord,
  { target, options }: Wanted,
): Promise<string | undefined> {
  if (hasZeroRetention(job))
    return "since: the earlier crawl was started with zeroDataRetention, so nothing of it is stored";
  if (job.apiVersion !== "v2")
    return "since: the earlier crawl was started with version 1, which stores nothing for later crawls";
  if (job.status !== "completed") return `since: the earlier crawl has not completed (${job.status})`;
  // Records of older versions have the whole target.
  if (job.target !== target && job.target !== cutTarget(target))
    return `since: the earlier crawl started at ${job.target}`;
  const now = readOwn<Options>(JSON.stringify(options));
  const recorded = readReplaceable(Options, job.optionsJson);
  // The object of a job is asked for options that the record lacks only when the others are the same.
  const different =
    recorded && differenceOf(recorded, now, job.areOptionsCut === true ? Object.keys(recorded) : undefined);
  if (different !== undefined) return differs(different);
  const whole = await jobs.wholeOptions(job);
  const before = whole === undefined ? undefined : readReplaceable(Options, whole);
  if (before === undefined) return "since: the options of the earlier crawl are not stored";
  const other = differenceOf(before, now);
  return other === undefined ? undefined : differs(other);
}

const Options = z.record(z.string(), z.unknown());
type Options = z.infer<typeof Options>;

function differs(name: string): string {
  return `since: the earlier crawl has another value of ${name}`;
}

/** Returns the name of an option that differs, by default among all that either has. */
function differenceOf(
  before: Options,
  now: Options,
  names: readonly string[] = [...new Set([...Object.keys(before), ...Object.keys(now)])],
): string | undefined {
  return names.find((name) => !FREE_OPTIONS.has(name) && sorted(before[name]) !== sorted(now[name]));
}

/** Returns a value as JSON with the keys of its objects in order. */
function sorted(value: unknown): string | undefined {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).toSorted(([left], [right]) => (left < right ? -1 : 1)));
  });
}

function refused(message: string): AppError {
  return new AppError("BAD_REQUEST", message, { details: [{ code: "custom", path: ["since"], message }] });
}
