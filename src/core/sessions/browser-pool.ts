import { z } from "zod";
import { nextByFairness, noteServed, Owner } from "../fair-order.ts";

/** Limits and timing of the pool. */
export const PoolSettings = z.object({
  /** Maximum number of browsers, including those that are starting or closing. */
  maxBrowsers: z.number(),
  /** Maximum concurrent isolated contexts (page loads) in one browser. */
  contextsPerBrowser: z.number(),
  /** Number of idle browsers that stay open longer than others. */
  warm: z.number(),
  /** Browsers to start in advance after each request; default 0. */
  spare: z.number().optional(),
  /** Delay between a request and the start of spare browsers, in ms: the request has priority on the machine. */
  spareDelayMs: z.number().optional(),
  /** Minimum time between two launches, in ms (the platform's launch budget). */
  launchIntervalMs: z.number(),
  /** Number of pages after which a browser accepts no more. */
  maxPages: z.number(),
  /** Age at which a browser accepts no more pages, in ms. */
  maxAgeMs: z.number(),
  /** Time after which an idle browser beyond the warm ones is closed, in ms. */
  idleCloseMs: z.number(),
  /** Time after which an idle warm browser is closed, in ms: idle browsers are billed. */
  warmCloseMs: z.number(),
  /** Time after its deadline at which a lease is revoked, in ms. */
  leaseGraceMs: z.number(),
});
export type PoolSettings = z.infer<typeof PoolSettings>;

/** Outcome of a lease. `crashed` and `hung` refer to the page, `gone` to the whole browser. */
export type LeaseOutcome = "ok" | "crashed" | "hung" | "gone";

export const PooledBrowser = z.object({
  sessionId: z.string(),
  bornAtMs: z.number(),
  pages: z.number(),
  lastUsedAtMs: z.number(),
  /** Time of its last successful operation. */
  provenAtMs: z.number(),
  /** True when it accepts no more pages and is closed after the last one. */
  draining: z.boolean(),
  /** Start time of closing, while it is being closed. */
  closingSinceMs: z.number().optional(),
});
export type PooledBrowser = z.infer<typeof PooledBrowser>;

export const Lease = z.object({
  leaseId: z.string(),
  sessionId: z.string(),
  /** The browser context of the load, once created. */
  contextId: z.string().optional(),
  expiresAtMs: z.number(),
  /** Owner of the load. */
  owner: Owner.optional(),
});
export type Lease = z.infer<typeof Lease>;

interface Waiter {
  leaseId: string;
  owner?: Owner | undefined;
  askedAtMs: number;
  deadlineMs: number;
}

/** State of the pool. Browsers and leases survive a restart, waiters and launches do not. */
export interface PoolState {
  browsers: readonly PooledBrowser[];
  leases: readonly Lease[];
  /** In order of arrival; teams and their keys are served in turn (`fair-order.ts`). */
  waiters: readonly Waiter[];
  /** Owners in the order in which they were served, latest last. */
  served: readonly Owner[];
  launching: number;
  nextLaunchAtMs: number;
  /** Consecutive failed launches. */
  failures: number;
  /** Time at which to start spare browsers for the next requests; undefined when none are needed. */
  sparesDueMs: number | undefined;
}

export const EMPTY_POOL: PoolState = {
  browsers: [],
  leases: [],
  waiters: [],
  served: [],
  launching: 0,
  nextLaunchAtMs: 0,
  failures: 0,
  sparesDueMs: undefined,
};

export type PoolEvent =
  | { kind: "asked"; leaseId: string; deadlineMs: number; owner?: Owner | undefined }
  | { kind: "bound"; leaseId: string; contextId: string }
  | { kind: "released"; leaseId: string; outcome: LeaseOutcome }
  | { kind: "launched"; sessionId: string }
  | { kind: "launch_failed"; retryAfterMs?: number }
  | { kind: "closed"; sessionId: string }
  | { kind: "ticked" };

export type RefusalReason = "deadline" | "unavailable";

/** Action that the caller of the state machine must perform. */
export type PoolEffect =
  | { kind: "grant"; leaseId: string; sessionId: string; queuedMs: number }
  | { kind: "refuse"; leaseId: string; reason: RefusalReason; retryAfterMs?: number }
  | { kind: "launch" }
  | { kind: "close"; sessionId: string }
  | { kind: "dispose"; sessionId: string; contextId: string }
  /** Leases that ended without a release; for the metrics. */
  | { kind: "lost"; leases: number };

