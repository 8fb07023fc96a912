import type { RateMode } from "./api-key.ts";

const WINDOW_MS = 60_000;
/** Work that is not written down by then is lost, and its credits go back. No request takes as long. */
export const HOLD_MS = 360_000;
/** A job that was not heard of for this long is never heard of again: its results were kept for a year at most. */
const JOB_LIFE_MS = 366 * 86_400_000;

/** What a request asks of its key's counters; all of it is granted or nothing. */
export interface AdmitRequest {
  mode: RateMode;
  /** Requests a minute. */
  limit: number;
  /** Credits to take now. */
  credits: number;
  /** Credits a calendar month; undefined for no limit. */
  monthlyCredits: number | undefined;
  /** The work that the credits are held for, until it is written down; without one they are spent at once. */
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

/** A correction of credits that were taken: negative gives back, positive takes more. */
export interface CreditChange {
  credits: number;
  monthlyCredits: number | undefined;
  /** When the credits were taken (ms). What an earlier month paid is not given back to this one. */
  chargedAtMs?: number;
}

/** Credits that are set aside for one piece of work. */
export interface HoldRequest {
  /** Of the work; `WorkRecord.requestId` when it is written down. */
  holdId: string;
  credits: number;
  monthlyCredits: number | undefined;
}

/** What a job's pages have come to, and what is to be set aside for those that are under way or about to begin. */
export interface JobCharge {
  jobId: string;
  /** Credits of pages that are done: taken in any case. */
  settled: number;
  /** Credits to set aside: granted in whole units as far as the month's budget goes. */
  reserve: number;
  /** Undefined: all of it or no more than before. */
  unit: number | undefined;
  /** What the job knows that it has paid; holds when the gate has not heard of the job, or not since it was over. */
  charged: number;
  monthlyCredits: number | undefined;
}

export interface SlotRequest {
  jobId: string;
  /** Jobs at a time. */
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

/** What one key has used: requests of the running minute by mode, and credits of the calendar month. */
export interface GateCounters {
  windows: Partial<Record<RateMode, { startMs: number; count: number }>>;
  credits: { periodStartMs: number; used: number };
  /** What running jobs have taken so far, settled and set aside, so that telling a number twice takes it once. */
  jobs?: Record<string, { total: number; atMs: number }>;
  /** Credits of work that is under way, which `credits.used` contains: how many, and since when. */
  holds?: Record<string, [credits: number, atMs: number]>;
}

/** Running jobs, and when (ms since the epoch) each one's lease ends. */
export type GateSlots = Record<string, number>;

export const NO_COUNTERS: GateCounters = { windows: {}, credits: { periodStartMs: 0, used: 0 } };
export const NO_SLOTS: GateSlots = {};

/**
 * Counts one request and takes its credits, both or neither.
 * A window is fixed and lasts 60 s from the first request in it; a refused request is not counted.
 * @returns the same counters when nothing was taken, so that the caller need not write.
 */
export function admit(
  before: GateCounters,
  request: AdmitRequest,
  nowMs: number,
): { admission: Admission; counters: GateCounters } {
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

/** Takes an admitted request's credits. Asked twice for the same work, they are taken once. */
function holdCredits(counters: GateCounters, request: AdmitRequest, nowMs: number): GateCounters {
  const { holdId, credits: wanted } = request;
  if (holdId === undefined || wanted === 0) {
    return { ...counters, credits: { ...counters.credits, used: counters.credits.used + wanted } };
  }
  const { counters: free } = settleHold(counters, { holdId, credits: 0 }, nowMs);
  return withHold(free, { holdId, credits: wanted }, nowMs);
}

function withHold(
  counters: GateCounters,
  { holdId, credits }: { holdId: string; credits: number },
  nowMs: number,
): GateCounters {
  const known = counters.holds?.[holdId];
  const { used } = counters.credits;
  return {
    ...counters,
    credits: { ...counters.credits, used: used + credits },
    holds: { ...counters.holds, [holdId]: [(known?.[0] ?? 0) + credits, known?.[1] ?? nowMs] },
  };
}

/**
 * Sets credits aside for a piece of work, beside what is set aside for it already.
 * @returns `done: false` with nothing taken when more was asked for than is left.
 */
export function addHold(
  before: GateCounters,
  request: HoldRequest,
  nowMs: number,
): { done: boolean; counters: GateCounters } {
  const counters = withoutLostHolds(before, nowMs);
  const current = { ...counters, credits: currentCredits(counters, nowMs) };
  if (request.credits <= 0) return { done: true, counters };
  if (isOverBudget(current.credits.used, request)) return { done: false, counters };
  return { done: true, counters: withHold(current, request, nowMs) };
}

/**
 * Ends a hold: what the work came to is spent, and the rest goes back. Work whose hold was lost is spent all the same.
 * @returns whether there was such a hold; the same counters when nothing changes.
 */
export function settleHold(
  counters: GateCounters,
  { holdId, credits: owed }: { holdId: string; credits: number },
  nowMs: number,
): { wasHeld: boolean; counters: GateCounters } {
  const hold = counters.holds?.[holdId];
  if (hold === undefined && owed === 0) return { wasHeld: false, counters };
  const credits = currentCredits(counters, nowMs);
  const [held, atMs] = hold ?? [0, nowMs];
  // What an earlier month holds is not given back to this one.
  const change = atMs < credits.periodStartMs ? Math.max(0, owed - held) : owed - held;
  const { [holdId]: _settled, ...holds } = counters.holds ?? {};
  return {
    wasHeld: hold !== undefined,
    counters: { ...counters, credits: { ...credits, used: Math.max(0, credits.used + change) }, holds },
  };
}

/** Gives back what is held for work that was not written down in time. */
function withoutLostHolds(counters: GateCounters, nowMs: number): GateCounters {
  const lost = Object.entries(counters.holds ?? {}).filter(([, [, atMs]]) => nowMs >= atMs + HOLD_MS);
  let rest = counters;
  for (const [holdId] of lost) rest = settleHold(rest, { holdId, credits: 0 }, nowMs).counters;
  return rest;
}

/** Credits that are held for work that is under way. */
export function heldCredits(counters: GateCounters, nowMs: number): number {
  const { holds = {} } = withoutLostHolds(counters, nowMs);
  return Object.values(holds).reduce((sum, [credits]) => sum + credits, 0);
}

/**
 * Takes more credits for a request or gives some back.
 * @returns `done: false` with the same counters when more was asked for than is left.
 */
export function adjustCredits(
  counters: GateCounters,
  change: CreditChange,
  nowMs: number,
): { done: boolean; counters: GateCounters } {
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
 * Brings what a job has taken to what its pages came to and what it needs to go on. The numbers are totals and not
 * changes: told twice, late or after a crash they come to the same, and what was set aside for pages that were lost goes
 * back with the next number.
 * @returns how many credits are set aside.
 */
export function chargeJob(
  counters: GateCounters,
  { jobId, settled, reserve, unit, charged, monthlyCredits }: JobCharge,
  nowMs: number,
): { reserved: number; counters: GateCounters } {
  const credits = currentCredits(counters, nowMs);
  const before = counters.jobs?.[jobId]?.total ?? charged;
  const usedByOthers = credits.used - before;
  const left = monthlyCredits === undefined ? Infinity : Math.max(0, monthlyCredits - usedByOthers - settled);
  const asBefore = Math.min(reserve, Math.max(0, before - settled));
  const affordable = unit === undefined ? Math.min(left, asBefore) : Math.floor(left / Math.max(1, unit)) * unit;
  const reserved = reserve <= left ? reserve : affordable;
  const total = settled + reserved;
  const isKnown = counters.jobs?.[jobId]?.total === total;
  if (isKnown && credits === counters.credits) return { reserved, counters };
  // The part of an earlier month stays there: a job that gives back more than this month has had leaves it at nothing.
  const used = Math.max(0, usedByOthers + total);
  const jobs = { ...counters.jobs, [jobId]: { total, atMs: nowMs } };
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

/** Forgets what a job has taken: it is over, and knows what it paid. */
export function forgetJob(counters: GateCounters, jobId: string): GateCounters {
  if (counters.jobs === undefined || !Object.hasOwn(counters.jobs, jobId)) return counters;
  const { [jobId]: _over, ...jobs } = counters.jobs;
  return { ...counters, jobs };
}

function livingJobs(jobs: NonNullable<GateCounters["jobs"]>, nowMs: number): GateCounters["jobs"] {
  return Object.fromEntries(Object.entries(jobs).filter(([, { atMs }]) => nowMs - atMs < JOB_LIFE_MS));
}

/** Takes one of `limit` slots, or renews the lease of the slot that this job has. */
export function takeSlot(
  slots: GateSlots,
  { jobId, limit, leaseMs }: SlotRequest,
  nowMs: number,
): { taken: boolean; slots: GateSlots } {
  const running = runningSlots(slots, nowMs);
  const isHeld = Object.hasOwn(running, jobId);
  if (!isHeld && Object.keys(running).length >= limit) return { taken: false, slots };
  return { taken: true, slots: { ...running, [jobId]: nowMs + leaseMs } };
}

/** Gives a job's slot back; the same slots when the job has none. */
export function releaseSlot(slots: GateSlots, jobId: string, nowMs: number): GateSlots {
  if (!Object.hasOwn(slots, jobId)) return slots;
  const { [jobId]: _released, ...rest } = slots;
  return runningSlots(rest, nowMs);
}

export function keyUsage(counters: GateCounters, slots: GateSlots, nowMs: number): KeyUsage {
  const { periodStartMs, used } = currentCredits(withoutLostHolds(counters, nowMs), nowMs);
  return {
    creditsUsed: used,
    periodStartMs,
    periodEndMs: nextMonth(periodStartMs),
    runningJobs: Object.keys(runningSlots(slots, nowMs)).length,
  };
}

function isOverBudget(used: number, asked: { credits: number; monthlyCredits: number | undefined }): boolean {
  return asked.monthlyCredits !== undefined && asked.credits > 0 && used + asked.credits > asked.monthlyCredits;
}

function remaining(monthlyCredits: number | undefined, used: number): number | undefined {
  return monthlyCredits === undefined ? undefined : Math.max(0, monthlyCredits - used);
}

/** A clock that steps back keeps the window that runs: time may stand still for a key, never rewind. */
function currentWindow(counters: GateCounters, mode: RateMode, nowMs: number): { startMs: number; count: number } {
  const window = counters.windows[mode];
  return window !== undefined && nowMs < window.startMs + WINDOW_MS ? window : { startMs: nowMs, count: 0 };
}

function runningWindows(counters: GateCounters, nowMs: number): GateCounters["windows"] {
  return Object.fromEntries(
    Object.entries(counters.windows).filter(([, window]) => nowMs < window.startMs + WINDOW_MS),
  );
}

function currentCredits({ credits }: GateCounters, nowMs: number): GateCounters["credits"] {
  return nowMs < nextMonth(credits.periodStartMs) ? credits : { periodStartMs: monthStart(nowMs), used: 0 };
}

function monthStart(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function nextMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

function runningSlots(slots: GateSlots, nowMs: number): GateSlots {
  return Object.fromEntries(Object.entries(slots).filter(([, leaseEndsAtMs]) => nowMs < leaseEndsAtMs));
}
