import type { FrontierState } from "../../core/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { FAILED, PENDING } from "./frontier-tables.ts";
import { resetComparison } from "./frontier-tombstones.ts";

/** Reports why an ended job cannot retry its failed URLs; undefined when it can. */
export function retryRefusal({ status, rest, isStopping, counters }: FrontierState): "running" | "ended" | undefined {
  if (status === "scraping" || counters.leased > 0) return "running";
  // The URLs that were waiting at such an end would run again with those that failed.
  return status === "cancelled" || rest === "cancelled" || isStopping ? "ended" : undefined;
}

/** Returns the number of failed URLs that fit under the job's limit of pages. */
export function retryable({ config, counters }: FrontierState): number {
  const room = config.limit === undefined ? Infinity : config.limit - counters.completed;
  return Math.max(0, Math.min(counters.failed, room));
}

/**
 * Moves up to `count` failed URLs back to those that wait, with new attempts, and lets the job run again. They are due
 * at once, and are not added to the queue a second time. Changes the state in place.
 */
export function retryFailed(sql: Sql, state: FrontierState, { count, nowMs }: { count: number; nowMs: number }): void {
  sql.rows(
    `INSERT OR IGNORE INTO retries (due_at_ms, key) SELECT ?, key FROM urls WHERE state = ${FAILED} ORDER BY key LIMIT ?`,
    nowMs,
    count,
  );
  const chosen = `SELECT key FROM retries`;
  sql.rows(
    `DELETE FROM failures WHERE code IS NOT NULL AND code <> 'CRAWL_DENIAL'
     AND url IN (SELECT url FROM urls WHERE state = ${FAILED} AND key IN (${chosen}))`,
  );
  sql.rows(
    `UPDATE urls SET state = ${PENDING}, attempt = 1, lost = NULL, reason = NULL, detail = NULL
     WHERE state = ${FAILED} AND key IN (${chosen})`,
  );
  if (count > 0) resetComparison(sql, state);
  const { counters } = state;
  counters.failed -= count;
  counters.pending += count;
  Object.assign(state, runningAgain(nowMs), { error: undefined, firstFailure: undefined });
}

/** Returns what changes in the state of a job that runs again after its end. */
export function runningAgain(nowMs: number): Partial<FrontierState> {
  return { status: "scraping", restartedAtMs: nowMs, endedAtMs: undefined, closed: false, settled: false };
}
