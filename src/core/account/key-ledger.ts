import { z } from "zod";
import { RATE_MODES, type RateMode } from "./api-key.ts";
import { earlierCredits, withHeldCredits, withoutHold } from "./credit-holds.ts";
import { currentCredits, currentWindow, nextMonth, runningWindows, WINDOW_MS } from "./ledger-periods.ts";

/** Lifetime of a hold, longer than any request. Work not recorded by then is lost, and its credits are released. */
export const HOLD_MS = 360_000;
/** Time after the last charge at which a job is deleted: results are retained for a year at most. */
const JOB_LIFE_MS = 366 * 86_400_000;

/** A request for admission by the rate limiter and the credit ledger; granted as a whole or not at all. */
export interface AdmitRequest {
  mode: RateMode;
  /** Requests per minute. */
  limit: number;
  /** Credits to charge or reserve now. */
  credits: number;
  /** Credits per calendar month; undefined for no limit. */
  monthlyCredits: number | undefined;
  /** Id of the work that the credits are reserved for until it is recorded; without one they are spent at once. */
  holdId?: string;
}

export interface RateLimitState {
  limit: number;
  remaining: number;
  /** Ms since the epoch at which the window ends. */
  resetAtMs: number;
}

export type Admission =
  | { kind: "admitted"; rate: RateLimitState; remainingCredits: number | undefined }
  | { kind: "rate_limited"; rate: RateLimitState; consumed: number; retryAfterSeconds: number }
  | { kind: "out_of_credits"; rate: RateLimitState; remainingCredits: number };

/** A correction of charged credits: negative refunds, positive charges more. */
export interface CreditChange {
  credits: number;
  monthlyCredits: number | undefined;
  /** Time (ms) at which the credits were charged. Credits of an earlier month are not refunded to this one. */
  chargedAtMs?: number;
}

/** A request to reserve credits for one piece of work. */
export interface HoldRequest {
  /** Id of the work; equals `WorkRecord.requestId` of its record. */
  holdId: string;
  credits: number;
  monthlyCredits: number | undefined;
}

/** Credits of a job's completed pages, and the reservation for running and next pages. */
export interface JobCharge {
  jobId: string;
  /** Credits of completed pages: always charged. */
  settled: number;
  /** Credits to reserve: granted in whole units within the month's budget. */
  reserve: number;
  /** Unit of a partial grant; undefined: all of `reserve` or no more than before. */
  unit: number | undefined;
  /** Credits that the job has recorded as charged; used when the ledger has no entry for the job. */
  charged: number;
  monthlyCredits: number | undefined;
}

export interface SlotRequest {
  jobId: string;
  /** Maximum concurrent jobs. */
  limit: number;
  leaseMs: number;
}

export interface KeyUsage {
  /** Credits used this calendar month. */
  creditsUsed: number;
  periodStartMs: number;
  periodEndMs: number;
  runningJobs: number;
}

const LedgerLease = z.object({
  mode: z.enum(RATE_MODES),
  windowStartMs: z.number(),
  requests: z.number(),
  credits: z.number(),
  atMs: z.number(),
});

/** Usage of one key: requests of the current minute by mode, and credits of the calendar month. */
export const LedgerCounters = z.object({
  windows: z.record(z.string(), z.object({ startMs: z.number(), count: z.number() })).default({}),
  credits: z.object({ periodStartMs: z.number(), used: z.number() }),
  /**
   * Credits of running jobs so far, settled and reserved, so that a repeated charge counts once. `earlier`: the part
   * that was charged before the current month.
   */
  jobs: z
    .record(z.string(), z.object({ total: z.number(), atMs: z.number(), earlier: z.number().optional() }))
    .optional(),
  /** Reserved credits of running work, included in `credits.used`: number and start time. */
  holds: z.record(z.string(), z.tuple([z.number(), z.number()])).optional(),
  /** Of holds over a month's turn: credits that were charged before a month, and the month's start. */
  earlierHolds: z.record(z.string(), z.tuple([z.number(), z.number()])).optional(),
  /** Leases of isolates that have not ended: what each was granted, of which window. Their credits are in `holds`. */
  leases: z.record(z.string(), LedgerLease).optional(),
  /** Time of the latest record of work that these counters include. */
  recordedUpToMs: z.number().optional(),
});
export type LedgerCounters = z.infer<typeof LedgerCounters>;

