import { ALLOW_ALL, decodeRobots, DISALLOW_ALL, MAX_ROBOTS_BYTES, parseRobots } from "../../content/crawling/robots.ts";
import { waitForGrant } from "../../core/waits/wait-for-grant.ts";
import { ERRORS } from "../../core/errors.ts";
import type { Owner } from "../../core/fair-order.ts";
import type { OutboundOutcome } from "../../ports/outbound/http.ts";
import type { Deps } from "../deps.ts";
import { RobotsCache, type HostRobots } from "./robots-cache.ts";

type Uses = Pick<Deps, "http" | "clock" | "settings" | "clientLeft">;

const DAY_MS = 86_400_000;
const UNREACHABLE_MS = 60_000;
/** Time after which a host that gave no response is asked again. */
export const NO_RESPONSE_MS = 2_000;
const TIMEOUT_MS = 15_000;
/** The same for a host whose robots.txt has exceeded its time within the last minute. */
const TIMEOUT_AGAIN_MS = 3_000;
/** RFC 9309 § 2.3.1.2. */
const MAX_REDIRECTS = 5;

/** Cache by origin, for the lifetime of the isolate. */
const known = new RobotsCache();

/** A request for a robots.txt that has not ended. That of a cancelled invocation never does, so it counts until its limit. */
interface Asking {
  /** Ms since the epoch, by `Date.now`. */
  limitMs: number;
  /** Called with the result, or undefined where the request was cut short. */
  waiting: Set<(found: HostRobots | undefined) => void>;
}

/** By team and origin, of all invocations of the isolate: a request may wait for others of its team, for which no other team waits. */
const asked = new Map<string, Asking>();
/** A waiting invocation looks for its result at this interval, should nothing wake it. */
const RECHECK_MS = 1_000;

interface RobotsOptions {
  /** Ms since the epoch. */
  deadlineMs?: number;
  /** Whose request it is, where teams share the connections. */
  owner?: Owner | undefined;
}

/**
 * Returns the robots.txt of a URL's host: fetched once a day (RFC 9309 § 2.4), sooner after a failure, and by one
 * invocation of a team at a time in the isolate. Never throws.
 */
export async function robotsOfHost(deps: Uses, url: string, options: RobotsOptions = {}): Promise<HostRobots> {
  const { origin } = new URL(url);
  for (;;) {
    const before = known.get(origin);
    if (before !== undefined && deps.clock.now() < before.expiresAtMs) return before;
    const { deadlineMs = Infinity, owner } = options;
    const other = asked.get(nameOf(origin, owner));
    if (other === undefined || other.limitMs <= Date.now()) return await ask(deps, { origin, before, options });
    const leftMs = deadlineMs - deps.clock.now();
    if (leftMs <= 0) return await fetchRobots(deps, origin, { deadlineMs, owner });
    const found = await resultOf(other, Math.min(other.limitMs, Date.now() + leftMs));
    if (found !== undefined) return found;
  }
}

function nameOf(origin: string, owner: Owner | undefined): string {
  return `${origin} ${owner?.teamId ?? ""}`;
}

/** Returns the result of another invocation's request; undefined when there is none until `limitMs`. */
async function resultOf({ waiting }: Asking, limitMs: number): Promise<HostRobots | undefined> {
  let granting: ((found: HostRobots | undefined) => void) | undefined;
  return await waitForGrant<HostRobots | undefined>({
    enqueue: (grant) => void waiting.add((granting = grant)),
    withdraw: () => void (granting && waiting.delete(granting)),
    everyMs: RECHECK_MS,
    recheck: () => undefined,
    limit: { deadlineMs: limitMs },
  }).catch(() => undefined);
}

interface Ask {
  origin: string;
  /** The last result, which has expired. */
  before: HostRobots | undefined;
  options: RobotsOptions;
}

async function ask(deps: Uses, { origin, before, options }: Ask): Promise<HostRobots> {
  const { deadlineMs = Infinity, owner } = options;
  const nowMs = deps.clock.now();
  const timeoutMs = hasTimedOut(before, nowMs) ? TIMEOUT_AGAIN_MS : TIMEOUT_MS;
  const name = nameOf(origin, owner);
  const asking: Asking = { limitMs: Date.now() + timeoutMs + RECHECK_MS, waiting: new Set() };
  for (const [other, { limitMs }] of asked) if (limitMs <= Date.now()) asked.delete(other);
  asked.set(name, asking);
  const endMs = Math.min(deadlineMs, nowMs + timeoutMs);
  let shared: HostRobots | undefined;
  try {
    const found = await fetchRobots(deps, origin, { deadlineMs: endMs, owner });
    // A caller with less time, or one that has left, says nothing about the host.
    const hasLessTime = found.failure?.code === "SCRAPE_TIMEOUT" && endMs < nowMs + timeoutMs;
    const hasLeft = found.failure !== undefined && deps.clientLeft?.aborted === true;
    const isCutShort = hasLessTime || hasLeft || found.failure?.isUnsent === true;
    if (!isCutShort) known.set(origin, (shared = found));
    return found;
  } finally {
    if (asked.get(name) === asking) asked.delete(name);
    for (const grant of asking.waiting) grant(shared);
  }
}

function hasTimedOut(before: HostRobots | undefined, nowMs: number): boolean {
  return before?.failure?.code === "SCRAPE_TIMEOUT" && nowMs < before.expiresAtMs + UNREACHABLE_MS;
}

async function fetchRobots(
  deps: Uses,
  origin: string,
  { deadlineMs, owner }: Pick<RobotsOptions, "owner"> & { deadlineMs: number },
): Promise<HostRobots> {
  const outcome = await deps.http.request({
    url: `${origin}/robots.txt`,
    headers: { "user-agent": deps.settings.userAgent, accept: "text/plain,*/*;q=0.5", "accept-encoding": "gzip, br" },
    deadlineMs,
    owner,
    maxBodyBytes: MAX_ROBOTS_BYTES,
    cutsBody: true,
    ownHosts: deps.settings.ownHosts,
  });
  return toHostRobots(outcome, deps.clock.now());
}

/**
 * Applies RFC 9309 § 2.3.1: a missing file allows everything, an unreachable one forbids everything for now. A
 * permanent failure, such as a host name that does not exist, is left to the page's own load, which reports it.
 */
function toHostRobots(outcome: OutboundOutcome, nowMs: number): HostRobots {
  const missing: HostRobots = { kind: "missing", robots: ALLOW_ALL, expiresAtMs: nowMs + DAY_MS };
  const unreachable: HostRobots = { kind: "unreachable", robots: DISALLOW_ALL, expiresAtMs: nowMs + UNREACHABLE_MS };
  if (outcome.kind === "failed") {
    const { code, message, isUnsent } = outcome;
    // A file that is packed to a bomb exists, and its rules are not known.
    if (code === "SCRAPE_BODY_TOO_LARGE") return unreachable;
    if (!ERRORS[code].retryable) return { ...missing, expiresAtMs: nowMs + UNREACHABLE_MS };
    const failure = { code, message, ...(isUnsent === true ? { isUnsent } : {}) };
    return { ...unreachable, expiresAtMs: nowMs + NO_RESPONSE_MS, failure };
  }
  const { statusCode, redirects, body } = outcome.response;
  if (redirects > MAX_REDIRECTS) return missing;
  if (statusCode >= 500 || statusCode === 429) return unreachable;
  if (statusCode < 200 || statusCode >= 300) return missing;
  const text = decodeRobots(body);
  return { kind: "found", robots: parseRobots(text), chars: text.length, expiresAtMs: nowMs + DAY_MS };
}
