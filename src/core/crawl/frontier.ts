import { z } from "zod";
import type { ErrorCode } from "../errors.ts";
import { lastMomentOf } from "./frontier-life.ts";
import { OVERDUE } from "../jobs/job-life.ts";
import { PageTimes } from "../jobs/page-times.ts";
import { MeterCounts, NO_COUNTS } from "../account/meter.ts";
import { ChangeCounts, NO_CHANGES, type EarlierPage, type PageChange, type PageVersion } from "./page-version.ts";

/** Statuses of a job. The last three are final, except that a batch runs again when URLs are appended. */
export const JOB_STATUSES = ["scraping", "completed", "failed", "cancelled"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Reasons why a discovered URL was not scraped, besides those of the crawl's rules (`core/crawl/crawl-scope.ts`). */
export type SkipReason = "robots" | "denied" | "duplicate" | "limit" | "cancelled" | "credits" | "filtered";

/** Webhook events of a job. */
export const JOB_EVENTS = [
  "check.completed",
  "started",
  "page",
  "page.failed",
  "page.removed",
  "action",
  "completed",
  "failed",
  "cancelled",
] as const;
export type JobEvent = (typeof JOB_EVENTS)[number];

/** Price of a job's pages, and the key that pays. */
export const JobBilling = z.object({
  keyId: z.string(),
  /** Credits reserved for a page before it begins. */
  creditsPerPage: z.number(),
  /** Credits of the key per calendar month; undefined for no limit. */
  monthlyCredits: z.number().optional(),
  /** True for a job that reserves the credits of all its pages before it starts; otherwise as it leases them. */
  reservesAll: z.boolean().optional(),
});
export type JobBilling = z.infer<typeof JobBilling>;

/** Limits and options of a job; fixed when it starts. */
export const FrontierConfig = z.object({
  /** Maximum number of pages; undefined for no limit. */
  limit: z.number().optional(),
  /** Maximum number of concurrent pages. */
  maxConcurrency: z.number(),
  /** Minimum time between two pages of one host. */
  delayMs: z.number().default(0),
  /** True when robots.txt and sitemaps are read before the job can end. */
  hasSeed: z.boolean(),
  /** True when the job fails if no page was scraped: for a crawl, but not for a batch. */
  failsWhenEmpty: z.boolean().default(false),
  /** Events for which the job has a webhook. */
  events: z.array(z.enum(JOB_EVENTS)).readonly(),
  /** Time without a heartbeat after which a lease expires. */
  leaseMs: z.number(),
  /** Billing of the pages; undefined when no key is charged. */
  billing: JobBilling.optional(),
  /** Job slot to take from the paying key; undefined when none is needed. */
  slot: z.object({ limit: z.number(), leaseMs: z.number() }).optional(),
  /** Time at which all data of the job is deleted, unless it takes long (`expiryOf`). */
  expiresAtMs: z.number(),
  /** The earlier job that an incremental crawl continues, and the documents that it lists. */
  since: z.object({ jobId: z.string(), output: z.enum(["all", "changes"]) }).optional(),
});
export type FrontierConfig = z.infer<typeof FrontierConfig>;

const skips = () => z.number().default(0);

/** Numbers of URLs. `completed + failed + skipped + pending = discovered` after every transition. */
export const FrontierCounters = z.object({
  discovered: z.number(),
  /** Waiting or being scraped. After the job's end: those that were being scraped then and may still complete. */
  pending: z.number(),
  /** Pending URLs that are being scraped. */
  leased: z.number(),
  completed: z.number(),
  failed: z.number(),
  skipped: z.object({
    robots: skips(),
    denied: skips(),
    duplicate: skips(),
    limit: skips(),
    cancelled: skips(),
    credits: skips(),
    filtered: skips(),
  } satisfies Record<SkipReason, unknown>),
});
export type FrontierCounters = z.infer<typeof FrontierCounters>;

/** State of the comparison with the earlier job, for incremental crawls. */
export const ComparisonState = z.object({
  /** The pages of the earlier job that this one has not found are listed at the end, under a lease. */
  status: z.enum(["waiting", "leased", "done"]),
  /** Leases of the comparison that have expired since its last progress. */
  lost: z.number().optional(),
  /** True when the comparison was given up: it is done, and its list is incomplete. */
  isAborted: z.boolean().optional(),
  /** Key of the last page of the earlier job that was looked for; empty at the start. */
  after: z.string(),
  /** True when a sitemap could not be read: its pages are then not known to be removed. */
  lacksSitemap: z.boolean().optional(),
  /** Removed pages among the counted ones that were not found. */
  notFound: z.number(),
  counts: ChangeCounts,
});
export type ComparisonState = z.infer<typeof ComparisonState>;

/** Deletion of a closed job before its expiry. */
export const Forgetting = z.object({
  /** Time from which the job's object asks for it (Unix time in ms). */
  atMs: z.number(),
  /** Creation of the job (Unix time in ms), whose day is a part of the keys of its documents. */
  createdAtMs: z.number(),
});
export type Forgetting = z.infer<typeof Forgetting>;

/** State of the frontier, stored in one row; all other rows are URLs, leases or results. */
export const FrontierState = z.object({
  config: FrontierConfig,
  status: z.enum(JOB_STATUSES),
  /** True until the job has taken its slot; no page is leased before. */
  isStarting: z.boolean().optional(),
  /** Error of a job that failed. */
  error: z.string().optional(),
  /** Error of the first page that failed permanently. */
  firstFailure: z.string().optional(),
  /** Skip reason of the URLs that were waiting when the job ended. */
  rest: z.enum(["limit", "cancelled", "credits"]).default("limit"),
  createdAtMs: z.number(),
  /** Time at which the job last ran again after an end. */
  restartedAtMs: z.number().optional(),
  endedAtMs: z.number().optional(),
  counters: FrontierCounters,
  /** Times at which pages were completed; absent in states of older versions. */
  pageTimes: PageTimes.optional(),
  creditsUsed: z.number(),
  /** Credits charged to the key, as last confirmed when everything was paid. */
  charged: z.number().default(0),
  /** Credits that leased pages have reserved beyond those of one page, by key. Absent for none. */
  raised: z.record(z.string(), z.number()).optional(),
  /** True when the credits are used up: running pages are finished, then the job ends. */
  isStopping: z.boolean().default(false),
  /** Counts of the job's consumers; absent in states of older versions. */
  costs: MeterCounts.optional(),
  /** Ids of append requests, so that a repeated request appends nothing. */
  appended: z.array(z.string()).optional(),
  /** Retries of the failed URLs: the id of each request, and the numbers that it has returned. */
  retries: z.array(z.object({ id: z.string(), retried: z.number(), failed: z.number() })).optional(),
  /** True when the costs are final. */
  settled: z.boolean().optional(),
  /** First URL that was never leased: a row of the queue and a position in it. */
  cursor: z.object({ row: z.number(), place: z.number() }),
  /** URLs beyond the limit, used only if earlier pages fail: their number, and the position of the first one. */
  overflow: z
    .object({ count: z.number(), row: z.number(), place: z.number() })
    .prefault({ count: 0, row: 0, place: 0 }),
  nextLease: z.number(),
  /** Seat of the next URL that is found. */
  nextSeat: z.number().optional(),
  seed: z.enum(["none", "waiting", "leased", "done"]),
  /** True when the job's end has been recorded everywhere. */
  closed: z.boolean(),
  /** Deletion of a job with zero data retention; absent for others, and in states of older versions. */
  forgetting: Forgetting.optional(),
  /** Hashes of the last reports with costs: a report is repeated when its answer was lost. */
  reports: z.array(z.number()).optional(),
  /** Number of documents that were handed over, from the first one on and without a gap, of a job that is not retained. */
  read: z.number().optional(),
  /** Sitemaps that were not read, in words; absent when there are none, and in states of older versions. */
  sitemapProblems: z.array(z.string()).optional(),
  /** Pages that failed because the key cannot pay for what they cost beyond the price of a page. */
  refusals: z.number().optional(),
  /** Worker runs that ended while they read the sitemaps. */
  lostSeeds: z.number().optional(),
  /** True when more URLs were found than are listed; absent in states of older versions. */
  isListCut: z.boolean().optional(),
  comparison: ComparisonState.optional(),
  /** Time until which a later crawl needs this job's versions, if it is after the expiry. */
  heldUntilMs: z.number().optional(),
});
export type FrontierState = z.infer<typeof FrontierState>;

/** A leased URL. `attempt` distinguishes this attempt from others. */
export interface FrontierItem {
  key: string;
  url: string;
  depth: number;
  isExternal: boolean;
  attempt: number;
  /** Attempts that ended with a lost lease, and say nothing about the page. Absent for none. */
  lost?: number;
  /** `lastmod` of the page in the sitemap, as written there. */
  sitemapDate?: string;
}

/** A discovered URL in scope. Candidates with equal keys are the same page. */
export interface Candidate {
  key: string;
  url: string;
  depth: number;
  isExternal: boolean;
  /** URL of the page that links to it; undefined for the job's first URLs. */
  parent: string | undefined;
  /** `lastmod` of the page in the sitemap, as written there. */
  sitemapDate?: string;
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

/** Location of links: an entry of a compressed list. Without an object, in that of the batch. */
export interface StoredLinks {
  object?: string;
  offset: number;
  length: number;
  index: number;
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
      /** Length of the metadata at the end of the document, in bytes. */
      metadataBytes?: number;
      version?: PageVersion;
      /** Location of the page's links in the object of the batch, or of the earlier job. */
      links?: StoredLinks;
      /** Object of an earlier job whose document is that of the page: `offset` and `length` are places in it. */
      object?: string;
      change?: PageChange;
      /** How the page was found to be unchanged or removed. */
      changeDetail?: string;
      /** Scrape of the earlier document, and the chunks that the page no longer has. */
      removed?: { scrapeId: string; chunks: string[] };
      /** The page as the earlier job has it, when this load says nothing about its content. */
      carried?: EarlierPage;
    }
  | {
      kind: "failed";
      code: ErrorCode;
      error: string;
      retryable: boolean;
      retryAfterMs?: number;
      carried?: EarlierPage;
    }
  | { kind: "robots"; retryAfterMs?: number }
  | { kind: "denied"; error: string }
  /** Not begun and not counted as an attempt: the host must not be requested before `retryAtMs`. */
  | { kind: "deferred"; retryAtMs: number }
);

const NO_SKIPS: Record<SkipReason, number> = {
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
    ...(config.since === undefined ? {} : { comparison: newComparison() }),
  };
}

