import type { ApiKey } from "../../core/account/api-key.ts";
import { ERRORS, isAppError } from "../../core/errors.ts";
import { isStepKind } from "../../jobs/step-kinds.ts";
import { cancelJob } from "../jobs/cancel-job.ts";
import { closeBrowser } from "../sessions/close-browser.ts";
import type { Deps } from "../deps.ts";
import { cancelStepJob } from "../research/read-step-job.ts";

const MOST_JOBS = 1_000;
/** Sessions that are read at a time. */
const SESSIONS_A_READ = 500;
const AT_A_TIME = 20;
const ATTEMPTS = 2;

export type StopDeps = Pick<Deps, "keys" | "clock" | "jobs" | "frontiers" | "stepJobs" | "sessionStore" | "log"> &
  Parameters<typeof closeBrowser>[0];

/** Work that was ended when a key was revoked. */
export interface StoppedWork {
  jobs: number;
  /** Pages of these jobs that were being scraped, at most: those that had begun are finished, listed and charged. */
  pagesInFlight: number;
  sessions: number;
  /** Jobs and sessions that could not be ended now; absent when there are none. They end like work that begins late. */
  failed?: number;
}

/**
 * Ends the jobs and the browser sessions of a key. A job that another isolate still starts is ended by its first worker
 * run, a session that it opens when it is open, and a check of a monitor ends before its next page.
 */
export async function stopKeyWork(deps: StopDeps, key: ApiKey): Promise<StoppedWork> {
  const jobs = await deps.jobs.listRunningOfKey(key.teamId, key.id, { nowMs: deps.clock.now(), limit: MOST_JOBS });
  let pagesInFlight = 0;
  const stopped = await countDone(deps, jobs, async (job) => {
    if (isStepKind(job.kind)) await cancelStepJob(deps, job);
    else {
      const pages = await cancelJob(deps, job);
      pagesInFlight += pages;
    }
  });
  const sessions = await stopSessions(deps, key);
  const failed = stopped.failed + sessions.failed;
  return { jobs: stopped.done, pagesInFlight, sessions: sessions.done, ...(failed === 0 ? {} : { failed }) };
}

interface Counts {
  done: number;
  failed: number;
}

/** Closes all active sessions of a key. */
async function stopSessions(deps: StopDeps, key: ApiKey): Promise<Counts> {
  const owner = { teamId: key.teamId, keyId: key.id };
  const options = { savesProfile: false, claimant: crypto.randomUUID() };
  const stopped = { done: 0, failed: 0 };
  for (let after: string | undefined = ""; after !== undefined;) {
    const page = { after, limit: SESSIONS_A_READ, nowMs: deps.clock.now() };
    const ids = await deps.sessionStore.activeOfKey(owner, page);
    const counts = await countDone(deps, ids, (id) => closeBrowser(deps, { key }, id, options));
    stopped.done += counts.done;
    stopped.failed += counts.failed;
    after = ids.length < SESSIONS_A_READ ? undefined : ids.at(-1);
  }
  return stopped;
}

/**
 * Stops each item; again where that fails. One that has ended meanwhile, or that fails, does not affect the others.
 */
async function countDone<Item>(
  { log }: Pick<Deps, "log">,
  items: readonly Item[],
  stop: (item: Item) => Promise<unknown>,
): Promise<Counts> {
  const counts = { done: 0, failed: 0 };
  const stopOne = async (item: Item): Promise<void> => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        await stop(item);
        counts.done++;
        return;
      } catch (error) {
        // It has ended; before a second attempt, the first one may have ended it.
        if (isAppError(error) && !ERRORS[error.code].retryable) {
          if (attempt > 1) counts.done++;
          return;
        }
        log({ event: "key_work_not_stopped", attempt, message: String(error) });
      }
    }
    counts.failed++;
  };
  for (let first = 0; first < items.length; first += AT_A_TIME) {
    await Promise.all(items.slice(first, first + AT_A_TIME).map(stopOne));
  }
  return counts;
}
