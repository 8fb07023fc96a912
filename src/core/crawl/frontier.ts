import type { ErrorCode } from "../errors.ts";
import { NO_COUNTS, type MeterCounts } from "../account/meter.ts";

/** Status of a job. The last three are final, except that a batch runs again when URLs are appended. */
export type JobStatus = "scraping" | "completed" | "failed" | "cancelled";

/** Reasons why a discovered URL was not scraped, besides those of the crawl's rules (`core/crawl/crawl-scope.ts`). */
export type SkipReason = "robots" | "denied" | "duplicate" | "limit" | "cancelled" | "credits" | "filtered";

/** Webhook event of a job. */
export type JobEvent = "check.completed" | "started" | "page" | "action" | "completed" | "failed" | "cancelled";

/** Limits and options of a job; fixed when it starts. */
export interface FrontierConfig {
  /** Maximum number of pages; undefined for no limit. */
  limit: number | undefined;
  /** Maximum number of concurrent pages. */
  maxConcurrency: number;
  /** Minimum time between two pages of one host. */
  delayMs: number;
  /** True when robots.txt and sitemaps are read before the job can end. */
  hasSeed: boolean;
  /** True when the job fails if no page was scraped: for a crawl, but not for a batch. */
  failsWhenEmpty: boolean;
  /** Events for which the job has a webhook. */
  events: readonly JobEvent[];
  /** Time without a heartbeat after which a lease expires. */
  leaseMs: number;
  /** Billing of the pages; undefined when no key is charged. */
  billing?: JobBilling;
  /** Job slot to take from the paying key; undefined when none is needed. */
  slot?: { limit: number; leaseMs: number };
  /** Time at which all data of the job is deleted. */
  expiresAtMs: number;
}

/** Price of a job's pages, and the key that pays. */
export interface JobBilling {
  keyId: string;
  /** Credits reserved for a page before it begins. */
  creditsPerPage: number;
  /** Credits of the key per calendar month; undefined for no limit. */
  monthlyCredits: number | undefined;
}

/** Numbers of URLs. `completed + failed + skipped + pending = discovered` after every transition. */
export interface FrontierCounters {
  discovered: number;
  /** Waiting or being scraped. After the job's end: those that were being scraped then and may still complete. */
  pending: number;
  /** Pending URLs that are being scraped. */
  leased: number;
  completed: number;
  failed: number;
  skipped: Record<SkipReason, number>;
}

/** State of the frontier, stored in one row; all other rows are URLs, leases or results. */
export interface FrontierState {
  config: FrontierConfig;
  status: JobStatus;
  /** True until the job has taken its slot; no page is leased before. */
  isStarting?: boolean;
  /** Error of a job that failed. */
  error: string | undefined;
  /** Error of the first page that failed permanently. */
  firstFailure: string | undefined;
  /** Skip reason of the URLs that were waiting when the job ended. */
  rest: Extract<SkipReason, "limit" | "cancelled" | "credits">;
  createdAtMs: number;
  endedAtMs: number | undefined;
  counters: FrontierCounters;
  creditsUsed: number;
  /** Credits charged to the key, as last confirmed when everything was paid. */
  charged: number;
  /** True when the credits are used up: running pages are finished, then the job ends. */
  isStopping: boolean;
  /** Counts of the job's consumers; absent in states of older versions. */
  costs?: MeterCounts;
  /** Ids of append requests, so that a repeated request appends nothing. */
  appended?: string[];
  /** True when the costs are final. */
  settled?: boolean;
  /** First URL that was never leased: a row of the queue and a position in it. */
  cursor: { row: number; place: number };
  /** URLs beyond the limit, used only if earlier pages fail: their number, and the position of the first one. */
  overflow: { count: number; row: number; place: number };
  nextLease: number;
  seed: "none" | "waiting" | "leased" | "done";
  /** True when the job's end has been recorded everywhere. */
  closed: boolean;
}

/** A leased URL. `attempt` distinguishes this attempt from others. */
export interface FrontierItem {
  key: string;
  url: string;
  depth: number;
  isExternal: boolean;
  attempt: number;
}

/** A discovered URL in scope. Candidates with equal keys are the same page. */
export interface Candidate {
  key: string;
  url: string;
  depth: number;
  isExternal: boolean;
  /** URL of the page that links to it; undefined for the job's first URLs. */
  parent: string | undefined;
}

/** A URL that the crawl's rules exclude. */
export interface FilteredUrl {
  url: string;
  /** Key of a URL that is out of scope only because of where it was found; another page may lead to it in scope. */
  key?: string;
  reason: string;
  depth: number;
  parent: string | undefined;
}

