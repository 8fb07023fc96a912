import { claimable, isComparisonDue, type FrontierItem, type FrontierState } from "../../core/crawl/frontier.ts";
import { recordLostComparison, recordLostSeed } from "../../core/crawl/lost-leases.ts";
import { claimableAhead } from "../../core/crawl/dispatch.ts";
import { MAX_LOST_LEASES } from "../../core/crawl/page-retries.ts";
import type { WorkRequest } from "../../ports/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { PageEnds } from "./frontier-ends.ts";
import { PENDING } from "./frontier-tables.ts";
import { urlsOf, type UrlRow } from "./frontier-urls.ts";
import type { Lease, LeasedItem, Leases } from "./frontier-leases.ts";
import { lowerPage } from "./raised-pages.ts";
import { failItem, skipUnfinished, retryLostItem } from "./frontier-end.ts";

/** Leased work. */
export interface Claim {
  leaseId: number;
  /** Number of this claim among all of the job: a lease may hold the items of several. */
  number: number;
  /** True when robots.txt and the sitemaps must be read. */
  isSeed: boolean;
  /** True when the earlier job's pages must be compared with those that were found. */
  isComparison?: boolean;
  /** Number of the last items that are leased ahead: not to be begun before others have finished. */
  ahead?: number;
  items: FrontierItem[];
}

/** Leases of the worker run that claims, and the last claim whose response it has received. */
export interface HeldLeases {
  leaseIds: readonly number[];
  lastClaim: number;
}

/** Returns the leases that a request claims for; undefined when its claim is a lease of its own. */
export function heldOf({ leaseIds, lastClaim }: WorkRequest): HeldLeases | undefined {
  return lastClaim === undefined ? undefined : { leaseIds, lastClaim };
}

/** Data that the functions of this file change within one transaction. */
interface Claiming {
  sql: Sql;
  state: FrontierState;
  leases: Leases;
  nowMs: number;
}

interface Claimed {
  capacity: number;
  /** Further URLs to lease ahead. */
  ahead?: number;
  held?: HeldLeases;
  /** Leased URLs whose pages are done and not reported yet. */
  unreported?: number;
  /** True when no URLs are wanted that were leased before. */
  isQueueOnly: boolean;
  makeRoom: (count: number) => boolean;
}

/**
 * Leases up to `capacity` URLs: due retries first, then the queue in its order, then URLs beyond the limit. They extend a
 * lease that the caller holds, if there is one. Undefined when there are none.
 */
export function claim(
  claiming: Claiming,
  { capacity, ahead = 0, held, unreported, isQueueOnly, makeRoom }: Claimed,
): Claim | undefined {
  const { sql, state, leases, nowMs } = claiming;
  const own = held === undefined ? [] : held.leaseIds.flatMap((id) => leases.get(id) ?? []);
  for (const lease of own) releaseLost(claiming, lease, held?.lastClaim ?? 0);
  const wanted = claimable(state, capacity, unreported);
  const isSeed = state.status === "scraping" && state.seed === "waiting";
  const rows = wanted === 0 || isQueueOnly ? [] : takeDue(sql, wanted, nowMs);
  // A page that ends its run again and again is to take few others with it.
  const isAheadFine = rows.length === 0 && wanted > 0;
  if (rows.length < wanted) rows.push(...takeQueued(sql, state, wanted - rows.length));
  // Failed pages make room under the limit for URLs beyond it.
  while (rows.length < wanted && state.overflow.count > 0 && makeRoom(wanted - rows.length)) {
    rows.push(...takeQueued(sql, state, wanted - rows.length));
  }
  const isComparison = isComparisonDue(state);
  if (rows.length === 0 && !isSeed && !isComparison) return undefined;

  const number = state.nextLease++;
  const extended = isSeed || isComparison ? undefined : own.at(-1);
  const lease: Lease = extended ?? {
    id: number,
    expiresAtMs: 0,
    isSeed,
    ...(isComparison ? { isComparison } : {}),
    items: [],
  };
  lease.expiresAtMs = nowMs + state.config.leaseMs;
  lease.items.push(...rows.map((row) => toLeased(row, number)));
  leases.put(lease);
  state.counters.leased += rows.length;
  const further = isAheadFine && rows.length === wanted ? takeQueued(sql, state, claimableAhead(state, ahead)) : [];
  lease.items.push(...further.map((row) => toLeased(row, number)));
  state.counters.leased += further.length;
  if (isSeed) state.seed = "leased";
  if (isComparison && state.comparison !== undefined) state.comparison.status = "leased";
  const items = [...rows, ...further].map(toItem);
  const more = { ...(isComparison ? { isComparison } : {}), ...(further.length > 0 ? { ahead: further.length } : {}) };
  return { leaseId: lease.id, number, isSeed, ...more, items };
}

/** Releases the items of claims whose response the holder of the lease has not received. */
function releaseLost(claiming: Claiming, lease: Lease, lastClaim: number): void {
  const lost = lease.items.filter(([, , number = 0]) => number > lastClaim);
  if (lost.length === 0) return;
  lease.items = lease.items.filter(([, , number = 0]) => number <= lastClaim);
  claiming.leases.put(lease);
  loseItems(claiming, lost);
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
  const keys = due.map(({ key }) => key);
  const rows = urlsOf(sql).get(keys);
  return stillPending(
    sql,
    keys.flatMap((key) => rows.get(key) ?? []),
  );
}

