import type { ErrorCode } from "../errors.ts";
import { NO_COUNTS, type MeterCounts } from "../account/meter.ts";

/** Where a job stands; the last three are final, except that a batch which is appended to runs again. */
export type JobStatus = "scraping" | "completed" | "failed" | "cancelled";

/** Reasons why a discovered URL was not scraped, besides those of the crawl's rules (`core/crawl/crawl-scope.ts`). */
export type SkipReason = "robots" | "denied" | "duplicate" | "limit" | "cancelled" | "credits" | "filtered";

/** What a webhook can be told about a job. */
export type JobEvent = "check.completed" | "started" | "page" | "action" | "completed" | "failed" | "cancelled";

/** What a job is allowed to do; fixed when it starts. */
export interface FrontierConfig {
  /** Most pages that are scraped; undefined for as many as there are. */
  limit: number | undefined;
  /** Most pages at a time. */
  maxConcurrency: number;
  /** Least time between two pages of one host. */
  delayMs: number;
  /** Whether robots.txt and sitemaps are read before the job can end. */
  hasSeed: boolean;
  /** A crawl of which not even the first page came is a failed one; a batch is the sum of its pages. */
  failsWhenEmpty: boolean;
  /** Events of the job that somebody wants to be told. */
  events: readonly JobEvent[];
  /** Time without a sign of life after which a page goes to someone else. */
  leaseMs: number;
  /** Who pays for the pages; undefined where nobody does. */
  billing?: JobBilling;
  /** The slot that the job takes from the key that pays; undefined where it needs none. */
  slot?: { limit: number; leaseMs: number };
  /** When everything about the job is forgotten. */
  expiresAtMs: number;
}

/** What a job's pages cost, and whom. */
export interface JobBilling {
  keyId: string;
  /** Credits that are set aside for a page before it is begun. */
  creditsPerPage: number;
  /** Credits that the key has a month; undefined for as many as it wants. */
  monthlyCredits: number | undefined;
}

/** Numbers of URLs. `completed + failed + skipped + pending = discovered` after every transition. */
export interface FrontierCounters {
  discovered: number;
  /** Waiting or being scraped. Of a job that has ended: those that were being scraped then and may yet come to an end. */
  pending: number;
  /** Of the pending ones, those that someone is scraping. */
  leased: number;
  completed: number;
  failed: number;
  skipped: Record<SkipReason, number>;
}

/** The frontier's one row of its own; everything else is a URL, a lease or a result. */
export interface FrontierState {
  config: FrontierConfig;
  status: JobStatus;
  /** The job has yet to take its slot; no page is handed out before. */
  isStarting?: boolean;
  /** Why a job that could not begin has failed. */
  error: string | undefined;
  /** What the first page that failed for good failed with. */
  firstFailure: string | undefined;
  /** What the rest of the URLs became when the job ended. */
  rest: Extract<SkipReason, "limit" | "cancelled" | "credits">;
  createdAtMs: number;
  endedAtMs: number | undefined;
  counters: FrontierCounters;
  creditsUsed: number;
  /** Credits that the key was made to pay, as far as that was last confirmed when everything was paid. */
  charged: number;
  /** Nothing more can be paid: what is under way is finished, and then the job ends. */
  isStopping: boolean;
  /** What the job's consumers have counted; absent in states of older versions. */
  costs?: MeterCounts;
  /** What was appended, by the ids of the requests, so that a repeat appends nothing. */
  appended?: string[];
  /** Whether the costs are final. */
  settled?: boolean;
  /** First URL that was never handed out: a row of the queue and a place in it. */
  cursor: { row: number; place: number };
  /** URLs that the limit leaves no room for, as long as no page before them fails: how many, and where they begin. */
  overflow: { count: number; row: number; place: number };
  nextLease: number;
  seed: "none" | "waiting" | "leased" | "done";
  /** Whether the end has been reported to everybody who keeps a record of it. */
  closed: boolean;
}

/** A URL handed out to be scraped. `attempt` tells this time from others. */
export interface FrontierItem {
  key: string;
  url: string;
  depth: number;
  isExternal: boolean;
  attempt: number;
}

/** A URL in scope, as it was discovered. Two with one key are the same page. */
export interface Candidate {
  key: string;
  url: string;
  depth: number;
  isExternal: boolean;
  /** URL of the page that links to it; undefined for what the job started with. */
  parent: string | undefined;
}

/** A URL that the crawl's rules leave out. */
export interface FilteredUrl {
  url: string;
  /** Of a URL that is out of scope only from where it was found; it may be known from elsewhere. */
  key?: string;
  reason: string;
  depth: number;
  parent: string | undefined;
}

/** What became of one item. */
export type PageResult = { key: string; attempt: number } & (
  | {
      kind: "scraped";
      /** Place of the document in its segment, in bytes. */
      offset: number;
      length: number;
      scrapeId: string;
      credits: number;
      /** The page's key after redirects, when it has another one than the item. */
      finalKey?: string;
      finalUrl?: string;
    }
  | { kind: "failed"; code: ErrorCode; error: string; retryable: boolean; retryAfterMs?: number }
  | { kind: "robots"; retryAfterMs?: number }
  | { kind: "denied"; error: string }
  /** Not begun, and not to be counted as an attempt: its host is to be left alone until then. */
  | { kind: "deferred"; retryAtMs: number }
);

/** Attempts after which a page that could pass another time has failed for good. */
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

/** How many URLs may be handed out now, so that neither the limit nor the concurrency is ever passed. */
export function claimable(
  { status, isStarting, isStopping, config, counters }: FrontierState,
  capacity: number,
): number {
  if (status !== "scraping" || isStopping || isStarting === true) return 0;
  const places = config.limit === undefined ? Infinity : config.limit - counters.completed - counters.leased;
  return Math.max(0, Math.min(capacity, config.maxConcurrency - counters.leased, places));
}

/** When to try a failed page again; undefined when it has failed for good. */
export function retryAtMs(
  attempt: number,
  failure: { retryable: boolean; retryAfterMs?: number | undefined },
  nowMs: number,
): number | undefined {
  if (!failure.retryable || attempt >= MAX_ATTEMPTS) return undefined;
  return nowMs + Math.max(failure.retryAfterMs ?? 0, RETRY_DELAYS_MS[attempt - 1] ?? 0);
}

/**
 * Ends the job when nothing is left to do: every URL has its end, or as many pages are scraped as were allowed.
 * Whatever waits then becomes "over the limit". Changes the state in place.
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
 * Gives every waiting URL its reason and the job its end. Pages that are being scraped may come to theirs: they stay
 * pending until then, or until whoever has them is not heard of. Changes the state in place.
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

/** Counts URLs that begin to wait, or end doing so when `count` is negative. After the job's end they are the rest. */
export function countWaiting({ status, rest, counters }: FrontierState, count: number): void {
  if (status === "scraping") counters.pending += count;
  else counters.skipped[rest] += count;
}

/** URLs that the limit has room for beside those that are known; those beyond are kept apart. */
export function roomLeft({ status, config, counters, overflow }: FrontierState): number {
  if (status !== "scraping" || overflow.count > 0) return 0;
  return config.limit === undefined ? Infinity : Math.max(0, config.limit - counters.completed - counters.pending);
}

/** URLs that were not scraped, whatever the reason. */
export function skippedOf({ skipped }: FrontierCounters): number {
  return Object.values(skipped).reduce((sum, count) => sum + count, 0);
}