/** Running jobs with the end of each lease (ms since the epoch). */
export const LedgerSlots = z.record(z.string(), z.number());
export type LedgerSlots = z.infer<typeof LedgerSlots>;

export const NO_COUNTERS: LedgerCounters = { windows: {}, credits: { periodStartMs: 0, used: 0 } };
export const NO_SLOTS: LedgerSlots = {};

/**
 * Counts one request and charges its credits, both or neither.
 * A window is fixed and lasts 60 s from its first request; a refused request is not counted.
 * @returns the same counters when nothing changed, so that the caller need not write.
 */
export function admit(
  before: LedgerCounters,
  request: AdmitRequest,
  nowMs: number,
): { admission: Admission; counters: LedgerCounters } {
  const counters = withoutLostHolds(before, nowMs);
  const window = currentWindow(counters, request.mode, nowMs);
  const credits = currentCredits(counters, nowMs);
  const resetAtMs = window.startMs + WINDOW_MS;
  const rate = { limit: request.limit, remaining: Math.max(0, request.limit - window.count), resetAtMs };

  if (rate.remaining === 0) {
    const retryAfterSeconds = Math.max(1, Math.ceil((resetAtMs - nowMs) / 1000));
    return { admission: { kind: "rate_limited", rate, consumed: window.count, retryAfterSeconds }, counters };
  }
  if (isOverBudget(credits.used, request)) {
    const remainingCredits = remaining(request.monthlyCredits, credits.used) ?? 0;
    return { admission: { kind: "out_of_credits", rate, remainingCredits }, counters };
  }

  const held = holdCredits({ ...counters, credits }, request, nowMs);
  const { used } = held.credits;
  return {
    admission: {
      kind: "admitted",
      rate: { ...rate, remaining: rate.remaining - 1 },
      remainingCredits: remaining(request.monthlyCredits, used),
    },
    counters: {
      ...held,
      windows: { ...runningWindows(counters, nowMs), [request.mode]: { ...window, count: window.count + 1 } },
    },
  };
}

/** Charges or reserves an admitted request's credits; once for the same work. */
function holdCredits(counters: LedgerCounters, request: AdmitRequest, nowMs: number): LedgerCounters {
  const { holdId, credits: wanted } = request;
  if (holdId === undefined || wanted === 0) {
    return { ...counters, credits: { ...counters.credits, used: counters.credits.used + wanted } };
  }
  const { counters: free } = settleHold(counters, { holdId, credits: 0 }, nowMs);
  return withHold(free, { holdId, credits: wanted }, nowMs);
}

function withHold(
  counters: LedgerCounters,
  { holdId, credits }: { holdId: string; credits: number },
  nowMs: number,
): LedgerCounters {
  const { periodStartMs, used } = counters.credits;
  const held = withHeldCredits(counters, { holdId, credits, atMs: Math.max(nowMs, periodStartMs), periodStartMs });
  return { ...held, credits: { periodStartMs, used: used + credits } };
}

/**
 * Reserves credits for a piece of work, in addition to its existing reservation.
 * @returns `done: false`, with nothing reserved, when too few credits are left.
 */
export function addHold(
  before: LedgerCounters,
  request: HoldRequest,
  nowMs: number,
): { done: boolean; counters: LedgerCounters } {
  const counters = withoutLostHolds(before, nowMs);
  const current = { ...counters, credits: currentCredits(counters, nowMs) };
  if (request.credits <= 0) return { done: true, counters };
  if (isOverBudget(current.credits.used, request)) return { done: false, counters };
  return { done: true, counters: withHold(current, request, nowMs) };
}

/**
 * Ends a hold: charges the work's cost and releases the rest. Work whose hold was lost is charged too.
 * @returns whether the hold existed; the same counters when nothing changes.
 */
