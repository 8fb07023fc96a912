import { v7 as uuidv7 } from "uuid";
import type { ErrorCode } from "../../core/errors.ts";
import { countWaiting, type FrontierState, type SkipReason } from "../../core/crawl/frontier.ts";
import { loadNumber, retryAtMs, retryLostAtMs } from "../../core/crawl/page-retries.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import type { LeasedItem } from "./frontier-leases.ts";
import { FAILED, SKIPPED } from "./frontier-tables.ts";
import { urlsOf } from "./frontier-urls.ts";
import { post } from "../webhooks/outbox.ts";

export interface Ending {
  sql: Sql;
  state: FrontierState;
  nowMs: number;
}

/** Schedules another attempt of an item whose load failed. @returns false when it has none left. */
export function retryItem(
  sql: Sql,
  [key, attempt, , lost = 0]: LeasedItem,
  failure: { retryable: boolean; retryAfterMs?: number | undefined; nowMs: number },
): boolean {
  const dueAtMs = retryAtMs(loadNumber({ attempt, lost }), failure, failure.nowMs);
  if (dueAtMs === undefined) return false;
  urlsOf(sql).update(key, { attempt: attempt + 1 });
  delayItem(sql, key, dueAtMs);
  return true;
}

/** Schedules another attempt of an item whose lease was lost. @returns false when it was lost too often. */
export function retryLostItem(
  sql: Sql,
  [key, attempt, , before = 0]: LeasedItem,
  { place, nowMs }: { place: number; nowMs: number },
): boolean {
  const lost = before + 1;
  const dueAtMs = retryLostAtMs(lost, place, nowMs);
  if (dueAtMs === undefined) return false;
  urlsOf(sql).update(key, { attempt: attempt + 1, lost });
  delayItem(sql, key, dueAtMs);
  return true;
}

/** Counts an item as skipped that was being scraped when its job ended and did not complete. */
export function skipUnfinished(state: FrontierState): void {
  state.counters.pending--;
  countWaiting(state, 1);
}

/** Delays an item until a moment; does not change its attempt. */
export function delayItem(sql: Sql, key: string, dueAtMs: number): void {
  sql.rows("INSERT OR IGNORE INTO retries (due_at_ms, key) VALUES (?, ?)", dueAtMs, key);
}

/** Records that an item has failed permanently. */
export function failItem(
  { sql, state, nowMs }: Ending,
  [key]: LeasedItem,
  { code, error }: { code: ErrorCode; error: string },
): void {
  state.counters.pending--;
  state.counters.failed++;
  state.firstFailure ??= error;
  const url = endRow(sql, key, { state: FAILED, reason: code, detail: error });
  const failureId = noteFailure({ sql, nowMs }, { url, code, error });
  const event = state.config.events.includes("page.failed") ? "page.failed" : "page";
  post({ sql, state, nowMs }, event, { error, metadata: { sourceURL: url, scrapeId: failureId } });
}

/** Skips an item; `isWaiting` when it was not being scraped. */
export function skipItem(
  { sql, state, nowMs }: Ending,
  key: string,
  { isWaiting = false, ...skip }: { reason: SkipReason; detail?: string; isWaiting?: boolean },
): void {
  if (isWaiting) countWaiting(state, -1);
  else state.counters.pending--;
  state.counters.skipped[skip.reason]++;
  const url = endRow(sql, key, { state: SKIPPED, ...skip });
  if (skip.reason === "robots") noteFailure({ sql, nowMs }, { url, code: null, error: "Disallowed by robots.txt" });
  if (skip.reason === "denied")
    noteFailure({ sql, nowMs }, { url, code: "CRAWL_DENIAL", error: skip.detail ?? "Denied" });
}

/** Ends a row. @returns its URL. */
export function endRow(
  sql: Sql,
  key: string,
  end: { state: number; reason?: string; detail?: string; version?: string; document?: number },
): string {
  const { state, reason = null, detail = null, version = null, document = null } = end;
  const row = urlsOf(sql).update(key, { state, reason, detail, version, document });
  return row?.url ?? key;
}

function noteFailure(
  { sql, nowMs }: Pick<Ending, "sql" | "nowMs">,
  failure: { url: string; code: string | null; error: string },
): string {
  const id = uuidv7();
  sql.rows(
    "INSERT INTO failures (failure_id, at_ms, url, code, error) VALUES (?, ?, ?, ?, ?)",
    id,
    nowMs,
    failure.url,
    failure.code,
    failure.error,
  );
  return id;
}
