import type { PoolSettings } from "../../core/sessions/browser-pool.ts";
import type { PoolRegion } from "../../core/sessions/pool-region.ts";
import type { Meter } from "../../core/account/meter.ts";
import type { EngineOutcome } from "../../core/scrape/page.ts";
import type { Browser, BrowserRequest } from "../../ports/browser.ts";
import type { OutboundGuard } from "../../ports/outbound/outbound-guard.ts";
import type { RequestSigner } from "../../ports/outbound/request-signer.ts";
import type { Clock } from "../../ports/system.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { BrowserGrant, BrowserPool } from "./browser-pool.ts";
import { abortable } from "./abortable.ts";
import { failed } from "./page/load-end.ts";
import { loadInBrowser } from "./load-in-browser.ts";
import { logEvent } from "../log-event.ts";

export interface BrowserSettings {
  /** Without it the account's limit, less the browsers that sessions may hold. */
  maxBrowsers?: number | undefined;
  reservedForSessions?: number;
  /** Concurrent page loads in one browser. */
  tabsPerBrowser: number;
  /** Browsers that stay open for a while when idle. */
  warmBrowsers: number;
  launchesPerMinute: number;
  /** Overrides of the pool's default settings. */
  pool?: Partial<PoolSettings>;
}

export interface BrowserOptions {
  binding: Fetcher;
  pool: Pick<DurableObjectNamespace<BrowserPool>, "getByName">;
  guard: OutboundGuard;
  /** Signs the navigations of pages. */
  signer?: RequestSigner | undefined;
  clock: Clock;
  settings: BrowserSettings;
  /** Region of the client, whose pool starts browsers there. With `maxBrowsers` one pool serves all regions. */
  region?: PoolRegion | undefined;
  meter?: Meter;
  telemetry?: Pick<Telemetry, "count" | "observe">;
  /** Aborted when the caller has left: its load ends then, and its lease is released. */
  callerLeft?: AbortSignal | undefined;
  /** Runs work that the response does not wait for, such as closing tabs. Without it the response waits. */
  defer?: (work: Promise<unknown>) => void;
}

/** Longer than the pool keeps an idle browser open: the pool closes browsers, and the platform only forgotten ones. */
const KEEP_ALIVE_MS = 120_000;
/** Number of browsers until the account's limit is known. */
const LEAST_BROWSERS = 2;
/** Pool of work without a known place. */
const POOL = "pool";
const MAX_ATTEMPTS = 2;
/** With less time left than this a page is not loaded again. */
const MIN_RETRY_MS = 2_000;

/** Loads pages in the platform's browsers: each load leases a slot from the pool and opens a separate context. */
export function createBrowser(options: BrowserOptions): Browser {
  return { load: (request) => load(options, request) };
}

async function load(options: BrowserOptions, request: BrowserRequest): Promise<EngineOutcome> {
  const refusal = await refuse(options.guard, request);
  if (refusal !== undefined) return refusal;
  let queuedMs = 0;
  for (let attempt = 1; ; attempt++) {
    const grant = await acquire(options, request);
    countGrant(options, grant);
    if (grant.kind === "refused") return refused(grant);
    queuedMs += grant.queuedMs;
    const startedAtMs = options.clock.now();
    const { outcome, lease } = await useLease(options, request, grant);
    count(options, outcome, startedAtMs);
    const hasTime = request.deadlineMs - options.clock.now() > MIN_RETRY_MS;
    if (lease === "gone" && attempt < MAX_ATTEMPTS && hasTime) continue;
    return outcome.kind === "loaded" ? { kind: "loaded", page: { ...outcome.page, queuedMs } } : outcome;
  }
}

function countGrant(options: BrowserOptions, grant: BrowserGrant): void {
  const { telemetry } = options;
  const labels = { region: poolRegion(options) ?? POOL };
  if (grant.kind === "granted") telemetry?.observe("browser_wait_seconds", labels, grant.queuedMs);
  else telemetry?.count("browser_refusals_total", { ...labels, reason: grant.reason });
}

/** Counts the browser time and the size of the document. The namespace of the pool counts its calls. */
function count({ meter, clock }: BrowserOptions, outcome: EngineOutcome, startedAtMs: number): void {
  meter?.add("browserMs", clock.now() - startedAtMs);
  if (outcome.kind === "loaded") meter?.add("bytesFetched", outcome.page.body.length);
}

