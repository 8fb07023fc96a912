import { z } from "zod";
import { hash53 } from "../text/hash.ts";
import { withBooked, withoutOvertaking } from "./host-line.ts";
import { MAX_DELAY_MS } from "./put-back-times.ts";

/** Times further ahead than this are returned but not reserved: the caller requests them again later. */
export const HOLD_MS = 2_000;

const MAX_RETRY_AFTER_MS = 600_000;
/** Spacing after a host's first refusal; each further refusal doubles it, each regular response reduces it. */
const FIRST_PACE_MS = 250;
const MAX_PACE_MS = 10_000;
/** The same for server errors that ask for no pause: many sites have pages that always fail. */
const MAX_FAILING_PACE_MS = 2_000;
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
/** Keys whose experience with a host is held. */
const MAX_KEYS = 200;
/** Spacing of requests to a dead host, so that the pages waiting for it can end. */
const DEAD_PACE_MS = 100;

/** Experience of one key with a host. What the pages of one key cause delays no pages of others. */
const KeyState = z.object({
  /** Earliest time of the next request. */
  nextAtMs: z.number().default(0),
  /** The latest reserved time. */
  lastStartMs: z.number().default(0),
  /** Earliest time of the next page with a delay of its own, by the delays of those before. */
  ownNextAtMs: z.number().default(0),
  /** Time that the key was told for a page and that is not reserved, and the delay of that page; 0 for none. */
  waitsForMs: z.number().default(0),
  waitsWithMs: z.number().default(0),
  /** Times before reserved pages of other keys that are left for this key while it waits, with `waitsWithMs`. */
  bookedMs: z.array(z.number()).readonly().default([]),
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
});
type KeyState = z.infer<typeof KeyState>;

const NEW_KEY: KeyState = {
  nextAtMs: 0, lastStartMs: 0, ownNextAtMs: 0, waitsForMs: 0, waitsWithMs: 0, bookedMs: [], paceMs: 0, refusedUntilMs: 0,
  failingPages: [], lostConnections: 0, openings: 0, openUntilMs: 0, probeAtMs: 0,
}; // prettier-ignore

/** Outcome of a request to the host. */
export interface HostReport {
  /** The key whose page it was. */
  keyId?: string | undefined;
  /** Absent when no response was received. */
  statusCode?: number;
  /** Name of the page (`pageName`), by which its retries are recognized. Without it each report is one of another page. */
  page?: string;
  /** Number of regular responses that the report stands for. Default: 1. */
  count?: number;
  /** `Retry-After` of a 429 or 503. */
  retryAfterMs?: number;
  /** True when the connection was refused or lost, or timed out. */
  failed?: boolean;
}

/**
 * Returns the name of a page in reports: a hash of its URL, since the state of a host is shared by all teams, and stored
 * for longer than a job may keep its URLs.
 */
export function pageName(url: string): string {
  return hash53(url).toString(36);
}

/** State of a host, shared by all crawls of the service. */
export const HostState = z.object({
  /** Earliest time of the next page of any key, by the delay that the host asks for. */
  nextAtMs: z.number().default(0),
  /** The latest reserved time. */
  lastStartMs: z.number().default(0),
  /** By key; "" for pages of no key. */
  keys: z.record(z.string(), KeyState).default({}),
});
export type HostState = z.infer<typeof HostState>;

export const NEW_HOST: HostState = { nextAtMs: 0, lastStartMs: 0, keys: {} };

/** State of another key, with its id. */
type OtherKey = KeyState & { id: string };

interface Place {
  count: number;
  leastMs: number;
  ownMs: number;
  notBeforeMs: number;
  /** The latest time that is reserved for any key. */
  lastStartMs: number;
  others: readonly OtherKey[];
}

/** Turn of another key before a reserved page. */
interface Booked {
  id: string;
  turnMs: number;
}

/** Pages for which times are reserved. */
export interface Wanted {
  count: number;
  /** Delay that the host asks for (`Crawl-delay`), in ms: between pages of all keys. */
  delayMs: number;
  /** Delay that the crawl asks for, in ms: between pages of its key that have one. Default: none. */
  ownDelayMs?: number | undefined;
  /** Default: pages of no key. */
  keyId?: string | undefined;
}

/**
 * Returns times (ms since the epoch, ascending) at which pages of a key may be requested from the host: each at least
 * `delayMs` after the one before of any key, and `ownDelayMs` after the one before of the key that had such a delay. Keys
 * take turns: the next time is that of the key which was served longest ago. Returns all `count` times, but reserves only
 * those within `HOLD_MS`.
 */