/** Consecutive failed launches after which waiting callers are refused before their deadlines. */
const HOPELESS_FAILURES = 3;
const MAX_BACKOFF_MS = 20_000;
/** Time since its last success after which an idle browser is drained when another one is found dead. */
const TRUST_MS = 5_000;
const CLOSE_AGAIN_MS = 30_000;

interface Draft {
  browsers: PooledBrowser[];
  leases: Lease[];
  waiters: Waiter[];
  served: Owner[];
  launching: number;
  nextLaunchAtMs: number;
  failures: number;
  sparesDueMs: number | undefined;
  effects: PoolEffect[];
  settings: PoolSettings;
  nowMs: number;
}

/**
 * Applies an event at a time to the pool; returns the new state and the actions to perform.
 * Never holds more than `maxBrowsers` browsers or `contextsPerBrowser` leases on one, grants or refuses every waiter by
 * its deadline, and closes every browser that is idle for long enough.
 */
export function stepPool(
  state: PoolState,
  event: PoolEvent,
  { settings, nowMs }: { settings: PoolSettings; nowMs: number },
): { state: PoolState; effects: PoolEffect[] } {
  const draft: Draft = {
    ...state,
    browsers: state.browsers.map((browser) => ({ ...browser })),
    leases: state.leases.map((lease) => ({ ...lease })),
    waiters: [...state.waiters],
    served: [...state.served],
    effects: [],
    settings,
    nowMs,
  };
  apply(draft, event);
  expireLeases(draft);
  retireBrowsers(draft);
  grantWaiters(draft);
  refuseWaiters(draft);
  launchForWaiters(draft);
  closeUnused(draft);
  launchSpares(draft);
  const { browsers, leases, waiters, served, launching, nextLaunchAtMs, failures, sparesDueMs, effects } = draft;
  return { state: { browsers, leases, waiters, served, launching, nextLaunchAtMs, failures, sparesDueMs }, effects };
}

function apply(draft: Draft, event: PoolEvent): void {
  switch (event.kind) {
    case "asked": {
      const { leaseId, deadlineMs, owner } = event;
      draft.waiters.push({ leaseId, askedAtMs: draft.nowMs, deadlineMs, owner });
      if ((draft.settings.spare ?? 0) > 0) draft.sparesDueMs = draft.nowMs + (draft.settings.spareDelayMs ?? 0);
      return;
    }
    case "bound": {
      const lease = draft.leases.find(({ leaseId }) => leaseId === event.leaseId);
      if (lease !== undefined) lease.contextId = event.contextId;
      return;
    }
    case "released":
      return release(draft, event.leaseId, event.outcome);
    case "launched": {
      const { nowMs } = draft;
      const times = { bornAtMs: nowMs, lastUsedAtMs: nowMs, provenAtMs: nowMs };
      draft.browsers.push({ sessionId: event.sessionId, ...times, pages: 0, draining: false });
      draft.launching = Math.max(0, draft.launching - 1);
      draft.failures = 0;
      return;
    }
    case "launch_failed":
      return launchFailed(draft, event.retryAfterMs);
    case "closed": {
      draft.browsers = draft.browsers.filter(({ sessionId }) => sessionId !== event.sessionId);
      draft.leases = draft.leases.filter(({ sessionId }) => sessionId !== event.sessionId);
      return;
    }
    case "ticked":
      return;
  }
}

function release(draft: Draft, leaseId: string, outcome: LeaseOutcome): void {
  const lease = draft.leases.find((candidate) => candidate.leaseId === leaseId);
  if (lease === undefined) return;
  draft.leases = draft.leases.filter((candidate) => candidate !== lease);
  const browser = draft.browsers.find(({ sessionId }) => sessionId === lease.sessionId);
  if (browser === undefined) return;
  browser.lastUsedAtMs = draft.nowMs;
  if (outcome === "ok") {
    browser.provenAtMs = draft.nowMs;
    return;
  }
  browser.draining = true;
  if (outcome === "gone") return distrustIdle(draft);
  if (lease.contextId !== undefined) disposeContext(draft, lease.sessionId, lease.contextId);
}