/** Takes URLs from the queue, starting at the cursor. Skips those that have already ended, such as duplicates. */
function takeQueued(sql: Sql, state: FrontierState, limit: number): UrlRow[] {
  const urls = urlsOf(sql);
  const taken: UrlRow[] = [];
  while (taken.length < limit) {
    const row = urls.rowFrom(state.cursor.row);
    if (row === undefined) break;
    const { id, entries } = row;
    const place = id === state.cursor.row ? state.cursor.place : 0;
    const wanted = entries.slice(place, place + limit - taken.length);
    taken.push(...stillPending(sql, urls.of(wanted)));
    const next = place + wanted.length;
    state.cursor = next < entries.length ? { row: id, place: next } : { row: id + 1, place: 0 };
  }
  return taken;
}

function stillPending(sql: Sql, rows: readonly UrlRow[]): UrlRow[] {
  const ends = new PageEnds(sql);
  return rows.filter(({ state, seat }) => state === PENDING && ends.get(seat) === undefined);
}

function toLeased({ key, attempt, lost }: UrlRow, claimNumber: number): LeasedItem {
  return lost === null ? [key, attempt, claimNumber] : [key, attempt, claimNumber, lost];
}

function toItem(row: UrlRow): FrontierItem {
  const { key, url, depth, external, attempt, lost, sitemap_date: sitemapDate } = row;
  const more = { ...(lost === null ? {} : { lost }), ...(sitemapDate === null ? {} : { sitemapDate }) };
  return { key, url, depth, isExternal: external === 1, attempt, ...more };
}

/** Renews leases on a heartbeat; writes a row only when half of its time is over. */
export function renew({ state, leases, nowMs }: Claiming, leaseIds: readonly number[]): void {
  const { leaseMs } = state.config;
  for (const id of leaseIds) {
    const lease = leases.get(id);
    if (lease === undefined || lease.expiresAtMs - nowMs > leaseMs / 2) continue;
    lease.expiresAtMs = nowMs + leaseMs;
    leases.put(lease);
  }
}

/** A lease that has ended longer ago than this should have been revoked by the object's alarm. */
const LATE_MS = 1_000;
/** Time in which worker runs can renew the leases that ended while the object was held up: more than a heartbeat. */
const GRACE_MS = 5_000;

/** Presence of an object: the time since which it is in memory, and the leases that it has prolonged. */
export class Presence {
  #sinceMs: number | undefined;
  readonly #prolonged = new Map<number, number>();

  /** Records that the object is there. */
  note(nowMs: number): void {
    this.#sinceMs ??= nowMs;
  }

  /**
   * Prolongs an expired lease, once until it is renewed, if the object was there at its end and notices it late: it was
   * held up, as its worker runs may have been, which share the machine.
   */
  prolongs(lease: Lease, nowMs: number): boolean {
    const wasThere = this.#sinceMs !== undefined && lease.expiresAtMs >= this.#sinceMs;
    const isLate = wasThere && nowMs - lease.expiresAtMs > LATE_MS;
    if (!isLate || this.#prolonged.get(lease.id) === lease.expiresAtMs) return false;
    lease.expiresAtMs = nowMs + GRACE_MS;
    this.#prolonged.set(lease.id, lease.expiresAtMs);
    return true;
  }

  forget({ id }: Lease): void {
    this.#prolonged.delete(id);
  }
}

/** Revokes expired leases that are not prolonged, and returns their number. */
export function reap(claiming: Claiming, presence: Presence): number {
  const { state, leases, nowMs } = claiming;
  presence.note(nowMs);
  const over = leases.list().filter(({ expiresAtMs }) => expiresAtMs <= nowMs);
  const prolonged = over.filter((lease) => presence.prolongs(lease, nowMs));
  for (const lease of prolonged) leases.put(lease);
  const expired = over.filter((lease) => !prolonged.includes(lease));
  for (const lease of expired) {
    leases.delete(lease.id);
    presence.forget(lease);
    if (lease.isSeed && state.seed === "leased") recordLostSeed(state);
    if (lease.isComparison === true) recordLostComparison(state);
    loseItems(claiming, lease.items);
  }
  return expired.length;
}

/**
 * Ends the lease of items without a result. Those that were lost too often have failed; after the job's end, items are
 * not leased again.
 */
function loseItems({ sql, state, nowMs }: Claiming, items: readonly LeasedItem[]): void {
  for (const [place, item] of items.entries()) {
    state.counters.leased--;
    lowerPage(state, item[0]);
    if (state.status !== "scraping") {
      skipUnfinished(state);
      continue;
    }
    if (retryLostItem(sql, item, { place, nowMs })) continue;
    failItem({ sql, state, nowMs }, item, {
      code: "SCRAPE_RETRY_LIMIT",
      error: `${MAX_LOST_LEASES} worker runs that scraped this page stopped before they finished`,
    });
  }
}
