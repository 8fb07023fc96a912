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
    Promise.all(PAGE_JOBS.map((kind) => deps.jobs.listRunning(key.teamId, kind, nowMs))),
    askTeam(deps, caller, ({ id }) => deps.keyLedger.lastSuccessMs(id)),
    deps.deadLetters.count(),
  ]);
  const jobs = running.flat().slice(0, MAX_JOBS);
  const found = await Promise.all(jobs.map(({ id }) => deps.frontiers.progress(id)));
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

/** Returns the number of the key's running jobs, and its limit. */
export async function readConcurrency(
  { keyLedger, settings }: Pick<Deps, "keyLedger" | "settings">,
  { key }: Caller,
): Promise<{ concurrency: number; maxConcurrency: number }> {
  const { runningJobs } = await keyLedger.usage(key.id);
  return { concurrency: runningJobs, maxConcurrency: key.maxConcurrency ?? settings.maxConcurrency };
}
