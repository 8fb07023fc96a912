import type { ApiKey } from "../../core/account/api-key.ts";
import { isAppError } from "../../core/errors.ts";
import { isStepKind } from "../../jobs/step-kinds.ts";
import { cancelJob } from "../jobs/cancel-job.ts";
import { closeBrowser } from "../sessions/close-browser.ts";
import type { Deps } from "../deps.ts";
import { cancelStepJob } from "../research/read-step-job.ts";

const MOST_JOBS = 1_000;
/** Sessions that are read at a time. */
const SESSIONS_A_READ = 500;
const AT_A_TIME = 20;

export type StopDeps = Pick<Deps, "keys" | "clock" | "jobs" | "frontiers" | "stepJobs" | "sessionStore" | "log"> &
  Parameters<typeof closeBrowser>[0];

/** Work that was ended when a key was revoked. */
export interface StoppedWork {
  jobs: number;
  /** Pages of these jobs that were being scraped, at most: those that had begun are finished, listed and charged. */
  pagesInFlight: number;
  sessions: number;
}

/**
 * Ends the jobs and the browser sessions of a key. A job that another isolate still starts is ended by its first worker
 * run, a session that it opens when it is open, and a check of a monitor ends before its next page.
 */
export async function stopKeyWork(deps: StopDeps, key: ApiKey): Promise<StoppedWork> {
  const jobs = await deps.jobs.listRunningOfKey(key.teamId, key.id, { nowMs: deps.clock.now(), limit: MOST_JOBS });
  let pagesInFlight = 0;
  const stoppedJobs = await countDone(deps, jobs, async (job) => {
    if (isStepKind(job.kind)) await cancelStepJob(deps, job);
    else {
      const pages = await cancelJob(deps, job);
      pagesInFlight += pages;
    }
  });
  return { jobs: stoppedJobs, pagesInFlight, sessions: await stopSessions(deps, key) };
}

/** Closes all active sessions of a key. @returns their number */
async function stopSessions(deps: StopDeps, key: ApiKey): Promise<number> {
  const owner = { teamId: key.teamId, keyId: key.id };
  let stopped = 0;
  for (let after: string | undefined = ""; after !== undefined;) {
    const options = { after, limit: SESSIONS_A_READ, nowMs: deps.clock.now() };
    const ids = await deps.sessionStore.activeOfKey(owner, options);
    stopped += await countDone(deps, ids, (id) => closeBrowser(deps, { key }, id, { savesProfile: false }));
    after = ids.length < SESSIONS_A_READ ? undefined : ids.at(-1);
  }
  return stopped;
}

/**
 * Stops each item and counts the successes. One that has ended meanwhile, or that fails, does not affect the others.
 */
async function countDone<Item>(
  { log }: Pick<Deps, "log">,
  items: readonly Item[],
  stop: (item: Item) => Promise<unknown>,
): Promise<number> {
  let done = 0;
  for (let first = 0; first < items.length; first += AT_A_TIME) {
    const outcomes = await Promise.allSettled(items.slice(first, first + AT_A_TIME).map(stop));
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") done++;
      else if (!isAppError(outcome.reason)) log({ event: "key_work_not_stopped", message: String(outcome.reason) });
    }
  }
  return done;
}
