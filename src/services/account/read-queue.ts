import type { JobKindName } from "../../core/jobs/job.ts";
import type { Caller, Deps } from "../deps.ts";
import { askTeam } from "./team-keys.ts";

/** Jobs whose pages are counted; more are not asked one by one. */
const MAX_JOBS = 100;
const PAGE_JOBS: readonly JobKindName[] = ["crawl", "batch_scrape"];

/** Pages of the team's running jobs. */
export interface QueueState {
  /** Known and not yet scraped, the ones being scraped included. */
  total: number;
  active: number;
  waiting: number;
  maxConcurrency: number;
  lastSuccessMs: number | undefined;
  /** Messages of the service's own that were given up within the last days; whoever runs it wants to know. */
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
  const standings = await Promise.all(jobs.map(({ id }) => deps.frontiers.standing(id)));
  const total = standings.reduce((sum, standing) => sum + (standing?.pending ?? 0), 0);
  const active = standings.reduce((sum, standing) => sum + (standing?.active ?? 0), 0);
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

/** Jobs that the key has running, and how many it may have. */
export async function readConcurrency(
  { keyLedger, settings }: Pick<Deps, "keyLedger" | "settings">,
  { key }: Caller,
): Promise<{ concurrency: number; maxConcurrency: number }> {
  const { runningJobs } = await keyLedger.usage(key.id);
  return { concurrency: runningJobs, maxConcurrency: key.maxConcurrency ?? settings.maxConcurrency };
}