/** Drains browsers that may be dead too: a release of the platform ends several at once. */
function distrustIdle(draft: Draft): void {
  for (const browser of draft.browsers) {
    const isIdle = leasesOf(draft, browser) === 0;
    if (isIdle && browser.provenAtMs < draft.nowMs - TRUST_MS) browser.draining = true;
  }
}

function launchFailed(draft: Draft, retryAfterMs: number | undefined): void {
  draft.launching = Math.max(0, draft.launching - 1);
  draft.failures += 1;
  draft.sparesDueMs = undefined;
  const pauseMs = retryAfterMs ?? Math.min(MAX_BACKOFF_MS, 500 * 2 ** (draft.failures - 1));
  draft.nextLaunchAtMs = Math.max(draft.nextLaunchAtMs, draft.nowMs + pauseMs);
}

/** Revokes leases that were not released: disposes their context, or closes the browser when the context is unknown. */
function expireLeases(draft: Draft): void {
  const expired = draft.leases.filter(({ expiresAtMs }) => expiresAtMs <= draft.nowMs);
  if (expired.length === 0) return;
  draft.leases = draft.leases.filter(({ expiresAtMs }) => expiresAtMs > draft.nowMs);
  draft.effects.push({ kind: "lost", leases: expired.length });
  for (const { sessionId, contextId } of expired) {
    const browser = draft.browsers.find((candidate) => candidate.sessionId === sessionId);
    if (browser === undefined) continue;
    browser.draining = true;
    browser.lastUsedAtMs = draft.nowMs;
    if (contextId !== undefined) disposeContext(draft, sessionId, contextId);
  }
}

function disposeContext(draft: Draft, sessionId: string, contextId: string): void {
  draft.effects.push({ kind: "dispose", sessionId, contextId });
}

function retireBrowsers(draft: Draft): void {
  const { maxPages, maxAgeMs } = draft.settings;
  for (const browser of draft.browsers) {
    if (browser.pages >= maxPages || draft.nowMs - browser.bornAtMs >= maxAgeMs) browser.draining = true;
  }
}

/** Grants waiters; the fullest browser comes first, so that others become idle and can be closed. */
function grantWaiters(draft: Draft): void {
  while (draft.waiters.length > 0) {
    const browser = freeBrowser(draft);
    if (browser === undefined) return;
    const place = nextByFairness(draft.waiters, { holding: draft.leases, served: draft.served });
    const [waiter] = draft.waiters.splice(place, 1);
    if (waiter === undefined) return;
    if (waiter.deadlineMs <= draft.nowMs) {
      draft.effects.push({ kind: "refuse", leaseId: waiter.leaseId, reason: "deadline" });
      continue;
    }
    const expiresAtMs = waiter.deadlineMs + draft.settings.leaseGraceMs;
    const { leaseId, owner } = waiter;
    draft.leases.push({ leaseId, sessionId: browser.sessionId, expiresAtMs, owner });
    draft.served = noteServed(draft.served, owner, [...draft.waiters, ...draft.leases]);
    browser.pages += 1;
    browser.lastUsedAtMs = draft.nowMs;
    const queuedMs = draft.nowMs - waiter.askedAtMs;
    draft.effects.push({ kind: "grant", leaseId: waiter.leaseId, sessionId: browser.sessionId, queuedMs });
  }
}

function freeBrowser(draft: Draft): PooledBrowser | undefined {
  const { contextsPerBrowser, maxPages } = draft.settings;
  const free = draft.browsers.filter(
    (browser) => isOpen(browser) && browser.pages < maxPages && leasesOf(draft, browser) < contextsPerBrowser,
  );
  return free.toSorted((a, b) => leasesOf(draft, b) - leasesOf(draft, a) || a.bornAtMs - b.bornAtMs)[0];
}

function refuseWaiters(draft: Draft): void {
  const { nowMs } = draft;
  const isHopeless = !draft.browsers.some(isOpen) && draft.launching === 0 && draft.failures > 0;
  draft.waiters = draft.waiters.filter(({ leaseId, deadlineMs }) => {
    if (deadlineMs <= nowMs) {
      draft.effects.push({ kind: "refuse", leaseId, reason: "deadline" });
      return false;
    }
    if (!isHopeless || (draft.failures < HOPELESS_FAILURES && draft.nextLaunchAtMs < deadlineMs)) return true;
    const retryAfterMs = Math.max(0, draft.nextLaunchAtMs - nowMs);
    draft.effects.push({ kind: "refuse", leaseId, reason: "unavailable", retryAfterMs });
    return false;
  });
}