function newComparison(): ComparisonState {
  return { status: "waiting", after: "", notFound: 0, counts: { ...NO_CHANGES } };
}

/**
 * Returns the number of URLs that may be leased now without exceeding the limit or the concurrency.
 * @param unreported leased URLs that are not being scraped: their pages are done and not reported yet, or not begun.
 */
export function claimable(
  { status, isStarting, isStopping, config, counters, seed }: FrontierState,
  capacity: number,
  unreported = 0,
): number {
  if (status !== "scraping" || isStopping || isStarting === true) return 0;
  // The sitemap may state that pages have not changed, which then need no request.
  if (config.since !== undefined && seed === "leased") return 0;
  const places = config.limit === undefined ? Infinity : config.limit - counters.completed - counters.leased;
  const active = Math.max(0, counters.leased - unreported);
  return Math.max(0, Math.min(capacity, config.maxConcurrency - active, places));
}

/** Reports whether the earlier job's pages that were not found can be listed: every URL of this job has its result. */
export function isComparisonDue(state: FrontierState): boolean {
  return state.status === "scraping" && state.comparison?.status === "waiting" && isReadToEnd(state);
}

function isReadToEnd({ isStopping, counters, seed }: FrontierState): boolean {
  return !isStopping && counters.leased === 0 && counters.pending === 0 && (seed === "none" || seed === "done");
}

