import { dayKey } from "../../core/account/day-key.ts";
import { MAX_CHECKS_BYTES } from "../../core/monitors/monitor-limits.ts";
import { RECORDINGS } from "../../core/sessions/recording-keys.ts";
import type { Deps } from "../deps.ts";
import { UPLOADS } from "../parse/parse-uploads.ts";

const ROWS_AT_A_TIME = 1000;
const OBJECTS_AT_A_TIME = 1000;
/** Lists of objects after which the next message goes on. */
const MAX_LISTS = 50;
const NONE: ReadonlySet<string> = new Set();
/** Time in which late feedback on a search gets an error that names the expiry. */
const FEEDBACK_GRACE_MS = 7 * 86_400_000;
const DAY_MS = 86_400_000;
const FEEDBACK_LIFE_MS = 90 * DAY_MS;
/** Pages that are not compared for this long are no longer tracked. */
const CHANGE_HISTORY_LIFE_MS = 365 * 86_400_000;
const DEAD_LETTER_LIFE_MS = 30 * 86_400_000;

type PurgeDeps = Pick<
  Deps,
  | "settings"
  | "clock"
  | "jobs"
  | "estimates"
  | "agentTurns"
  | "waitingCalls"
  | "unusedTables"
  | "idempotencyKeys"
  | "monitors"
  | "deadLetters"
  | "failedWebhooks"
  | "webhookDeliveries"
  | "uploads"
  | "sessionStore"
  | "profiles"
  | "changeHistory"
  | "feedback"
  | "blobs"
  | "tasks"
>;

/** Moments before which data is deleted. */
interface Ends {
  nowMs: number;
  resultsMs: number;
  pagesMs: number;
}

/** Deletes a bounded amount of one kind of data. @returns true when there may be more */
type Purge = (deps: PurgeDeps, ends: Ends) => Promise<boolean>;

const rows =
  (purge: (deps: PurgeDeps, ends: Ends) => Promise<number>): Purge =>
  async (deps, ends) =>
    (await purge(deps, ends)) === ROWS_AT_A_TIME;

const days =
  (prefix: string, endMs: (ends: Ends) => number): Purge =>
  (deps, ends) =>
    purgeDays(deps, prefix, dayKey(endMs(ends)));

/** The results of jobs that run or took long stay in the folder of the day on which the job was created. */
const resultDays: Purge = ({ blobs, jobs }, { nowMs, resultsMs }) =>
  purgeDays({ blobs }, "results/", dayKey(resultsMs), (day) => {
    const fromMs = Date.parse(day);
    return jobs.keptFolders({ fromMs, toMs: fromMs + DAY_MS, nowMs });
  });

/** The kinds of stored data: each is purged by messages of its own, so that a large one delays none of the others. */
const PARTS: Readonly<Record<string, Purge>> = {
  jobs: rows(({ jobs }, { nowMs, resultsMs }) => jobs.purge({ nowMs, createdBeforeMs: resultsMs }, ROWS_AT_A_TIME)),
  estimates: rows(({ estimates }, { nowMs }) => estimates.purge(nowMs, ROWS_AT_A_TIME)),
  agent_turns: rows(({ agentTurns }, { nowMs }) => agentTurns.purge(nowMs, ROWS_AT_A_TIME)),
  waiting_calls: rows(({ waitingCalls }, { nowMs }) => waitingCalls.purge(nowMs, ROWS_AT_A_TIME)),
  idempotency_keys: rows(({ idempotencyKeys }, { resultsMs }) => idempotencyKeys.purge(resultsMs, ROWS_AT_A_TIME)),
  failed_webhooks: rows(({ failedWebhooks }, { nowMs }) => failedWebhooks.purge(nowMs, ROWS_AT_A_TIME)),
  webhook_deliveries: rows(({ webhookDeliveries }, { nowMs }) => webhookDeliveries.purge(nowMs, ROWS_AT_A_TIME)),
  uploads: rows(({ uploads }, { nowMs }) => uploads.purge(nowMs - DAY_MS, ROWS_AT_A_TIME)),
  sessions: rows(({ sessionStore }, { resultsMs }) => sessionStore.purge(resultsMs, ROWS_AT_A_TIME)),
  unsaved_profiles: rows(async ({ profiles }, { nowMs }) => (await profiles?.purge(nowMs, ROWS_AT_A_TIME)) ?? 0),
  change_history: rows(({ changeHistory }, { nowMs }) =>
    changeHistory.purge(nowMs - CHANGE_HISTORY_LIFE_MS, ROWS_AT_A_TIME),
  ),
  dead_letters: rows(({ deadLetters }, { nowMs }) => deadLetters.purge(nowMs - DEAD_LETTER_LIFE_MS, ROWS_AT_A_TIME)),
  monitor_checks: rows(({ monitors }, { nowMs }) => monitors.purge(nowMs, ROWS_AT_A_TIME)),
  largest_monitors: ({ monitors }) => monitors.purgeLargest(MAX_CHECKS_BYTES),
  removed_monitors: ({ monitors }) => monitors.purgeRemoved(),
  state_objects: rows(({ monitors }, { nowMs }) => monitors.purgeObjects(nowMs, ROWS_AT_A_TIME)),
  searches: rows(({ feedback }, { resultsMs }) =>
    feedback.purgeSearches(resultsMs - FEEDBACK_GRACE_MS, ROWS_AT_A_TIME),
  ),
  // A search has no second refund: its feedback is kept as long as feedback on it may come.
  feedback: rows(({ feedback }, { nowMs, resultsMs }) =>
    feedback.purgeFeedback(Math.min(nowMs - FEEDBACK_LIFE_MS, resultsMs - FEEDBACK_GRACE_MS), ROWS_AT_A_TIME),
  ),
  unused_tables: ({ unusedTables }) => unusedTables.purge(ROWS_AT_A_TIME),
  result_objects: resultDays,
  recording_objects: days(RECORDINGS, ({ resultsMs }) => resultsMs),
  page_objects: days("pages/", ({ pagesMs }) => pagesMs),
  file_objects: days("files/", ({ nowMs }) => nowMs),
  upload_objects: days(UPLOADS, ({ nowMs }) => nowMs - DAY_MS),
};