function launchForWaiters(draft: Draft): void {
  const { contextsPerBrowser } = draft.settings;
  while (draft.waiters.length > draft.launching * contextsPerBrowser && canLaunch(draft)) launch(draft);
}

/** Launches spares within the launch budget. Spares beyond `maxBrowsers` are dropped: the next request asks again. */
function launchSpares(draft: Draft): void {
  if (draft.sparesDueMs === undefined || draft.nowMs < draft.sparesDueMs) return;
  while (sparesMissing(draft, draft.settings) > 0 && canLaunch(draft)) launch(draft);
  if (sparesMissing(draft, draft.settings) <= 0 || !hasRoom(draft, draft.settings)) draft.sparesDueMs = undefined;
}

function launch(draft: Draft): void {
  draft.launching += 1;
  draft.nextLaunchAtMs = draft.nowMs + draft.settings.launchIntervalMs;
  draft.effects.push({ kind: "launch" });
}

function canLaunch(draft: Draft): boolean {
  return hasRoom(draft, draft.settings) && draft.nowMs >= draft.nextLaunchAtMs;
}

function hasRoom(state: Pick<PoolState, "browsers" | "launching">, { maxBrowsers }: PoolSettings): boolean {
  return state.browsers.length + state.launching < maxBrowsers;
}

/** Returns the number of spare browsers to start, in addition to those started for waiting callers. */
function sparesMissing(
  state: Pick<PoolState, "browsers" | "leases" | "waiters" | "launching">,
  { spare = 0, contextsPerBrowser }: PoolSettings,
): number {
  const idle = state.browsers.filter((browser) => isOpen(browser) && leasesOf(state, browser) === 0).length;
  const forWaiters = Math.ceil(state.waiters.length / contextsPerBrowser);
  return spare - idle - (state.launching - forWaiters);
}

function closeUnused(draft: Draft): void {
  for (const { browser, closeAtMs } of closeTimes(draft, draft.settings)) {
    if (closeAtMs > draft.nowMs) continue;
    browser.closingSinceMs = draft.nowMs;
    draft.effects.push({ kind: "close", sessionId: browser.sessionId });
  }
}

/** Returns every browser without a lease, with its closing time. */
function closeTimes(
  state: Pick<PoolState, "browsers" | "leases">,
  settings: PoolSettings,
): { browser: PooledBrowser; closeAtMs: number }[] {
  const unused = state.browsers.filter((browser) => leasesOf(state, browser) === 0);
  const idle = unused.filter(isOpen).toSorted((a, b) => b.lastUsedAtMs - a.lastUsedAtMs);
  const isWarm = new Set(idle.slice(0, settings.warm));
  return unused.map((browser) => {
    if (browser.closingSinceMs !== undefined) return { browser, closeAtMs: browser.closingSinceMs + CLOSE_AGAIN_MS };
    if (browser.draining) return { browser, closeAtMs: 0 };
    const restMs = isWarm.has(browser) ? settings.warmCloseMs : settings.idleCloseMs;
    return { browser, closeAtMs: browser.lastUsedAtMs + restMs };
  });
}

/** Returns the latest time of the next `ticked` event, in ms since the epoch; undefined when none is needed. */
export function nextTickMs(state: PoolState, settings: PoolSettings): number | undefined {
  const isLaunchDue = state.waiters.length > state.launching * settings.contextsPerBrowser;
  const times = [
    ...state.leases.map(({ expiresAtMs }) => expiresAtMs),
    ...state.waiters.map(({ deadlineMs }) => deadlineMs),
    ...closeTimes(state, settings).map(({ closeAtMs }) => closeAtMs),
    ...(isLaunchDue && hasRoom(state, settings) ? [state.nextLaunchAtMs] : []),
    ...(state.sparesDueMs === undefined ? [] : [Math.max(state.sparesDueMs, state.nextLaunchAtMs)]),
  ];
  return times.length === 0 ? undefined : Math.min(...times);
}

function isOpen(browser: PooledBrowser): boolean {
  return !browser.draining && browser.closingSinceMs === undefined;
}

function leasesOf(state: Pick<PoolState, "leases">, browser: PooledBrowser): number {
  return state.leases.filter(({ sessionId }) => sessionId === browser.sessionId).length;
}
