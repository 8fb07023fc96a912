import type { RateMode } from "./api-key.ts";
import { withHeldCredits } from "./credit-holds.ts";
import {
  remaining,
  settleHold,
  withoutLostHolds,
  type AdmitRequest,
  type LedgerCounters,
  type RateLimitState,
} from "./key-ledger.ts";
import { currentCredits, currentWindow, nextMonth, runningWindows, WINDOW_MS } from "./ledger-periods.ts";
import type { WorkRecord } from "./usage.ts";

/**
 * A lease: requests and credits of a key that one isolate may admit by itself for a few seconds. The ledger counts the
 * requests and holds the credits when it grants the lease, so that admissions from it never exceed a limit.
 */

/** Time for which an isolate may admit requests from a lease. */
export const LEASE_MS = 6_000;
/** Requests of the current window from which on a key is leased to isolates. */
export const HOT_REQUESTS = 8;
/** A lease takes at most this part of the requests, and of the credits, that a key has left. */
const SHARE = 8;
/** Smaller leases save too little. With `SHARE`, the last 32 requests and credits of a key are admitted one by one. */
export const LEAST_REQUESTS = 4;
export const MOST_REQUESTS = 64;
/** Leases of one key at a time: their entries are in the row that each admission writes. */
const MOST_LEASES = 100;

/** A request for a lease. Its id is the isolate's, so that a repeated call replaces the lease instead of adding one. */
export interface LeaseAsk {
  id: string;
  requests: number;
}

/** The terms of the requests that a lease is for. */
export interface LeaseTerms {
  mode: RateMode;
  /** Requests per minute. */
  limit: number;
  /** Credits of one request. */
  credits: number;
  monthlyCredits: number | undefined;
}

export interface LeaseGrant {
  requests: number;
  /** Credits of all its requests together. */
  credits: number;
  /** Time for which the lease may be used, from the moment of the call. It ends with the window and the month. */
  lifeMs: number;
  /** State of the rate limit without the requests of the lease. */
  rate: RateLimitState;
  /** Credits that are left without those of the lease. */
  remainingCredits: number | undefined;
}

/** Part of a lease that was used when it ended. */
export interface LeaseEnd {
  leaseId: string;
  requests: number;
  credits: number;
}

/** Leases that an isolate has ended, and works that it has admitted, since its last call. */
export interface LeaseReport {
  ended: LeaseEnd[];
  /** Works that were admitted from leases, and others that are recorded with them. */
  works: WorkRecord[];
}

/** Reports whether the credits of a request are held until its work is recorded: others are spent at once, and not leased. */
export function isHeld({ credits, holdId }: Pick<AdmitRequest, "credits" | "holdId">): boolean {
  return credits === 0 || holdId !== undefined;
}

/** Grants a lease where the key is hot and has plenty left; undefined, with the same counters, otherwise. */
export function grantLease(
  before: LedgerCounters,
  { ask, terms }: { ask: LeaseAsk; terms: LeaseTerms },
  nowMs: number,
): { grant: LeaseGrant | undefined; counters: LedgerCounters } {
  const free = endLease(before, { leaseId: ask.id, requests: 0, credits: 0 }, nowMs);
  const counters = withoutLostHolds(free, nowMs);
  const window = currentWindow(counters, terms.mode, nowMs);
  const credits = currentCredits(counters, nowMs);
  const windowEndMs = window.startMs + WINDOW_MS;
  const lifeMs = Math.min(LEASE_MS, windowEndMs - nowMs, nextMonth(credits.periodStartMs) - nowMs);
  const creditsLeft = remaining(terms.monthlyCredits, credits.used) ?? Infinity;
  const requests = Math.min(
    ask.requests,
    MOST_REQUESTS,
    Math.floor((terms.limit - window.count) / SHARE),
    terms.credits === 0 ? Infinity : Math.floor(creditsLeft / SHARE / terms.credits),
  );
  const isRefused =
    window.count < HOT_REQUESTS ||
    requests < LEAST_REQUESTS ||
    lifeMs < LEASE_MS / 10 ||
    Object.keys(counters.leases ?? {}).length >= MOST_LEASES;
  if (isRefused) return { grant: undefined, counters: free };

  const leased = requests * terms.credits;
  const used = credits.used + leased;
  const count = window.count + requests;
  const lease = { mode: terms.mode, windowStartMs: window.startMs, requests, credits: leased, atMs: nowMs };
  return {
    grant: {
      requests,
      credits: leased,
      lifeMs,
      rate: { limit: terms.limit, remaining: terms.limit - count, resetAtMs: windowEndMs },
      remainingCredits: remaining(terms.monthlyCredits, used),
    },
    counters: {
      ...counters,
      windows: { ...runningWindows(counters, nowMs), [terms.mode]: { ...window, count } },
      credits: { ...credits, used },
      holds: leased === 0 ? counters.holds : { ...counters.holds, [ask.id]: [leased, nowMs] },
      leases: { ...counters.leases, [ask.id]: lease },
    },
  };
}

