import { isString, readStoredList } from "../../core/stored-state.ts";
import { claimable, type FrontierItem, type FrontierState } from "../../core/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { deleteLease, PENDING, readLeases, writeLease, type Lease } from "./frontier-tables.ts";
import { failItem, letGo, retryItem } from "./frontier-end.ts";

/** Leased work. */
export interface Claim {
  leaseId: number;
  /** True when robots.txt and the sitemaps must be read. */
  isSeed: boolean;
  items: FrontierItem[];
}

interface UrlRow {
  key: string;
  url: string;
  depth: number;
  external: number;
  attempt: number;
}

/**
 * Leases up to `capacity` URLs: due retries first, then the queue in its order, then URLs beyond the limit. Undefined
 * when there are none.
 */
export function claim(
  sql: Sql,
  state: FrontierState,
  { capacity, nowMs, makeRoom }: { capacity: number; nowMs: number; makeRoom: (count: number) => boolean },
): Claim | undefined {
  const wanted = claimable(state, capacity);
  const isSeed = state.status === "scraping" && state.seed === "waiting";
  const rows = wanted === 0 ? [] : takeDue(sql, wanted, nowMs);
  if (rows.length < wanted) rows.push(...takeQueued(sql, state, wanted - rows.length));
  // Failed pages make room under the limit for URLs beyond it.
  while (rows.length < wanted && state.overflow.count > 0 && makeRoom(wanted - rows.length)) {
    rows.push(...takeQueued(sql, state, wanted - rows.length));
  }
  if (rows.length === 0 && !isSeed) return undefined;

  const lease: Lease = {
    id: state.nextLease++,
    expiresAtMs: nowMs + state.config.leaseMs,
    isSeed,
    items: rows.map(({ key, attempt }) => [key, attempt]),
  };
  writeLease(sql, lease);
  state.counters.leased += rows.length;
  if (isSeed) state.seed = "leased";
  return { leaseId: lease.id, isSeed, items: rows.map(toItem) };
}

function takeDue(sql: Sql, limit: number, nowMs: number): UrlRow[] {
  const due = sql.rows<{ due_at_ms: number; key: string }>(
    "SELECT due_at_ms, key FROM retries WHERE due_at_ms <= ? ORDER BY due_at_ms LIMIT ?",
    nowMs,
    limit,
  );
  if (due.length === 0) return [];
  sql.rows(
    "DELETE FROM retries WHERE (due_at_ms, key) IN (SELECT value->>0, value->>1 FROM json_each(?))",
    JSON.stringify(due.map(({ due_at_ms, key }) => [due_at_ms, key])),
  );
  return pendingRows(
    sql,
    due.map(({ key }) => key),
  );
}

/** Takes URLs from the queue, starting at the cursor. Skips rows that have already ended, such as duplicates. */
function takeQueued(sql: Sql, state: FrontierState, limit: number): UrlRow[] {
  const taken: UrlRow[] = [];
  while (taken.length < limit) {
    const [row] = sql.rows<{ id: number; keys: string }>(
      "SELECT id, keys FROM queue WHERE id >= ? ORDER BY id LIMIT 1",
      state.cursor.row,
    );
    if (row === undefined) break;
    const place = row.id === state.cursor.row ? state.cursor.place : 0;
    const keys = readStoredList(isString, row.keys, "frontier");
    const wanted = keys.slice(place, place + limit - taken.length);
    taken.push(...pendingRows(sql, wanted));
    const next = place + wanted.length;
    state.cursor = next < keys.length ? { row: row.id, place: next } : { row: row.id + 1, place: 0 };
  }
  return taken;
}

function pendingRows(sql: Sql, keys: string[]): UrlRow[] {
  const rows = sql.rows<UrlRow>(
    `SELECT urls.key, urls.url, depth, external, attempt FROM json_each(?) JOIN urls ON urls.key = value
     WHERE state = ${PENDING}`,
    JSON.stringify(keys),
  );
  const places = new Map(keys.map((key, place) => [key, place]));
  return rows.sort((left, right) => (places.get(left.key) ?? 0) - (places.get(right.key) ?? 0));
}

function toItem(row: UrlRow): FrontierItem {
  return { key: row.key, url: row.url, depth: row.depth, isExternal: row.external === 1, attempt: row.attempt };
}

/** Renews leases on a heartbeat; writes a row only when half of its time is over. */
export function renew(
  sql: Sql,
  state: FrontierState,
  { leaseIds, nowMs }: { leaseIds: number[]; nowMs: number },
): void {
  const { leaseMs } = state.config;
  for (const lease of readLeases(sql)) {
    if (!leaseIds.includes(lease.id) || lease.expiresAtMs - nowMs > leaseMs / 2) continue;
    sql.rows("UPDATE leases SET expires_at_ms = ? WHERE id = ?", nowMs + leaseMs, lease.id);
  }
}

/**
 * Revokes expired leases, and returns their number. Items that were lost too often have failed; after the job's end, items
 * are not leased again.
 */
export function reap(sql: Sql, state: FrontierState, nowMs: number): number {
  let lost = 0;
  for (const lease of readLeases(sql)) {
    if (lease.expiresAtMs > nowMs) continue;
    lost++;
    deleteLease(sql, lease.id);
    if (lease.isSeed && state.seed === "leased") state.seed = "waiting";
    for (const item of lease.items) {
      state.counters.leased--;
      if (state.status !== "scraping") {
        letGo(state);
        continue;
      }
      if (retryItem(sql, item, { retryable: true, nowMs, atOnce: true })) continue;
      failItem({ sql, state, nowMs }, item, {
        code: "SCRAPE_RETRY_LIMIT",
        error: "Every worker run that scraped this page stopped before it was done",
      });
    }
  }
  return lost;
}
