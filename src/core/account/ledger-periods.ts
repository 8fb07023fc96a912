import type { RateMode } from "./api-key.ts";

export const WINDOW_MS = 60_000;

/** The counters of a key that belong to a time. */
interface Counters {
  windows: Record<string, { startMs: number; count: number }>;
  credits: { periodStartMs: number; used: number };
}
/** Time by which a clock may step back: what is further ahead was stored by a clock that was wrong. */
const MAX_STEP_BACK_MS = 86_400_000;

/** Returns the current window. A clock that steps back by up to a day does not end it: time never runs backwards for a key. */
export function currentWindow(
  counters: Pick<Counters, "windows">,
  mode: RateMode,
  nowMs: number,
): { startMs: number; count: number } {
  const window = counters.windows[mode];
  return window !== undefined && isRunning(window, nowMs) ? window : { startMs: nowMs, count: 0 };
}

export function runningWindows(counters: Pick<Counters, "windows">, nowMs: number): Counters["windows"] {
  return Object.fromEntries(Object.entries(counters.windows).filter(([, window]) => isRunning(window, nowMs)));
}

function isRunning({ startMs }: { startMs: number }, nowMs: number): boolean {
  return nowMs < startMs + WINDOW_MS && !isFarAhead(startMs, nowMs);
}

function isFarAhead(startMs: number, nowMs: number): boolean {
  return startMs > nowMs + MAX_STEP_BACK_MS;
}

export function currentCredits({ credits }: Pick<Counters, "credits">, nowMs: number): Counters["credits"] {
  const { periodStartMs } = credits;
  const isCurrent = nowMs < nextMonth(periodStartMs) && !isFarAhead(periodStartMs, nowMs);
  return isCurrent ? credits : { periodStartMs: monthStart(nowMs), used: 0 };
}

function monthStart(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

export function nextMonth(ms: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
