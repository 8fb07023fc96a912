import { dayKey } from "../../core/account/day-key.ts";
import { RECORDINGS } from "../../core/sessions/recording-keys.ts";
import type { Deps } from "../deps.ts";
import { UPLOADS } from "../parse/parse-uploads.ts";

const ROWS_AT_A_TIME = 1000;
/** Time in which late feedback on a search gets an error that names the expiry. */
const FEEDBACK_GRACE_MS = 7 * 86_400_000;
const DAY_MS = 86_400_000;
/** Pages that are not compared for this long are no longer tracked. */
const CHANGE_HISTORY_LIFE_MS = 365 * 86_400_000;
const DEAD_LETTER_LIFE_MS = 30 * 86_400_000;

type PurgeDeps = Pick<
  Deps,
  | "settings"
  | "clock"
  | "jobs"
  | "agentTurns"
  | "idempotencyKeys"
  | "monitors"
  | "deadLetters"
  | "failedWebhooks"
  | "uploads"
  | "sessionStore"
  | "changeHistory"
  | "pageIndex"
  | "feedback"
  | "blobs"
  | "tasks"
>;

/**
 * Deletes data after its retention: rows by their age, objects by the day in their key. One call deletes a bounded
 * amount, and queues the next while there is more. May be repeated.
 */
export async function purgeExpired(deps: PurgeDeps): Promise<void> {
  const nowMs = deps.clock.now();
  const resultsEndMs = nowMs - deps.settings.resultRetentionMs;
  // A cached page may be the result of a scrape until it expires.
  const pagesEndMs = resultsEndMs - deps.settings.cacheRetentionMs;
  const jobs = await deps.jobs.purge(nowMs, ROWS_AT_A_TIME);
  const turns = await deps.agentTurns.purge(nowMs, ROWS_AT_A_TIME);
  const idempotencyKeys = await deps.idempotencyKeys.purge(resultsEndMs, ROWS_AT_A_TIME);
  const webhooks = await deps.failedWebhooks.purge(nowMs, ROWS_AT_A_TIME);
  const uploads = await deps.uploads.purge(nowMs - DAY_MS, ROWS_AT_A_TIME);
  const sessions = await deps.sessionStore.purge(resultsEndMs, ROWS_AT_A_TIME);
  const tracked = await deps.changeHistory.purge(nowMs - CHANGE_HISTORY_LIFE_MS, ROWS_AT_A_TIME);
  const found = await deps.pageIndex.purge(nowMs - deps.settings.indexRetentionMs, ROWS_AT_A_TIME);
  const letters = await deps.deadLetters.purge(nowMs - DEAD_LETTER_LIFE_MS, ROWS_AT_A_TIME);
  const checks = await deps.monitors.purge(nowMs, ROWS_AT_A_TIME);
  const searches = await deps.feedback.purgeSearches(resultsEndMs - FEEDBACK_GRACE_MS, ROWS_AT_A_TIME);
  const hasMoreObjects = [
    await purgeDays(deps, "results/", dayKey(resultsEndMs)),
    await purgeDays(deps, RECORDINGS, dayKey(resultsEndMs)),
    await purgeDays(deps, "pages/", dayKey(pagesEndMs)),
    await purgeDays(deps, "files/", dayKey(nowMs)),
    await purgeDays(deps, UPLOADS, dayKey(nowMs - DAY_MS)),
  ].includes(true);
  const hasMoreRows = [
    jobs,
    turns,
    idempotencyKeys,
    webhooks,
    uploads,
    sessions,
    tracked,
    found,
    searches,
    letters,
    checks,
  ].includes(ROWS_AT_A_TIME);
  if (hasMoreRows || hasMoreObjects) await deps.tasks.send({ type: "purge_expired" });
}

/** Deletes objects of days before the first retained day. @returns whether there are more. */
async function purgeDays({ blobs }: PurgeDeps, prefix: string, firstKeptDay: string): Promise<boolean> {
  const folders = await blobs.folders(prefix);
  const [oldest, ...others] = folders.filter((folder) => folder.slice(prefix.length, -1) < firstKeptDay).toSorted();
  if (oldest === undefined) return false;
  return (await blobs.deletePrefix(oldest)) || others.length > 0;
}