export function settleHold(
  counters: LedgerCounters,
  { holdId, credits: owed }: { holdId: string; credits: number },
  nowMs: number,
): { wasHeld: boolean; counters: LedgerCounters } {
  const hold = counters.holds?.[holdId];
  if (hold === undefined && owed === 0) return { wasHeld: false, counters };
  const credits = currentCredits(counters, nowMs);
  const held = hold?.[0] ?? 0;
  // Credits reserved in an earlier month are not released to this one.
  const earlier = earlierCredits(counters, { holdId, periodStartMs: credits.periodStartMs });
  const change = earlier === 0 ? owed - held : Math.max(0, owed - earlier) - (held - earlier);
  const used = Math.max(0, credits.used + change);
  return { wasHeld: hold !== undefined, counters: { ...withoutHold(counters, holdId), credits: { ...credits, used } } };
}

/** Releases the credits of work that was not recorded in time, and of leases that were not returned. */
export function withoutLostHolds(counters: LedgerCounters, nowMs: number): LedgerCounters {
  const lost = Object.entries(counters.holds ?? {}).filter(([, [, atMs]]) => nowMs >= atMs + HOLD_MS);
  let rest = counters;
  const leases = Object.entries(counters.leases ?? {}).filter(([, { atMs }]) => nowMs < atMs + HOLD_MS);
  if (leases.length < Object.keys(counters.leases ?? {}).length) {
    rest = { ...rest, leases: Object.fromEntries(leases) };
  }
  for (const [holdId] of lost) rest = settleHold(rest, { holdId, credits: 0 }, nowMs).counters;
  return rest;
}

/** Returns the credits that are charged or reserved this month, those of leases included. */
export function chargedCredits(counters: LedgerCounters, nowMs: number): number {
  return currentCredits(withoutLostHolds(counters, nowMs), nowMs).used;
}

/** Returns the credits reserved for running work. */
export function heldCredits(counters: LedgerCounters, nowMs: number): number {
  const { holds = {} } = withoutLostHolds(counters, nowMs);
  return Object.values(holds).reduce((sum, [credits]) => sum + credits, 0);
}

/**
 * Charges more credits for a request or refunds some.
 * @returns `done: false`, with nothing charged, when too few credits are left.
 */
export function adjustCredits(
  before: LedgerCounters,
  change: CreditChange,
  nowMs: number,
): { done: boolean; counters: LedgerCounters } {
  const counters = withoutLostHolds(before, nowMs);
  const credits = currentCredits(counters, nowMs);
  const isOfEarlierMonth = change.chargedAtMs !== undefined && change.chargedAtMs < credits.periodStartMs;
  if (change.credits === 0 || (change.credits < 0 && isOfEarlierMonth)) return { done: true, counters };
  if (change.credits > 0 && isOverBudget(credits.used, change)) return { done: false, counters };
  const used = Math.max(0, credits.used + change.credits);
  return {
    done: true,
    counters: { ...counters, windows: runningWindows(counters, nowMs), credits: { ...credits, used } },
  };
}

/**
 * Sets a job's credits to the cost of its pages plus its reservation. The numbers are totals and not changes: repeated
 * or late charges, also after a crash, give the same result, and the next charge releases the credits of lost pages.
 * @returns the number of reserved credits.
 */
export function chargeJob(
  ledger: LedgerCounters,
  { jobId, settled, reserve, unit, charged, monthlyCredits }: JobCharge,
  nowMs: number,
): { reserved: number; counters: LedgerCounters } {
  const counters = withoutLostHolds(ledger, nowMs);
  const credits = currentCredits(counters, nowMs);
  const entry = counters.jobs?.[jobId];
  const before = entry?.total ?? charged;
  const earlier = chargedEarlier(entry, { charged, periodStartMs: credits.periodStartMs });
  // Credits of an earlier month stay there: they are neither refunded to this one nor charged again.
  const ofMonth = (total: number) => Math.max(0, total - earlier);
  const usedByOthers = credits.used - ofMonth(before);
  const budget = monthlyCredits === undefined ? Infinity : Math.max(0, monthlyCredits - usedByOthers);
  const left = Math.max(0, budget + earlier - settled);
  const asBefore = Math.min(reserve, Math.max(0, before - settled));
  const affordable = unit === undefined ? Math.min(left, asBefore) : Math.floor(left / Math.max(1, unit)) * unit;
  const reserved = reserve <= left ? reserve : affordable;
  const total = settled + reserved;
  if (entry?.total === total && credits === counters.credits) return { reserved, counters };
  const used = Math.max(0, usedByOthers + ofMonth(total));
  const atMs = Math.max(nowMs, credits.periodStartMs);
  const jobs = { ...counters.jobs, [jobId]: { total, atMs, ...(earlier > 0 ? { earlier } : {}) } };
  return {
    reserved,
    counters: {
      ...counters,
      windows: runningWindows(counters, nowMs),
      credits: { ...credits, used },
      jobs: livingJobs(jobs, nowMs),
    },
  };
}

