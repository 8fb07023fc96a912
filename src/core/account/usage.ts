import { z } from "zod";
import { Attempt } from "../scrape/attempt.ts";
import { NO_RECEIPT, combineReceipts, StoredReceipt, type Receipt } from "./receipt.ts";

/** Record of one completed piece of work of a key. */
export interface WorkRecord {
  /** Id of the request: a repeated record counts once. */
  requestId: string;
  /** Id of the scrape, job or session. */
  id: string;
  endpoint: string;
  apiVersion: "v1" | "v2";
  /** The URL or the query; null where none may be stored. */
  target: string | null;
  ms: number;
  hasFailed: boolean;
  /** User agent of the request, cut. */
  client?: string | undefined;
  pages: number;
  receipt: Receipt;
  /** Engine that loaded the page. */
  engine?: string | undefined;
  /** Code and message of a failure. */
  code?: string | undefined;
  error?: string | undefined;
  /** The engines that were tried, of a page that did not load. */
  attempts?: readonly Attempt[] | undefined;
  /** Durations of the steps, as in the `Server-Timing` header. */
  timing?: string | undefined;
  /** Lease that the work was admitted from, and the credits that it took of it. */
  lease?: { id: string; credits: number } | undefined;
  /** True for work that an earlier run may have recorded: it is recorded only while its credits are still held. */
  onlyHeld?: boolean | undefined;
}

/** Totals of a job so far. Records of the same job replace each other. */
export interface JobRecordOfWork {
  jobId: string;
  endpoint: string;
  /** Creation time; the job counts for this day. */
  createdAtMs: number;
  pages: number;
  hasFailed: boolean;
  receipt: Receipt;
  /** URL that the job is about, for sums by host; absent where none may be stored. */
  target?: string | undefined;
}

/** Sums over many pieces of work. */
export const UsageTotals = z.object({
  requests: z.number(),
  errors: z.number(),
  pages: z.number(),
  receipt: StoredReceipt,
  /** Number of requests by duration bucket (`latencyBucket`). */
  latency: z.record(z.string(), z.number()).default({}),
});
export type UsageTotals = z.infer<typeof UsageTotals>;

export interface UsageRow {
  /** `2026-11-21`, UTC. */
  day: string;
  endpoint: string;
  totals: UsageTotals;
}

/** One entry of the activity list. */
export const ActivityEntry = z.object({
  id: z.string(),
  endpoint: z.string(),
  apiVersion: z.enum(["v1", "v2"]),
  target: z.string().nullable(),
  atMs: z.number(),
  ms: z.number(),
  credits: z.number(),
  hasFailed: z.boolean(),
  /** User agent of the request, cut. Absent for work without a request of its own. */
  client: z.string().optional(),
  engine: z.string().optional(),
  code: z.string().optional(),
  error: z.string().optional(),
  /** The engines that were tried, of a page that did not load. */
  attempts: z.array(Attempt).optional(),
  timing: z.string().optional(),
  /** Estimated cost in dollars, and the time and bytes that it comes from. */
  cost: z.object({ dollars: z.number(), cpuMs: z.number(), browserMs: z.number(), bytes: z.number() }).optional(),
});
export type ActivityEntry = z.infer<typeof ActivityEntry>;

/** Position in the activity list: the next page begins below this entry. */
export interface ActivityCursor {
  atMs: number;
  id: string;
}

export const NO_USAGE: UsageTotals = { requests: 0, errors: 0, pages: 0, receipt: NO_RECEIPT, latency: {} };

/** Four buckets per doubling, so a bucket is 19 % wide; the first one covers durations up to 1 ms. */
const BUCKETS_A_DOUBLING = 4;

function latencyBucket(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log2(ms) * BUCKETS_A_DOUBLING);
}

/** Returns the longest duration (ms) of a bucket. */
function bucketLimitMs(bucket: number): number {
  return 2 ** (bucket / BUCKETS_A_DOUBLING);
}

export function totalsOf(record: Pick<WorkRecord, "hasFailed" | "pages" | "receipt" | "ms">): UsageTotals {
  const { hasFailed, pages, receipt, ms } = record;
  return { requests: 1, errors: hasFailed ? 1 : 0, pages, receipt, latency: { [latencyBucket(ms)]: 1 } };
}

/** Returns the totals that a job adds: its request was counted when it started. */
export function totalsOfJob({ pages, hasFailed, receipt }: JobRecordOfWork): UsageTotals {
  return { requests: 0, errors: hasFailed ? 1 : 0, pages, receipt, latency: {} };
}

/** Combines totals field by field: `left + sign × right`. */
export function combineUsage(left: UsageTotals, right: UsageTotals, sign: 1 | -1 = 1): UsageTotals {
  const latency = { ...left.latency };
  for (const [bucket, count] of Object.entries(right.latency)) latency[bucket] = (latency[bucket] ?? 0) + sign * count;
  return {
    requests: left.requests + sign * right.requests,
    errors: left.errors + sign * right.errors,
    pages: left.pages + sign * right.pages,
    receipt: combineReceipts(left.receipt, right.receipt, sign),
    latency,
  };
}

/**
 * Returns a quantile of the durations (ms), accurate to within a bucket: interpolates linearly within the histogram's
 * bucket. Undefined without requests.
 * @param share between 0 and 1.
 */
export function latencyQuantile({ latency }: UsageTotals, share: number): number | undefined {
  const buckets = Object.entries(latency)
    .map(([bucket, count]): [number, number] => [Number(bucket), count])
    .toSorted(([left], [right]) => left - right);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return undefined;
  let before = 0;
  for (const [bucket, count] of buckets) {
    if (before + count >= share * total) {
      const fromMs = bucket === 0 ? 0 : bucketLimitMs(bucket - 1);
      const part = (share * total - before) / count;
      return Math.round(fromMs + (bucketLimitMs(bucket) - fromMs) * part);
    }
    before += count;
  }
  return undefined;
}

/** Compares entries: newest first, and at the same time by id, descending. */
export function compareActivity(left: ActivityCursor, right: ActivityCursor): number {
  if (left.atMs !== right.atMs) return right.atMs - left.atMs;
  return left.id < right.id ? 1 : left.id > right.id ? -1 : 0;
}