/**
 * Ends a lease: releases what was not used. The credits of its works stay held until these are recorded. A lease that has
 * ended before, or was lost, is left as it is.
 */
export function endLease(counters: LedgerCounters, end: LeaseEnd, nowMs: number): LedgerCounters {
  const lease = counters.leases?.[end.leaseId];
  if (lease === undefined) return counters;
  const { [end.leaseId]: _ended, ...leases } = counters.leases ?? {};
  const window = counters.windows[lease.mode];
  const isCounted = window?.startMs === lease.windowStartMs;
  const unused = Math.max(0, lease.requests - end.requests);
  const windows = isCounted
    ? { ...counters.windows, [lease.mode]: { ...window, count: Math.max(0, window.count - unused) } }
    : counters.windows;
  const freed = { ...counters, windows, leases };
  const [held, atMs] = counters.holds?.[end.leaseId] ?? [0, nowMs];
  const released = Math.min(held, Math.max(0, lease.credits - end.credits));
  if (released === 0) return freed;
  const credits = currentCredits(counters, nowMs);
  // Credits held in an earlier month are not released to this one.
  const used = atMs < credits.periodStartMs ? credits.used : Math.max(0, credits.used - released);
  return { ...freed, credits: { ...credits, used }, holds: withHeld(counters, end.leaseId, [held - released, atMs]) };
}

/** Settles the hold of recorded work, as `settleHold` does; the credits that a lease held for it are a part of the hold. */
export function settleWork(
  counters: LedgerCounters,
  { holdId, credits, lease }: { holdId: string; credits: number; lease?: WorkRecord["lease"] },
  nowMs: number,
): { wasHeld: boolean; counters: LedgerCounters } {
  const { periodStartMs } = currentCredits(counters, nowMs);
  const moved = lease === undefined ? counters : withMovedHold(counters, { holdId, periodStartMs }, lease);
  return settleHold(moved, { holdId, credits }, nowMs);
}

/** Moves the credits of a work from the hold of its lease to its own. The hold of a lease that was lost has none left. */
function withMovedHold(
  counters: LedgerCounters,
  place: { holdId: string; periodStartMs: number },
  lease: NonNullable<WorkRecord["lease"]>,
): LedgerCounters {
  const [left, leasedAtMs] = counters.holds?.[lease.id] ?? [0, 0];
  const moved = Math.min(left, lease.credits);
  if (moved === 0) return counters;
  const holds = withHeld(counters, lease.id, [left - moved, leasedAtMs]);
  return withHeldCredits({ ...counters, holds }, { ...place, credits: moved, atMs: leasedAtMs });
}

/** Returns the holds with another one of a lease; without it when it has no credits. */
function withHeld(counters: LedgerCounters, leaseId: string, hold: [number, number]): LedgerCounters["holds"] {
  const { [leaseId]: _before, ...others } = counters.holds ?? {};
  return hold[0] === 0 ? others : { ...others, [leaseId]: hold };
}
