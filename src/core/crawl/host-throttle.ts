import { z } from "zod";

/** Times further ahead than this are returned but not reserved: the caller requests them again later. */
export const HOLD_MS = 2_000;

const MAX_DELAY_MS = 60_000;
const MAX_RETRY_AFTER_MS = 600_000;
/** Spacing after a host's first refusal; each further refusal doubles it, each regular response reduces it. */
const FIRST_PACE_MS = 250;
const MAX_PACE_MS = 10_000;
/** Factor of the spacing for each regular response. */
const PACE_DECAY = 0.7;
const NO_PACE_BELOW_MS = 25;
/** Different pages with consecutive server errors after which these count as a refusal of the host. */
const FAILING_PAGES = 3;
/** The same for errors with `Retry-After`, which ask for a pause. */
const PAUSING_PAGES = 2;
/** Consecutive lost connections after which the circuit opens. */
const LOST_CONNECTIONS = 5;
const FIRST_OPEN_MS = 30_000;
/** Number of times that the circuit opens before the host counts as dead. */
const MAX_OPENINGS = 3;
/** Time after which a probe without a report counts as lost. */
const PROBE_LIFE_MS = 15_000;
/** Keys that may probe a host at once while its circuit is open, and the time until their other pages ask again. */
const MAX_PROBERS = 100;
const ASK_AGAIN_MS = 3_000;
/** Spacing of requests to a dead host, so that the pages waiting for it can end. */
const DEAD_PACE_MS = 100;

/** State of a host, shared by all crawls of the service. */
export const HostState = z.object({
  /** Earliest time of the next request. */
  nextAtMs: z.number().default(0),
  /** The latest reserved time. */
  lastStartMs: z.number().default(0),
  /** Spacing that results from the host's refusals. */
  paceMs: z.number().default(0),
  /** Refusals before this time belong to one that has been counted. */
  refusedUntilMs: z.number().default(0),
  /** Pages that answered with a server error since the last regular response; retries of a page add nothing. */
  failingPages: z.array(z.string()).readonly().default([]),
  lostConnections: z.number().default(0),
  /** Consecutive openings of the circuit. */
  openings: z.number().default(0),
  /** End of the open state; 0 while the circuit is closed. Afterwards the circuit is half open: one probe may pass. */
  openUntilMs: z.number().default(0),
  /** Start of the reserved probe; 0 for none. */
  probeAtMs: z.number().default(0),
  /** Keys that have had a page since the circuit opened. */
  probedBy: z.array(z.string()).readonly().default([]),
});
export type HostState = z.infer<typeof HostState>;

export const NEW_HOST: HostState = {
  nextAtMs: 0, lastStartMs: 0, paceMs: 0, refusedUntilMs: 0, failingPages: [],
  lostConnections: 0, openings: 0, openUntilMs: 0, probeAtMs: 0, probedBy: [],
}; // prettier-ignore

/** Outcome of a request to the host. */
export interface HostReport {
  /** Absent when no response was received. */
  statusCode?: number;
  /** URL of the page, by which its retries are recognized. Without it each report is one of another page. */
  page?: string;
  /** Number of regular responses that the report stands for. Default: 1. */
  count?: number;
  /** `Retry-After` of a 429 or 503. */
  retryAfterMs?: number;
  /** True when the connection was refused or lost, or timed out. */
  failed?: boolean;
}

/**
 * Returns times (ms since the epoch, ascending) at which pages of the host may be requested: each at least `delayMs`
 * after the one before, for any caller. Returns all `count` times, but reserves only those within `HOLD_MS`.
 * @param keyId the key whose pages they are. While the circuit is open, the first page of each key is a probe: what opened
 * it may be faults of another key's pages alone
 */
export function reserve(
  state: HostState,
  { count, delayMs, keyId }: { count: number; delayMs: number; keyId?: string | undefined },
  nowMs: number,
): { startsAtMs: number[]; state: HostState } {
  if (count <= 0) return { startsAtMs: [], state };
  if (state.openUntilMs > 0 && keyId !== undefined && mayProbe(state, keyId)) {
    const startsAtMs = [nowMs, ...Array.from({ length: count - 1 }, () => nowMs + ASK_AGAIN_MS)];
    return { startsAtMs, state: { ...state, lastStartMs: nowMs, probedBy: [...state.probedBy, keyId] } };
  }
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

/** Records the outcome of a request. Requests to a host that refuses are delayed and spaced; a dead host gets few. */
export function report(state: HostState, outcome: HostReport, nowMs: number): HostState {
  const { statusCode } = outcome;
  if (outcome.failed === true || statusCode === undefined) return lose(state, nowMs);
  const answering: HostState = {
    ...state,
    lostConnections: 0,
    openings: 0,
    openUntilMs: 0,
    probeAtMs: 0,
    probedBy: [],
  };
  if (statusCode === 429) return refuse(answering, outcome.retryAfterMs ?? 0, nowMs);
  if (statusCode >= 500) return failPage(answering, outcome, nowMs);
  const paceMs = state.paceMs * PACE_DECAY ** (outcome.count ?? 1);
  return { ...answering, failingPages: [], paceMs: paceMs < NO_PACE_BELOW_MS ? 0 : paceMs };
}

/** Records a server error: of the page alone, or of the host when several pages in a row have one. */
function failPage(state: HostState, { page, retryAfterMs }: HostReport, nowMs: number): HostState {
  const name = page ?? `#${state.failingPages.length}`;
  const isRetry = state.failingPages.includes(name);
  const failingPages = isRetry ? state.failingPages : [...state.failingPages, name].slice(-FAILING_PAGES);
  const failing = { ...state, failingPages };
  if (failingPages.length >= (retryAfterMs === undefined ? FAILING_PAGES : PAUSING_PAGES)) {
    return refuse(failing, retryAfterMs ?? 0, nowMs);
  }
  if (retryAfterMs === undefined || isRetry) return failing;
  const untilMs = nowMs + Math.min(Math.max(0, retryAfterMs), MAX_RETRY_AFTER_MS);
  return { ...failing, nextAtMs: Math.max(state.nextAtMs, untilMs) };
}

/** Reports whether the state must be stored: without it, requests would come too early or wait for a dead host. */
export function isWorthKeeping(state: HostState, nowMs: number): boolean {
  return state.openings > 0 || state.nextAtMs > nowMs + 2 * HOLD_MS;
}

function paceOf({ paceMs, openings }: HostState): number {
  return openings > MAX_OPENINGS ? Math.max(paceMs, DEAD_PACE_MS) : paceMs;
}

function mayProbe({ probedBy }: HostState, keyId: string): boolean {
  return probedBy.length < MAX_PROBERS && !probedBy.includes(keyId);
}

/** Reserves a probe while the circuit is not closed; further requests get times after the probe. */
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

/** Records a refusal. Refusals of requests already running at the first refusal do not increase the spacing. */
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
  return { ...state, lostConnections: 0, openings, openUntilMs, probeAtMs: 0, probedBy: [] };
}