export function reserve(
  host: HostState,
  { count, delayMs, ownDelayMs = 0, keyId = "" }: Wanted,
  nowMs: number,
): { startsAtMs: number[]; state: HostState } {
  if (count <= 0) return { startsAtMs: [], state: host };
  const leastMs = toDelay(delayMs);
  const notBeforeMs = Math.max(host.nextAtMs, host.lastStartMs === 0 ? 0 : host.lastStartMs + leastMs);
  const others = Object.entries(host.keys).flatMap(([id, key]) => (id === keyId ? [] : [{ ...key, id }]));
  const place = { count, leastMs, ownMs: toDelay(ownDelayMs), notBeforeMs, lastStartMs: host.lastStartMs, others };
  const { startsAtMs, state, booked = [] } = reserveForKey(stateOf(host, keyId), place, nowMs);
  const taken = startsAtMs.filter((atMs) => atMs <= nowMs + HOLD_MS);
  const lastStartMs = Math.max(host.lastStartMs, ...taken);
  const nextAtMs = Math.max(host.nextAtMs, ...taken.map((atMs) => atMs + leastMs));
  const keys = withTurns(host.keys, booked, nowMs);
  return { startsAtMs, state: withKey({ ...host, keys, lastStartMs, nextAtMs }, { keyId, state, nowMs }) };
}

function withTurns(keys: HostState["keys"], booked: readonly Booked[], nowMs: number): HostState["keys"] {
  const changed = { ...keys };
  for (const { id, turnMs } of booked) {
    const key = changed[id];
    if (key !== undefined) changed[id] = { ...key, bookedMs: withBooked(key.bookedMs, turnMs, nowMs) };
  }
  return changed;
}

function toDelay(ms: number): number {
  return Math.min(Math.max(0, ms), MAX_DELAY_MS);
}

function reserveForKey(
  state: KeyState,
  { count, leastMs, ownMs, notBeforeMs, lastStartMs: hostStartMs, others }: Place,
  nowMs: number,
): { startsAtMs: number[]; state: KeyState; booked?: Booked[] } {
  if (state.openUntilMs > 0) return reserveProbe(state, count, nowMs);
  const spacingMs = Math.max(leastMs, paceOf(state));
  let { nextAtMs, lastStartMs, ownNextAtMs } = state;
  let ownAtMs = Math.max(nowMs, nextAtMs, lastStartMs === 0 ? 0 : lastStartMs + spacingMs, ownMs > 0 ? ownNextAtMs : 0);
  const free = state.bookedMs.filter((atMs) => leastMs <= state.waitsWithMs && atMs >= nowMs);
  const startsAtMs: number[] = [];
  const booked: Booked[] = [];
  let freeMs = notBeforeMs;
  let latestMs = hostStartMs;
  let waitsForMs = 0;
  for (let place = 0; place < count; place++) {
    while (free[0] !== undefined && free[0] < ownAtMs) free.shift();
    const own = { ...state, lastStartMs: startsAtMs.at(-1) ?? lastStartMs };
    const turn = free.shift();
    const wanted = { atMs: Math.max(ownAtMs, freeMs), freeMs, leastMs };
    const { atMs, passed } =
      turn === undefined ? withoutOvertaking(wanted, own, { others, nowMs }) : { atMs: turn, passed: [] };
    startsAtMs.push(atMs);
    if (atMs <= nowMs + HOLD_MS) {
      lastStartMs = atMs;
      nextAtMs = atMs + spacingMs;
      if (ownMs > 0) ownNextAtMs = atMs + ownMs;
      for (const { other, turnMs } of passed) {
        if (latestMs > 0 && turnMs < latestMs + other.waitsWithMs) continue;
        booked.push({ id: other.id, turnMs });
        latestMs = turnMs;
      }
      latestMs = Math.max(latestMs, atMs);
    } else if (waitsForMs === 0) waitsForMs = atMs;
    freeMs = Math.max(freeMs, atMs + leastMs);
    ownAtMs = atMs + Math.max(spacingMs, ownMs);
  }
  const line = { waitsForMs, waitsWithMs: waitsForMs === 0 && free.length === 0 ? 0 : leastMs, bookedMs: free };
  return { startsAtMs, state: { ...state, nextAtMs, lastStartMs, ownNextAtMs, ...line }, booked };
}

/** Records the outcome of a request of a key. Its requests to a host that refuses are delayed and spaced; a dead host gets few. */
export function report(host: HostState, { keyId = "", ...outcome }: HostReport, nowMs: number): HostState {
  return withKey(host, { keyId, state: reportOfKey(stateOf(host, keyId), outcome, nowMs), nowMs });
}

function stateOf({ keys }: HostState, keyId: string): KeyState {
  return (Object.hasOwn(keys, keyId) ? keys[keyId] : undefined) ?? NEW_KEY;
}

/** Stores the state of a key as the latest. Of too many keys the oldest ones are dropped, those first that need not wait. */
function withKey(
  host: HostState,
  { keyId, state, nowMs }: { keyId: string; state: KeyState; nowMs: number },
): HostState {
  const others = Object.entries(host.keys).filter(([id]) => id !== keyId);
  const surplus = others.length + 1 - MAX_KEYS;
  const dropped =
    surplus <= 0
      ? []
      : others.toSorted(([, left], [, right]) => waitsMs(left, nowMs) - waitsMs(right, nowMs)).slice(0, surplus);
  const kept = others.filter((entry) => !dropped.includes(entry));
  return { ...host, keys: Object.fromEntries([...kept, [keyId, state]]) };
}