/** Returns the credits of a job that were charged before the current month; all that are charged, without an entry. */
function chargedEarlier(
  entry: NonNullable<LedgerCounters["jobs"]>[string] | undefined,
  { charged, periodStartMs }: { charged: number; periodStartMs: number },
): number {
  if (entry === undefined) return charged;
  return entry.atMs < periodStartMs ? entry.total : (entry.earlier ?? 0);
}

/** Deletes the entry of a job that has ended and has recorded its charges. */
export function forgetJob(counters: LedgerCounters, jobId: string): LedgerCounters {
  if (counters.jobs === undefined || !Object.hasOwn(counters.jobs, jobId)) return counters;
  const { [jobId]: _over, ...jobs } = counters.jobs;
  return { ...counters, jobs };
}

function livingJobs(jobs: NonNullable<LedgerCounters["jobs"]>, nowMs: number): LedgerCounters["jobs"] {
  return Object.fromEntries(Object.entries(jobs).filter(([, { atMs }]) => nowMs - atMs < JOB_LIFE_MS));
}

/** Takes one of `limit` slots, or renews the lease of the job's slot. */
export function takeSlot(
  slots: LedgerSlots,
  { jobId, limit, leaseMs }: SlotRequest,
  nowMs: number,
): { taken: boolean; slots: LedgerSlots } {
  const running = runningSlots(slots, nowMs);
  const isHeld = Object.hasOwn(running, jobId);
  if (!isHeld && Object.keys(running).length >= limit) return { taken: false, slots };
  return { taken: true, slots: { ...running, [jobId]: nowMs + leaseMs } };
}

/** Releases a job's slot; returns the same slots when the job has none. */
export function releaseSlot(slots: LedgerSlots, jobId: string, nowMs: number): LedgerSlots {
  if (!Object.hasOwn(slots, jobId)) return slots;
  const { [jobId]: _released, ...rest } = slots;
  return runningSlots(rest, nowMs);
}

export function keyUsage(counters: LedgerCounters, slots: LedgerSlots, nowMs: number): KeyUsage {
  const known = withoutLostHolds(counters, nowMs);
  const { periodStartMs, used } = currentCredits(known, nowMs);
  return {
    creditsUsed: Math.max(0, used - leasedCredits(known, periodStartMs)),
    periodStartMs,
    periodEndMs: nextMonth(periodStartMs),
    runningJobs: Object.keys(runningSlots(slots, nowMs)).length,
  };
}

/** Returns the credits of this month that leases hold, of which nobody knows yet whether they will be used. */
function leasedCredits({ leases = {}, holds = {} }: LedgerCounters, periodStartMs: number): number {
  let sum = 0;
  for (const leaseId of Object.keys(leases)) {
    const [credits, atMs] = holds[leaseId] ?? [0, 0];
    if (atMs >= periodStartMs) sum += credits;
  }
  return sum;
}

function isOverBudget(used: number, asked: { credits: number; monthlyCredits: number | undefined }): boolean {
  return asked.monthlyCredits !== undefined && asked.credits > 0 && used + asked.credits > asked.monthlyCredits;
}

export function remaining(monthlyCredits: number | undefined, used: number): number | undefined {
  return monthlyCredits === undefined ? undefined : Math.max(0, monthlyCredits - used);
}

function runningSlots(slots: LedgerSlots, nowMs: number): LedgerSlots {
  return Object.fromEntries(Object.entries(slots).filter(([, leaseEndsAtMs]) => nowMs < leaseEndsAtMs));
}
