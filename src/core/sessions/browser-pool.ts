import { isFirstOfTeam, nextByFairness, noteServed, type Owner } from "../fair-order.ts";
import { isOwnBrowser } from "../own-browsers.ts";
import type {
  Lease,
  LeaseOutcome,
  PooledBrowser,
  PoolEffect,
  PoolEvent,
  PoolSettings,
  PoolState,
  Waiter,
} from "./pool-state.ts";

export * from "./pool-state.ts";

/** Consecutive failed launches after which waiting callers are refused before their deadlines. */
const HOPELESS_FAILURES = 3;
const MAX_BACKOFF_MS = 20_000;
/** Time since its last success after which an idle browser is drained when another one is found dead. */
const TRUST_MS = 5_000;
const CLOSE_AGAIN_MS = 30_000;

interface Draft {
  /** Objects of the state before, except for those that `changed` has copied. */
  browsers: PooledBrowser[];
  copied: Set<PooledBrowser>;
  /** Number of leases by session. */
  held: Map<string, number>;
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
 * Browsers and leases that have not changed are the same objects as before, so that the caller writes no others.
 * Never holds more than `maxBrowsers` browsers or `contextsPerBrowser` leases on one, beside those for teams that have
 * none (`browsersBeside`, `contextsBeside`), grants or refuses every waiter by its deadline, and closes every browser that is idle for long
 * enough.
 */
export function stepPool(
  state: PoolState,
  event: PoolEvent,
  { settings, nowMs }: { settings: PoolSettings; nowMs: number },
): { state: PoolState; effects: PoolEffect[] } {
  const draft: Draft = {
    ...state,
    browsers: [...state.browsers],
    copied: new Set(),
    held: countLeases(state.leases),
    leases: [...state.leases],
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
      const place = draft.leases.findIndex(({ leaseId }) => leaseId === event.leaseId);
      const lease = draft.leases[place];
      if (lease !== undefined) draft.leases[place] = { ...lease, contextId: event.contextId };
      return;
    }
    case "released":
      return release(draft, event.leaseId, event.outcome);
    case "launched": {
      addBrowser(draft, event.sessionId);
      draft.launching = Math.max(0, draft.launching - 1);
      draft.failures = 0;
      return;
    }
    case "found":
      return addBrowser(draft, event.sessionId);
    case "launch_failed":
      return launchFailed(draft, event.retryAfterMs);
    case "closed": {
      draft.browsers = draft.browsers.filter(({ sessionId }) => sessionId !== event.sessionId);
      draft.leases = draft.leases.filter(({ sessionId }) => sessionId !== event.sessionId);
      draft.held.delete(event.sessionId);
      return;
    }
    case "ticked":
      return;
  }
}

function addBrowser(draft: Draft, sessionId: string): void {
  const { nowMs } = draft;
  const times = { bornAtMs: nowMs, lastUsedAtMs: nowMs, provenAtMs: nowMs };
  draft.browsers.push({ sessionId, ...times, pages: 0, draining: false });
}

function release(draft: Draft, leaseId: string, outcome: LeaseOutcome): void {
  const lease = draft.leases.find((candidate) => candidate.leaseId === leaseId);
  if (lease === undefined) return;
  draft.leases = draft.leases.filter((candidate) => candidate !== lease);
  hold(draft, lease.sessionId, -1);
  const browser = changed(draft, lease.sessionId);
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
    if (isIdle && browser.provenAtMs < draft.nowMs - TRUST_MS) drain(draft, browser);
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
    hold(draft, sessionId, -1);
    const browser = changed(draft, sessionId);
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
    if (browser.pages >= maxPages || draft.nowMs - browser.bornAtMs >= maxAgeMs) drain(draft, browser);
  }
}

/**
 * Grants waiters. Browsers of the operator come before those of the platform, which are billed, and of each the fullest one, so
 * that others become idle and can be closed.
 */