/** Result of one item. */
export type PageResult = { key: string; attempt: number } & (
  | {
      kind: "scraped";
      /** Offset of the document in its batch, in bytes. */
      offset: number;
      length: number;
      scrapeId: string;
      credits: number;
      /** The page's key after redirects, if it differs from the item's. */
      finalKey?: string;
      finalUrl?: string;
    }
  | { kind: "failed"; code: ErrorCode; error: string; retryable: boolean; retryAfterMs?: number }
  | { kind: "robots"; retryAfterMs?: number }
  | { kind: "denied"; error: string }
  /** Not begun and not counted as an attempt: the host must not be requested before `retryAtMs`. */
  | { kind: "deferred"; retryAtMs: number }
);

/** Attempts after which a page with retryable failures has failed permanently. */
export const MAX_ATTEMPTS = 3;
const RETRY_DELAYS_MS = [1_000, 5_000];

export const NO_SKIPS: Record<SkipReason, number> = {
  robots: 0, denied: 0, duplicate: 0, limit: 0, cancelled: 0, credits: 0, filtered: 0,
}; // prettier-ignore

export function newFrontier(config: FrontierConfig, nowMs: number): FrontierState {
  return {
    config,
    status: "scraping",
    isStarting: config.slot !== undefined && config.billing !== undefined,
    error: undefined,
    firstFailure: undefined,
    rest: "limit",
    createdAtMs: nowMs,
    endedAtMs: undefined,
    counters: { discovered: 0, pending: 0, leased: 0, completed: 0, failed: 0, skipped: { ...NO_SKIPS } },
    creditsUsed: 0,
    charged: 0,
    isStopping: false,
    overflow: { count: 0, row: 0, place: 0 },
    costs: NO_COUNTS,
    cursor: { row: 0, place: 0 },
    nextLease: 1,
    seed: config.hasSeed ? "waiting" : "none",
    closed: false,
  };
}

/** Returns the number of URLs that may be leased now without exceeding the limit or the concurrency. */
export function claimable(
  { status, isStarting, isStopping, config, counters }: FrontierState,
  capacity: number,
): number {
  if (status !== "scraping" || isStopping || isStarting === true) return 0;
  const places = config.limit === undefined ? Infinity : config.limit - counters.completed - counters.leased;
  return Math.max(0, Math.min(capacity, config.maxConcurrency - counters.leased, places));
}

/** Returns the time to retry a failed page; undefined when it has failed permanently. */
export function retryAtMs(
  attempt: number,
  failure: { retryable: boolean; retryAfterMs?: number | undefined },
  nowMs: number,
): number | undefined {
  if (!failure.retryable || attempt >= MAX_ATTEMPTS) return undefined;
  return nowMs + Math.max(failure.retryAfterMs ?? 0, RETRY_DELAYS_MS[attempt - 1] ?? 0);
}

/**
 * Ends the job when no work is left: every URL has a result, the limit of pages is reached, or the credits are used up.
 * Waiting URLs are then skipped. Changes the state in place.
 */
export function settle(state: FrontierState, nowMs: number): void {
  if (state.status !== "scraping" || state.counters.leased > 0) return;
  const { config, counters, seed, firstFailure } = state;
  if (state.isStopping) return endFrontier(state, { status: "completed", rest: "credits" }, nowMs);
  const isFull = config.limit !== undefined && counters.completed >= config.limit;
  const isDone = counters.pending === 0 && (seed === "none" || seed === "done");
  if (!isFull && !isDone) return;
  if (config.failsWhenEmpty && counters.completed === 0 && firstFailure !== undefined) {
    return endFrontier(state, { status: "failed", rest: "limit", error: firstFailure }, nowMs);
  }
  endFrontier(state, { status: "completed", rest: "limit" }, nowMs);
}

/**
 * Ends the job and skips every waiting URL. Pages that are being scraped stay pending until they complete or their
 * lease expires. Changes the state in place.
 */
export function endFrontier(
  state: FrontierState,
  end: { status: JobStatus; rest: FrontierState["rest"]; error?: string },
  nowMs: number,
): void {
  const { counters } = state;
  counters.skipped[end.rest] += counters.pending - counters.leased;
  counters.pending = counters.leased;
  state.status = end.status;
  state.rest = end.rest;
  if (end.error !== undefined) state.error = end.error;
  state.endedAtMs = nowMs;
}

/** Adds to the count of waiting URLs (`count` may be negative). After the job's end, counts them as skipped. */
export function countWaiting({ status, rest, counters }: FrontierState, count: number): void {
  if (status === "scraping") counters.pending += count;
  else counters.skipped[rest] += count;
}

/** Returns the number of further URLs within the limit; URLs beyond it are stored separately. */
export function roomLeft({ status, config, counters, overflow }: FrontierState): number {
  if (status !== "scraping" || overflow.count > 0) return 0;
  return config.limit === undefined ? Infinity : Math.max(0, config.limit - counters.completed - counters.pending);
}

/** Returns the number of skipped URLs for all reasons. */
export function skippedOf({ skipped }: FrontierCounters): number {
  return Object.values(skipped).reduce((sum, count) => sum + count, 0);
}
