import type { JobKindName } from "../../core/jobs/job.ts";
import type { Caller, Deps } from "../deps.ts";
import { askTeam } from "./team-keys.ts";

/** Maximum number of jobs whose pages are counted. */
const MAX_JOBS = 100;
const PAGE_JOBS: readonly JobKindName[] = ["crawl", "batch_scrape"];

/** Counts of the pages of the team's running jobs. */
export interface QueueState {
  /** Known pages that are not scraped yet, including those in progress. */
  total: number;
  active: number;
  waiting: number;
  maxConcurrency: number;
  lastSuccessMs: number | undefined;
  /** Internal messages that were given up within the last days, for the operator. */
  deadLetters: number;
}

type Uses = Pick<Deps, "keys" | "keyLedger" | "jobs" | "frontiers" | "settings" | "clock" | "deadLetters">;

export async function readQueue(deps: Uses, caller: Caller): Promise<QueueState> {
  const { key } = caller;
  const nowMs = deps.clock.now();
  const [running, moments, deadLetters] = await Promise.all([
    Promise.all(PAGE_JOBS.map((kind) => deps.jobs.runningIds(key.teamId, kind, { nowMs, limit: MAX_JOBS }))),
    askTeam(deps, caller, ({ id }) => deps.keyLedger.lastSuccessMs(id)),
    deps.deadLetters.count(),
  ]);
  const ids = running.flat().slice(0, MAX_JOBS);
  const found = await Promise.all(ids.map((id) => deps.frontiers.progress(id)));
  const total = found.reduce((sum, progress) => sum + (progress?.pending ?? 0), 0);
  const active = found.reduce((sum, progress) => sum + (progress?.active ?? 0), 0);
  const last = moments.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
  return {
    total,
    active,
    waiting: total - active,
    maxConcurrency: key.maxConcurrency ?? deps.settings.maxConcurrency,
    lastSuccessMs: last.length === 0 ? undefined : Math.max(...last),
    deadLetters,
  };
}

/** Pages and jobs of a key that are in progress, and the limit of concurrent jobs. */
export interface Concurrency {
  /** Pages of crawls and batches that are being scraped, and other running jobs, each counted once. */
  concurrency: number;
  maxConcurrency: number;
}

export async function readConcurrency(
  { jobs, frontiers, settings, clock }: Pick<Deps, "jobs" | "frontiers" | "settings" | "clock">,
  { key }: Caller,
): Promise<Concurrency> {
  const page = { nowMs: clock.now(), limit: MAX_JOBS };
  const running = await jobs.listRunningOfKey(key.teamId, key.id, page);
  const loads = await Promise.all(
    running.map(async ({ id, kind }) => (PAGE_JOBS.includes(kind) ? ((await frontiers.progress(id))?.active ?? 0) : 1)),
  );
  return {
    concurrency: loads.reduce((sum, load) => sum + load, 0),
    maxConcurrency: key.maxConcurrency ?? settings.maxConcurrency,
  };
}