function grantWaiters(draft: Draft): void {
  while (draft.waiters.length > 0) {
    const { settings } = draft;
    // A browser beside the others is for teams that hold none.
    if (isFull(draft, settings) && !hasFirst(draft)) return;
    const free = freeBrowser(draft, settings.contextsPerBrowser) ?? browserBeside(draft);
    if (free === undefined) return;
    // The fairest waiter is of the team that holds least: of one that has no lease, if there is one.
    const place = nextByFairness(draft.waiters, { holding: draft.leases, served: draft.served });
    const [waiter] = draft.waiters.splice(place, 1);
    if (waiter === undefined) return;
    if (waiter.deadlineMs <= draft.nowMs) {
      draft.effects.push({ kind: "refuse", leaseId: waiter.leaseId, reason: "deadline" });
      continue;
    }
    const expiresAtMs = waiter.deadlineMs + draft.settings.leaseGraceMs;
    const { leaseId, owner } = waiter;
    const browser = changed(draft, free.sessionId) ?? free;
    draft.leases.push({ leaseId, sessionId: browser.sessionId, expiresAtMs, owner });
    hold(draft, browser.sessionId, 1);
    draft.served = noteServed(draft.served, owner, [...draft.waiters, ...draft.leases]);
    browser.pages += 1;
    browser.lastUsedAtMs = draft.nowMs;
    const queuedMs = draft.nowMs - waiter.askedAtMs;
    draft.effects.push({ kind: "grant", leaseId: waiter.leaseId, sessionId: browser.sessionId, queuedMs });
  }
}

/**
 * Returns a browser for the first page of a team while other teams hold all contexts, which they may do for minutes.
 * @returns undefined when no such team waits, or another browser can be launched for it
 */
function browserBeside(draft: Draft): PooledBrowser | undefined {
  const { settings } = draft;
  if (draft.launching > 0 || hasRoom(draft, settings) || !hasFirst(draft)) return undefined;
  return freeBrowser(draft, settings.contextsPerBrowser + contextsBeside(settings));
}

/** Returns the number of contexts of a browser for teams that have none: half as many again, where pages share browsers. */
function contextsBeside({ contextsPerBrowser }: Pick<PoolSettings, "contextsPerBrowser">): number {
  return Math.floor(contextsPerBrowser / 2);
}

/** Reports whether a team waits that holds no context. */
function hasFirst({ waiters, leases }: Pick<PoolState, "waiters" | "leases">): boolean {
  return waiters.some((waiter) => isFirstOfTeam(waiter, leases));
}

/** Reports whether all contexts of `maxBrowsers` browsers are held. */
function isFull({ leases }: Pick<PoolState, "leases">, settings: PoolSettings): boolean {
  return leases.length >= settings.maxBrowsers * settings.contextsPerBrowser;
}

function freeBrowser(draft: Draft, contexts: number): PooledBrowser | undefined {
  const { maxPages } = draft.settings;
  let best: PooledBrowser | undefined;
  for (const browser of draft.browsers) {
    const leases = leasesOf(draft, browser);
    if (!isOpen(browser) || browser.pages >= maxPages || leases >= contexts) continue;
    const more =
      best === undefined
        ? 1
        : Number(isOwnBrowser(browser.sessionId)) - Number(isOwnBrowser(best.sessionId)) ||
          leases - leasesOf(draft, best) ||
          best.bornAtMs - browser.bornAtMs;
    if (more > 0) best = browser;
  }
  return best;
}

function refuseWaiters(draft: Draft): void {
  const { nowMs } = draft;
  // After the pause that a failed launch demands, the next one is tried, however many have failed.
  const isPaused = nowMs < draft.nextLaunchAtMs;
  const isHopeless = isPaused && !draft.browsers.some(isOpen) && draft.launching === 0 && draft.failures > 0;
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
  if (draft.launching === 0 && mayLaunchBeside(draft, draft.settings) && draft.nowMs >= draft.nextLaunchAtMs)
    launch(draft);
}

/** Reports whether a team that holds no context may have a browser beside those that others hold. */
function mayLaunchBeside(
  state: Pick<PoolState, "browsers" | "leases" | "launching" | "waiters">,
  settings: PoolSettings,
): boolean {
  const most = settings.maxBrowsers + (settings.browsersBeside ?? 0);
  return isFull(state, settings) && hasRoom(state, { maxBrowsers: most }) && hasFirst(state);
}