/**
 * Deletes data after its retention: rows by their age, objects by the day in their key. Without a part, queues one message
 * for each; one call of a part deletes a bounded amount, and queues the next while there is more. May be repeated. A part
 * that this version does not know is ignored.
 */
export async function purgeExpired(deps: PurgeDeps, part?: string): Promise<void> {
  if (part === undefined) {
    return await deps.tasks.sendAll(Object.keys(PARTS).map((name) => ({ type: "purge_expired", part: name })));
  }
  const nowMs = deps.clock.now();
  const resultsMs = nowMs - deps.settings.resultRetentionMs;
  // A cached page may be the result of a scrape until it expires.
  const ends: Ends = { nowMs, resultsMs, pagesMs: resultsMs - deps.settings.cacheRetentionMs };
  if ((await PARTS[part]?.(deps, ends)) === true) await deps.tasks.send({ type: "purge_expired", part });
}

/**
 * Deletes objects of days before the first retained day.
 * @param keptOf names of folders of a day that are left as they are
 * @returns whether there may be more.
 */
async function purgeDays(
  { blobs }: Pick<PurgeDeps, "blobs">,
  prefix: string,
  firstKeptDay: string,
  keptOf: (day: string) => Promise<ReadonlySet<string>> = async () => NONE,
): Promise<boolean> {
  const dayOf = (folder: string): string => folder.slice(prefix.length, -1);
  const over = (await blobs.folders(prefix)).filter((folder) => dayOf(folder) < firstKeptDay).toSorted();
  for (const [place, folder] of over.entries()) {
    const kept = await keptOf(dayOf(folder));
    if (kept.size === 0) return (await blobs.deletePrefix(folder)) || place < over.length - 1;
    if (await purgeOthers({ blobs }, folder, kept)) return true;
  }
  return false;
}

/**
 * Deletes a bounded number of the objects of a folder that are not in the kept folders directly below it, which are passed over.
 * @returns whether any were deleted.
 */
async function purgeOthers(
  { blobs }: Pick<PurgeDeps, "blobs">,
  folder: string,
  kept: ReadonlySet<string>,
): Promise<boolean> {
  const nameOf = (key: string): string => key.slice(folder.length).split("/", 1)[0] ?? "";
  let after: string | undefined;
  for (let lists = 1, deleted = 0; ; lists++) {
    const { objects, hasMore } = await blobs.list(folder, { after, limit: OBJECTS_AT_A_TIME });
    const gone = objects.flatMap(({ key }) => (kept.has(nameOf(key)) ? [] : [key]));
    if (gone.length > 0) await blobs.delete(gone);
    deleted += gone.length;
    const last = objects.at(-1)?.key;
    if (!hasMore || last === undefined || (lists >= MAX_LISTS && deleted > 0)) return deleted > 0;
    // "0" is the character behind "/".
    after = kept.has(nameOf(last)) ? `${folder}${nameOf(last)}0` : last;
  }
}
