import type { EndReason, SessionLife, SessionPlan } from "../core/sessions/browser-session.ts";

/** Bounds the time for which a `running` count that is too high prevents a session from becoming idle. */
const LONGEST_RUN_MS = 310_000;
const MINUTE_MS = 60_000;
const CREDITS_A_MINUTE = 2;
const PROMPTED_CREDITS_A_MINUTE = 7;

/** Credits of every session, charged when it is opened. */
export const LEAST_SESSION_CREDITS = CREDITS_A_MINUTE;

export function beginLife(plan: SessionPlan, nowMs: number): SessionLife {
  return {
    ...plan,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + plan.ttlMs,
    lastActivityMs: nowMs,
    running: 0,
    isPrompted: false,
  };
}

/** Records activity. A session that has ended is returned unchanged. */
export function touchLife(life: SessionLife, nowMs: number): SessionLife {
  return life.end === undefined ? { ...life, lastActivityMs: Math.max(life.lastActivityMs, nowMs) } : life;
}

/** Counts work that begins (`1`) or ends (`-1`); both are activity. */
export function countRun(life: SessionLife, change: 1 | -1, nowMs: number): SessionLife {
  return { ...touchLife(life, nowMs), running: Math.max(0, life.running + change) };
}

export function endLife(life: SessionLife, reason: EndReason, nowMs: number): SessionLife {
  return life.end === undefined ? { ...life, end: { atMs: nowMs, reason } } : life;
}

/** Returns the time at which the session ends without further activity, and the reason. */
export function dueEnd(life: SessionLife): { atMs: number; reason: "ttl" | "idle" } {
  const restMs = life.running > 0 ? Math.max(life.activityTtlMs, LONGEST_RUN_MS) : life.activityTtlMs;
  const idleAtMs = life.lastActivityMs + restMs;
  return idleAtMs < life.expiresAtMs ? { atMs: idleAtMs, reason: "idle" } : { atMs: life.expiresAtMs, reason: "ttl" };
}

/** Ends a session that is due, with the time at which it was due; any other is returned unchanged. */
export function endIfDue(life: SessionLife, nowMs: number): SessionLife {
  const due = dueEnd(life);
  return life.end === undefined && due.atMs <= nowMs ? endLife(life, due.reason, due.atMs) : life;
}

export function durationMs(life: SessionLife, nowMs: number): number {
  return Math.max(0, (life.end?.atMs ?? nowMs) - life.createdAtMs);
}

/** Returns the credits of the whole session: by the second, at least one minute, rounded up to whole credits. */
export function sessionCredits(life: SessionLife, nowMs: number): number {
  const rate = life.isPrompted ? PROMPTED_CREDITS_A_MINUTE : CREDITS_A_MINUTE;
  const seconds = Math.ceil(Math.max(durationMs(life, nowMs), MINUTE_MS) / 1000);
  return Math.ceil((seconds * rate) / 60);
}