/** Launches spares within the launch budget. Spares beyond `maxBrowsers` are dropped: the next request asks again. */
function launchSpares(draft: Draft): void {
  if (draft.sparesDueMs === undefined || draft.nowMs < draft.sparesDueMs) return;
  while (missingSpares(draft, draft.settings) > 0 && canLaunch(draft)) launch(draft);
  if (missingSpares(draft, draft.settings) <= 0 || !hasRoom(draft, draft.settings)) draft.sparesDueMs = undefined;
}

function launch(draft: Draft): void {
  draft.launching += 1;
  draft.nextLaunchAtMs = draft.nowMs + draft.settings.launchIntervalMs;
  draft.effects.push({ kind: "launch" });
}

function canLaunch(draft: Draft): boolean {
  return hasRoom(draft, draft.settings) && draft.nowMs >= draft.nextLaunchAtMs;
}

function hasRoom(
  state: Pick<PoolState, "browsers" | "launching">,
  { maxBrowsers }: Pick<PoolSettings, "maxBrowsers">,
): boolean {
  return state.browsers.length + state.launching < maxBrowsers;
}

/** Returns the number of spare browsers to start, in addition to those started for waiting callers. */
function missingSpares(
  state: Pick<Draft, "browsers" | "held" | "waiters" | "launching">,
  { spare = 0, contextsPerBrowser }: PoolSettings,
): number {
  const idle = state.browsers.filter((browser) => isOpen(browser) && leasesOf(state, browser) === 0).length;
  const forWaiters = Math.ceil(state.waiters.length / contextsPerBrowser);
  return spare - idle - (state.launching - forWaiters);
}

function closeUnused(draft: Draft): void {
  for (const { browser, closeAtMs } of closeTimes(draft, draft.settings)) {
    if (closeAtMs > draft.nowMs) continue;
    const closing = changed(draft, browser.sessionId);
    if (closing !== undefined) closing.closingSinceMs = draft.nowMs;
    draft.effects.push({ kind: "close", sessionId: browser.sessionId });
  }
}

/** Returns every browser without a lease, with its closing time. */
function closeTimes(
  state: Pick<Draft, "browsers" | "held">,
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
    ...closeTimes({ browsers: [...state.browsers], held: countLeases(state.leases) }, settings).map(
      ({ closeAtMs }) => closeAtMs,
    ),
    ...(isLaunchDue && (hasRoom(state, settings) || mayLaunchBeside(state, settings)) ? [state.nextLaunchAtMs] : []),
    ...(state.sparesDueMs === undefined ? [] : [Math.max(state.sparesDueMs, state.nextLaunchAtMs)]),
  ];
  return times.length === 0 ? undefined : Math.min(...times);
}

function isOpen(browser: PooledBrowser): boolean {
  return !browser.draining && browser.closingSinceMs === undefined;
}

function leasesOf({ held }: Pick<Draft, "held">, { sessionId }: PooledBrowser): number {
  return held.get(sessionId) ?? 0;
}

function countLeases(leases: readonly Lease[]): Map<string, number> {
  const held = new Map<string, number>();
  for (const { sessionId } of leases) held.set(sessionId, (held.get(sessionId) ?? 0) + 1);
  return held;
}

function hold({ held }: Draft, sessionId: string, change: 1 | -1): void {
  held.set(sessionId, (held.get(sessionId) ?? 0) + change);
}

/** Returns a browser of the draft as an object of its own, which may be changed. */
function changed(draft: Draft, id: string): PooledBrowser | undefined {
  const place = draft.browsers.findIndex(({ sessionId }) => sessionId === id);
  const browser = draft.browsers[place];
  if (browser === undefined || draft.copied.has(browser)) return browser;
  const copy = { ...browser };
  draft.browsers[place] = copy;
  draft.copied.add(copy);
  return copy;
}

function drain(draft: Draft, { sessionId, draining }: PooledBrowser): void {
  const browser = draining ? undefined : changed(draft, sessionId);
  if (browser !== undefined) browser.draining = true;
}
