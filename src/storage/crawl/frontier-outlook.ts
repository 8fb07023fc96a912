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
  const retries = readRetries(sql, nowMs);
  const { pending, leased } = state.counters;
  const ready = Math.max(0, pending - leased - retries.waiting) + retries.ready;
  const isSeedWaiting = state.status === "scraping" && state.seed === "waiting";
  const found = claimable(state, ready, unreported);
  const isPaused = pause !== undefined && nowMs < pause.untilMs;
  // Those that are due already are among the claimable ones.
  const nextMs = claimable(state, 1) > 0 && retries.nextMs !== undefined ? [retries.nextMs] : [];
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

interface Retries {
  waiting: number;
  /** Those of them that are due. */
  ready: number;
  /** Time at which the first of the others is due. */
  nextMs: number | undefined;
}

/** Counts the URLs that wait for another attempt, of which a job may have 100,000s: rows that are not due are not decoded. */
function readRetries(sql: Sql, nowMs: number): Retries {
  // Without a condition, SQLite adds up the numbers of rows that its pages have.
  const waiting = countOf(sql.rows<Count>("SELECT count(*) AS count FROM retries"));
  if (waiting === 0) return { waiting, ready: 0, nextMs: undefined };
  const [next] = sql.rows<{ due_at_ms: number }>(
    "SELECT due_at_ms FROM retries WHERE due_at_ms > ? ORDER BY due_at_ms LIMIT 1",
    nowMs,
  );
  if (next === undefined) return { waiting, ready: waiting, nextMs: undefined };
  const ready = countOf(sql.rows<Count>("SELECT count(*) AS count FROM retries WHERE due_at_ms <= ?", nowMs));
  return { waiting, ready, nextMs: next.due_at_ms };
}

interface Count {
  count: number;
}

function countOf([row]: readonly Count[]): number {
  return row?.count ?? 0;
}
