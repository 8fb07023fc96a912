import type { Meter } from "../../core/account/meter.ts";
import type { Owner } from "../../core/fair-order.ts";
import type { LeaseOutcome, PoolSettings } from "../../core/sessions/browser-pool.ts";
import type { PoolRegion } from "../../core/sessions/pool-region.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { abortable } from "./abortable.ts";
import type { BrowserGrant, BrowserPool } from "./browser-pool.ts";
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

/** Access to the pool, and to the browsers that it leases. */
export interface LeaseOptions {
  binding: Fetcher;
  pool: Pick<DurableObjectNamespace<BrowserPool>, "getByName">;
  settings: BrowserSettings;
  /** Region of the client, whose pool starts browsers there. With `maxBrowsers` one pool serves all regions. */
  region?: PoolRegion | undefined;
  meter?: Meter;
  telemetry?: Pick<Telemetry, "count" | "observe">;
  /** Aborted when the caller has left: its work in the browser ends then, and its lease is released. */
  callerLeft?: AbortSignal | undefined;
  /** Runs work that the response does not wait for, such as closing tabs. Without it the response waits. */
  defer?: (work: Promise<unknown>) => void;
}

export interface LeaseRequest {
  /** Ms since the epoch until which the caller waits for a browser and then uses it. */
  deadlineMs: number;
  /** Owner of the work: when all browsers are in use, teams and their keys are served in turn. */
  owner?: Owner | undefined;
}

/** Longer than the pool keeps an idle browser open: the pool closes browsers, and the platform only forgotten ones. */
const KEEP_ALIVE_MS = 120_000;
/** Number of browsers until the account's limit is known. */
const LEAST_BROWSERS = 2;
/** Pool of work without a known place. */
const POOL = "pool";

/** Waits for a slot in a browser. Never throws. */
export async function leaseBrowser(options: LeaseOptions, request: LeaseRequest): Promise<BrowserGrant> {
  const grant = await acquire(options, request);
  countGrant(options, grant);
  return grant;
}

/** Stores the browser context of a lease, so that the pool can remove it when the holder does not. Never throws. */
export async function bindLease(options: LeaseOptions, leaseId: string, contextId: string): Promise<void> {
  await ignoreFailure(poolStub(options).bind(leaseId, contextId));
}

/** Returns a slot to the pool. Never throws. */
export async function releaseLease(options: LeaseOptions, leaseId: string, outcome: LeaseOutcome): Promise<void> {
  await ignoreFailure(poolStub(options).release(leaseId, outcome));
}

function countGrant(options: LeaseOptions, grant: BrowserGrant): void {
  const { telemetry } = options;
  const labels = { region: poolRegion(options) ?? POOL };
  if (grant.kind === "granted") telemetry?.observe("browser_wait_seconds", labels, grant.queuedMs);
  else telemetry?.count("browser_refusals_total", { ...labels, reason: grant.reason });
}

/** Time that a grant which is asked for again must have. */
const LEAST_LEFT_MS = 2_000;

/** Reports whether the pool's object was reset, as by a deployment: its leases are stored, and what waited for one is asked again. */
function isReset(error: unknown): boolean {
  const { retryable, durableObjectReset } = Object(error) as { retryable?: unknown; durableObjectReset?: unknown };
  return retryable === true || durableObjectReset === true;
}

async function acquire(options: LeaseOptions, request: LeaseRequest, isAgain = false): Promise<BrowserGrant> {
  const { settings, callerLeft, defer } = options;
  const { deadlineMs, owner } = request;
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
    if (!isAgain && isReset(error) && deadlineMs - Date.now() > LEAST_LEFT_MS)
      return await acquire(options, request, true);
    logEvent({ event: "browser_pool_failed", reason: String(error) });
    return { kind: "refused", reason: "unavailable" };
  }
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
function poolStub(options: LeaseOptions) {
  const { pool } = options;
  const region = poolRegion(options);
  return region === undefined ? pool.getByName(POOL) : pool.getByName(region, { locationHint: region });
}

/** Returns the region whose pool is used. A fixed number of browsers is that of one pool, and regions have none. */
function poolRegion({ region, settings }: LeaseOptions): PoolRegion | undefined {
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
