import { claimable, isComparisonDue } from "../../core/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { nextEventMs } from "../webhooks/outbox.ts";
import { readLeases } from "./frontier-leases.ts";
import { readState } from "./frontier-tables.ts";

/** Next work of a job (times in Unix ms). */
export interface Outlook {
  /** Number of URLs that can be leased now. */
  claimable: number;
  /** Time at which more can be. */
  workMs: number | undefined;
  eventMs: number | undefined;
}

/** No URL counts as claimable until a time (Unix time in ms), and `mostAfter` at most after it. */
export interface Pause {
  untilMs: number;
  mostAfter: number;
}

/** Returns the next work of a job. */
export function readOutlook(
  sql: Sql,
  { nowMs, unreported, pause }: { nowMs: number; unreported: number; pause: Pause | undefined },
): Outlook {
  const state = readState(sql);
  if (state === undefined) return { claimable: 0, workMs: undefined, eventMs: undefined };
  const [retries] = sql.rows<{ next: number | null; waiting: number; ready: number }>(
    `SELECT min(due_at_ms) FILTER (WHERE due_at_ms > ?1) AS next, count(*) AS waiting,
       count(*) FILTER (WHERE due_at_ms <= ?1) AS ready FROM retries`,
    nowMs,
  );
  const { pending, leased } = state.counters;
  const ready = Math.max(0, pending - leased - (retries?.waiting ?? 0)) + (retries?.ready ?? 0);
  const isSeedWaiting = state.status === "scraping" && state.seed === "waiting";
  const found = claimable(state, ready, unreported);
  const isPaused = pause !== undefined && nowMs < pause.untilMs;
  // Those that are due already are among the claimable ones.
  const nextMs = claimable(state, 1) > 0 && typeof retries?.next === "number" ? [retries.next] : [];
  const moments = [
    ...readLeases(sql).map(({ expiresAtMs }) => expiresAtMs),
    ...(isPaused && found > 0 ? [pause.untilMs] : nextMs),
  ];
  const most = pause === undefined ? Infinity : isPaused ? 0 : pause.mostAfter;
  return {
    claimable: Math.min(found, most) + (isSeedWaiting || isComparisonDue(state) ? 1 : 0),
    workMs: moments.length === 0 ? undefined : Math.min(...moments),
    eventMs: nextEventMs(sql),
  };
}