/** Refuses a forbidden address before a browser is leased. */
async function refuse(guard: OutboundGuard, { url, ownHosts }: BrowserRequest): Promise<EngineOutcome | undefined> {
  const verdict = await guard.check(url, ownHosts);
  if (verdict.kind === "refused") return failed("SAFE_MODE_BLOCKED", verdict.reason);
  if (verdict.kind === "allowed") return undefined;
  return failed("SCRAPE_DNS_RESOLUTION_ERROR", `The host name ${verdict.hostname} does not resolve`);
}

async function acquire(options: BrowserOptions, { deadlineMs, owner }: BrowserRequest): Promise<BrowserGrant> {
  const { settings, callerLeft, defer } = options;
  const acquiring: Promise<BrowserGrant> = poolStub(options).acquire({
    deadlineMs,
    owner,
    settings: { ...toPoolSettings(settings), keepAliveMs: KEEP_ALIVE_MS },
  });
  try {
    return callerLeft === undefined ? await acquiring : await abortable(acquiring, callerLeft);
  } catch (error) {
    if (callerLeft?.aborted === true) {
      defer?.(
        acquiring.then((grant) =>
          grant.kind === "granted" ? poolStub(options).release(grant.leaseId, "ok") : undefined,
        ),
      );
      return { kind: "refused", reason: "deadline" };
    }
    logEvent({ event: "browser_pool_failed", reason: String(error) });
    return { kind: "refused", reason: "unavailable" };
  }
}

/** Loads the page under a lease and always releases it, after the response where that is possible. */
async function useLease(
  options: BrowserOptions,
  request: BrowserRequest,
  grant: Extract<BrowserGrant, { kind: "granted" }>,
) {
  const { binding, guard, signer, defer, meter, callerLeft } = options;
  const { leaseId, sessionId } = grant;
  const { outcome, close } = await loadInBrowser({
    binding,
    guard,
    signer,
    request,
    sessionId,
    callerLeft,
    onContext: (contextId) => ignoreFailure(poolStub(options).bind(leaseId, contextId)),
  });
  const closing = close().then(async (lease) => {
    await ignoreFailure(poolStub(options).release(leaseId, lease));
    return lease;
  });
  if (defer === undefined || outcome.kind !== "loaded") return { outcome, lease: await closing };
  // The release follows the receipt.
  meter?.expect({ durableObjectRequests: 1 });
  defer(closing);
  return { outcome, lease: "ok" as const };
}

/** Logs a failed call to the pool, which notices when the lease expires. */
async function ignoreFailure(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    logEvent({ event: "browser_pool_failed", reason: String(error) });
  }
}

/** Returns the pool of the client's region. Its object is placed there when it is first used, and so are its browsers. */
function poolStub(options: BrowserOptions) {
  const { pool } = options;
  const region = poolRegion(options);
  return region === undefined ? pool.getByName(POOL) : pool.getByName(region, { locationHint: region });
}

/** Returns the region whose pool is used. A fixed number of browsers is that of one pool, and regions have none. */
function poolRegion({ region, settings }: BrowserOptions): PoolRegion | undefined {
  return settings.maxBrowsers === undefined ? region : undefined;
}

function toPoolSettings(settings: BrowserSettings): PoolSettings {
  return {
    maxBrowsers: settings.maxBrowsers ?? LEAST_BROWSERS,
    ...(settings.maxBrowsers === undefined ? { reservedOfAccount: settings.reservedForSessions ?? 0 } : {}),
    contextsPerBrowser: settings.tabsPerBrowser,
    warm: settings.warmBrowsers,
    launchIntervalMs: Math.ceil(60_000 / settings.launchesPerMinute),
    maxPages: 80,
    maxAgeMs: 600_000,
    idleCloseMs: 20_000,
    warmCloseMs: 60_000,
    leaseGraceMs: 20_000,
    ...settings.pool,
  };
}

function refused({ reason, retryAfterMs }: Extract<BrowserGrant, { kind: "refused" }>): EngineOutcome {
  if (reason === "deadline") return failed("SCRAPE_TIMEOUT", "No browser became free in time");
  const later = retryAfterMs === undefined ? "" : `; try again in ${Math.ceil(retryAfterMs / 1000)} s`;
  return failed("SCRAPE_BROWSER_UNAVAILABLE", `No browser could be started${later}`);
}
