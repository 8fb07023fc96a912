/** Moments further off than this are told and not taken: whoever wants one comes back for it. */
export const HOLD_MS = 2_000;

const MAX_DELAY_MS = 60_000;
const MAX_RETRY_AFTER_MS = 600_000;
/** The spacing that a host's refusals begin with; each further one doubles it, each answer takes a tenth off. */
const FIRST_PACE_MS = 250;
const MAX_PACE_MS = 10_000;
const NO_PACE_BELOW_MS = 25;
/** Server errors in a row from which they are about the host and not about a page. */
const SERVER_ERRORS = 3;
/** Connections lost in a row after which nobody asks for a while. */
const LOST_CONNECTIONS = 5;
const FIRST_OPEN_MS = 30_000;
/** Times that the circuit opens before the host counts as dead. */
const MAX_OPENINGS = 3;
/** A probe that nobody reports about is lost after this. */
const PROBE_LIFE_MS = 15_000;
/** A dead host is asked once in a while still, so that whatever waits for it comes to its end. */
const DEAD_PACE_MS = 100;

/** What is known of a host; all crawls of the service share it. */
export interface HostState {
  /** Nobody asks before this. */
  nextAtMs: number;
  /** The latest moment that was given out. */
  lastStartMs: number;
  /** Spacing that the host's refusals have brought about. */
  paceMs: number;
  /** Refusals before this moment belong to one that was counted already. */
  refusedUntilMs: number;
  serverErrors: number;
  lostConnections: number;
  /** How often in a row the circuit has opened. */
  openings: number;
  /** 0 while the circuit is closed. After this moment it is half open: one probe may pass. */
  openUntilMs: number;
  /** When the probe begins that has been given out; 0 for none. */
  probeAtMs: number;
}

export const NEW_HOST: HostState = {
  nextAtMs: 0, lastStartMs: 0, paceMs: 0, refusedUntilMs: 0, serverErrors: 0,
  lostConnections: 0, openings: 0, openUntilMs: 0, probeAtMs: 0,
}; // prettier-ignore

/** What came of asking the host. */
export interface HostReport {
  /** Absent when no answer came. */
  statusCode?: number;
  /** `Retry-After` of a 429 or 503. */
  retryAfterMs?: number;
  /** The connection was refused or lost, or nothing came in time. */
  failed?: boolean;
}

/**
 * Gives out moments (ms since the epoch, rising) at which pages of the host may be asked for: each at least `delayMs`
 * after the one before, whoever that was for. All `count` are answered; only those within `HOLD_MS` are taken.
 */
export function reserve(
  state: HostState,
  { count, delayMs }: { count: number; delayMs: number },
  nowMs: number,
): { startsAtMs: number[]; state: HostState } {
  if (count <= 0) return { startsAtMs: [], state };
  if (state.openUntilMs > 0) return reserveProbe(state, count, nowMs);
  const spacingMs = Math.max(Math.min(Math.max(0, delayMs), MAX_DELAY_MS), paceOf(state));
  let { nextAtMs, lastStartMs } = state;
  const startsAtMs: number[] = [];
  let atMs = Math.max(nowMs, nextAtMs, lastStartMs === 0 ? 0 : lastStartMs + spacingMs);
  for (let place = 0; place < count; place++) {
    startsAtMs.push(atMs);
    if (atMs <= nowMs + HOLD_MS) {
      lastStartMs = atMs;
      nextAtMs = atMs + spacingMs;
    }
    atMs += spacingMs;
  }
  return { startsAtMs, state: { ...state, nextAtMs, lastStartMs } };
}

/** Takes note of an answer, or of none. A host that refuses is asked later and less often, one that is gone hardly at all. */
export function report(state: HostState, outcome: HostReport, nowMs: number): HostState {
  const { statusCode } = outcome;
  if (outcome.failed === true || statusCode === undefined) return lose(state, nowMs);
  const answering: HostState = { ...state, lostConnections: 0, openings: 0, openUntilMs: 0, probeAtMs: 0 };
  if (statusCode === 429 || (statusCode === 503 && outcome.retryAfterMs !== undefined)) {
    return refuse(answering, outcome.retryAfterMs ?? 0, nowMs);
  }
  if (statusCode >= 500) {
    const serverErrors = state.serverErrors + 1;
    return serverErrors < SERVER_ERRORS
      ? { ...answering, serverErrors }
      : refuse({ ...answering, serverErrors }, 0, nowMs);
  }
  const paceMs = state.paceMs * 0.9;
  return { ...answering, serverErrors: 0, paceMs: paceMs < NO_PACE_BELOW_MS ? 0 : paceMs };
}

/** Whether forgetting this state would make the service ruder or slower, so that it is worth a row. */
export function isWorthKeeping(state: HostState, nowMs: number): boolean {
  return state.openings > 0 || state.nextAtMs > nowMs + 2 * HOLD_MS;
}

function paceOf({ paceMs, openings }: HostState): number {
  return openings > MAX_OPENINGS ? Math.max(paceMs, DEAD_PACE_MS) : paceMs;
}

/** While the circuit is not closed the first one may try once the time is over; the others are told to come after it. */
function reserveProbe(state: HostState, count: number, nowMs: number): { startsAtMs: number[]; state: HostState } {
  const afterProbeMs = state.probeAtMs === 0 ? 0 : state.probeAtMs + PROBE_LIFE_MS;
  const atMs = Math.max(nowMs, state.openUntilMs, afterProbeMs);
  const startsAtMs = [atMs, ...Array.from({ length: count - 1 }, () => atMs + PROBE_LIFE_MS)];
  if (atMs > nowMs + HOLD_MS) return { startsAtMs, state };
  return {
    startsAtMs,
    state: { ...state, probeAtMs: atMs, lastStartMs: atMs, nextAtMs: Math.max(state.nextAtMs, atMs) },
  };
}

/** Pages that were under way when the host first refused are refused too, and say nothing new. */
function refuse(state: HostState, retryAfterMs: number, nowMs: number): HostState {
  const isNews = nowMs >= state.refusedUntilMs;
  const paceMs = isNews ? Math.min(Math.max(FIRST_PACE_MS, state.paceMs * 2), MAX_PACE_MS) : state.paceMs;
  const waitMs = Math.max(Math.min(Math.max(0, retryAfterMs), MAX_RETRY_AFTER_MS), isNews ? paceMs : 0);
  const untilMs = Math.max(state.refusedUntilMs, nowMs + waitMs);
  return { ...state, paceMs, refusedUntilMs: untilMs, nextAtMs: Math.max(state.nextAtMs, untilMs) };
}

function lose(state: HostState, nowMs: number): HostState {
  if (state.openings > MAX_OPENINGS) return state;
  if (state.openUntilMs > 0) return nowMs < state.openUntilMs ? state : open(state, nowMs);
  const lostConnections = state.lostConnections + 1;
  return lostConnections < LOST_CONNECTIONS ? { ...state, lostConnections } : open(state, nowMs);
}

function open(state: HostState, nowMs: number): HostState {
  const openings = state.openings + 1;
  const openUntilMs = openings > MAX_OPENINGS ? 0 : nowMs + FIRST_OPEN_MS * 2 ** (openings - 1);
  return { ...state, lostConnections: 0, openings, openUntilMs, probeAtMs: 0 };
}