/**
 * Ends the job when no work is left: every URL has a result, the limit of pages is reached, or the credits are used up; and
 * when its time is over. Waiting URLs are then skipped. Changes the state in place.
 */
export function settle(state: FrontierState, nowMs: number): void {
  if (state.status !== "scraping") return;
  if (nowMs >= lastMomentOf(state)) return endWithPages(state, nowMs, OVERDUE);
  if (state.counters.leased > 0) return;
  const { config, counters, seed, firstFailure } = state;
  if (state.isStopping) return endFrontier(state, { status: "completed", rest: "credits" }, nowMs);
  const isFull = config.limit !== undefined && counters.completed >= config.limit;
  const isDone = counters.pending === 0 && (seed === "none" || seed === "done");
  if (!isFull && !isDone) return;
  const hasFailed = config.failsWhenEmpty && counters.completed === 0 && firstFailure !== undefined;
  const waits = state.comparison !== undefined && state.comparison.status !== "done" && isReadToEnd(state);
  if (hasFailed || !waits) endWithPages(state, nowMs);
}

/** Ends the job as completed, or as failed when it must have a page and has none. */
function endWithPages(state: FrontierState, nowMs: number, overdue?: string): void {
  const { config, counters, firstFailure: error = overdue } = state;
  const hasFailed = config.failsWhenEmpty && counters.completed === 0 && error !== undefined;
  endFrontier(state, { rest: "limit", ...(hasFailed ? { status: "failed", error } : { status: "completed" }) }, nowMs);
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

/** Returns whether the job has ended with no lease left, and its end is not reported yet. */
export function isToClose({ status, closed, counters }: FrontierState): boolean {
  return status !== "scraping" && !closed && counters.leased === 0;
}