function waitsMs({ nextAtMs, ownNextAtMs, openUntilMs, paceMs }: KeyState, nowMs: number): number {
  return Math.max(0, nextAtMs - nowMs, ownNextAtMs - nowMs, openUntilMs - nowMs) + paceMs;
}

function reportOfKey(state: KeyState, outcome: Omit<HostReport, "keyId">, nowMs: number): KeyState {
  const { statusCode } = outcome;
  if (outcome.failed === true || statusCode === undefined) return lose(state, nowMs);
  const answering = { ...state, lostConnections: 0, openings: 0, openUntilMs: 0, probeAtMs: 0 };
  if (statusCode === 429) return refuse(answering, outcome, nowMs);
  if (statusCode >= 500) return failPage(answering, outcome, nowMs);
  const paceMs = state.paceMs * PACE_DECAY ** (outcome.count ?? 1);
  return { ...answering, failingPages: [], paceMs: paceMs < NO_PACE_BELOW_MS ? 0 : paceMs };
}

/** Records a server error: of the page alone, or of the host when several pages in a row have one. */
function failPage(state: KeyState, { page, retryAfterMs }: HostReport, nowMs: number): KeyState {
  const name = page ?? `#${state.failingPages.length}`;
  const isRetry = state.failingPages.includes(name);
  const failingPages = isRetry ? state.failingPages : [...state.failingPages, name].slice(-FAILING_PAGES);
  const failing = { ...state, failingPages };
  if (failingPages.length >= (retryAfterMs === undefined ? FAILING_PAGES : PAUSING_PAGES)) {
    return retryAfterMs === undefined
      ? refuse(failing, { maxPaceMs: MAX_FAILING_PACE_MS }, nowMs)
      : refuse(failing, { retryAfterMs }, nowMs);
  }
  if (retryAfterMs === undefined || isRetry) return failing;
  const untilMs = nowMs + Math.min(Math.max(0, retryAfterMs), MAX_RETRY_AFTER_MS);
  return { ...failing, nextAtMs: Math.max(state.nextAtMs, untilMs) };
}

/** Reports whether the state must be stored: without it, requests would come too early or wait for a dead host. */
export function isWorthKeeping({ nextAtMs, keys }: HostState, nowMs: number): boolean {
  const states = Object.values(keys);
  const latestMs = Math.max(nextAtMs, ...states.flatMap((state) => [state.nextAtMs, state.ownNextAtMs]));
  return latestMs > nowMs + 2 * HOLD_MS || states.some(({ openings }) => openings > 0);
}

/** Returns the time until which some pages must wait. */
export function waitsUntilMs({ nextAtMs, keys }: HostState): number {
  return Math.max(
    nextAtMs,
    ...Object.values(keys).flatMap((state) => [state.nextAtMs, state.ownNextAtMs, state.openUntilMs]),
  );
}

function paceOf({ paceMs, openings }: KeyState): number {
  return openings > MAX_OPENINGS ? Math.max(paceMs, DEAD_PACE_MS) : paceMs;
}

/** Reserves a probe while the circuit is not closed; further requests get times after the probe. */
function reserveProbe(state: KeyState, count: number, nowMs: number): { startsAtMs: number[]; state: KeyState } {
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
function refuse(
  state: KeyState,
  { retryAfterMs = 0, maxPaceMs = MAX_PACE_MS }: { retryAfterMs?: number | undefined; maxPaceMs?: number },
  nowMs: number,
): KeyState {
  const isNews = nowMs >= state.refusedUntilMs;
  const doubledMs = Math.min(Math.max(FIRST_PACE_MS, state.paceMs * 2), maxPaceMs);
  const paceMs = isNews ? Math.max(state.paceMs, doubledMs) : state.paceMs;
  const waitMs = Math.max(Math.min(Math.max(0, retryAfterMs), MAX_RETRY_AFTER_MS), isNews ? paceMs : 0);
  const untilMs = Math.max(state.refusedUntilMs, nowMs + waitMs);
  return { ...state, paceMs, refusedUntilMs: untilMs, nextAtMs: Math.max(state.nextAtMs, untilMs) };
}

function lose(state: KeyState, nowMs: number): KeyState {
  if (state.openings > MAX_OPENINGS) return state;
  if (state.openUntilMs > 0) return nowMs < state.openUntilMs ? state : open(state, nowMs);
  const lostConnections = state.lostConnections + 1;
  return lostConnections < LOST_CONNECTIONS ? { ...state, lostConnections } : open(state, nowMs);
}

function open(state: KeyState, nowMs: number): KeyState {
  const openings = state.openings + 1;
  const openUntilMs = openings > MAX_OPENINGS ? 0 : nowMs + FIRST_OPEN_MS * 2 ** (openings - 1);
  return { ...state, lostConnections: 0, openings, openUntilMs, probeAtMs: 0 };
}
