import { ALLOW_ALL, DISALLOW_ALL, MAX_ROBOTS_BYTES, parseRobots, type Robots } from "../../content/crawling/robots.ts";
import { ERRORS } from "../../core/errors.ts";
import type { OutboundOutcome } from "../../ports/outbound/http.ts";
import type { Deps } from "../deps.ts";

/** What is known of a host's robots.txt. Plain data, which may be stored as JSON. */
export interface HostRobots {
  /** `unreachable`: nothing may be loaded for now; ask again when it expires. */
  kind: "found" | "missing" | "unreachable";
  robots: Robots;
  expiresAtMs: number;
}

type Uses = Pick<Deps, "http" | "clock" | "settings">;

const DAY_MS = 86_400_000;
const UNREACHABLE_MS = 60_000;
const TIMEOUT_MS = 15_000;
/** RFC 9309 § 2.3.1.2. */
const MAX_REDIRECTS = 5;
/** Larger files are read up to 500 KiB; beyond this they are not fetched to their end. */
const MAX_FETCHED_BYTES = MAX_ROBOTS_BYTES * 8;
const MAX_KNOWN = 200;

/** By origin, for as long as the isolate lives. Hosts that were asked for least lately go first. */
const known = new Map<string, HostRobots>();

/** The robots.txt of a URL's host: fetched once a day (RFC 9309 § 2.4), sooner when it could not be had. Never throws. */
export async function robotsOfHost(
  deps: Uses,
  url: string,
  options: { deadlineMs?: number } = {},
): Promise<HostRobots> {
  const { origin } = new URL(url);
  const nowMs = deps.clock.now();
  const before = known.get(origin);
  known.delete(origin);
  const current =
    before !== undefined && nowMs < before.expiresAtMs ? before : await fetchRobots(deps, origin, options);
  known.set(origin, current);
  for (const oldest of known.keys()) {
    if (known.size <= MAX_KNOWN) break;
    known.delete(oldest);
  }
  return current;
}

async function fetchRobots(deps: Uses, origin: string, { deadlineMs }: { deadlineMs?: number }): Promise<HostRobots> {
  const nowMs = deps.clock.now();
  const outcome = await deps.http.request({
    url: `${origin}/robots.txt`,
    headers: { "user-agent": deps.settings.userAgent, accept: "text/plain,*/*;q=0.5", "accept-encoding": "gzip, br" },
    deadlineMs: Math.min(deadlineMs ?? Infinity, nowMs + TIMEOUT_MS),
    maxBodyBytes: MAX_FETCHED_BYTES,
    ownHosts: deps.settings.ownHosts,
  });
  return toHostRobots(outcome, nowMs);
}

/**
 * RFC 9309 § 2.3.1: what is not there allows everything, what cannot be had forbids everything for now. A host that can
 * never be had, such as a name that does not exist, is left to the page's own load, which says why.
 */
function toHostRobots(outcome: OutboundOutcome, nowMs: number): HostRobots {
  const missing: HostRobots = { kind: "missing", robots: ALLOW_ALL, expiresAtMs: nowMs + DAY_MS };
  const unreachable: HostRobots = { kind: "unreachable", robots: DISALLOW_ALL, expiresAtMs: nowMs + UNREACHABLE_MS };
  if (outcome.kind === "failed") {
    return ERRORS[outcome.code].retryable ? unreachable : { ...missing, expiresAtMs: nowMs + UNREACHABLE_MS };
  }
  const { statusCode, redirects, body } = outcome.response;
  if (redirects > MAX_REDIRECTS) return missing;
  if (statusCode >= 500 || statusCode === 429) return unreachable;
  if (statusCode < 200 || statusCode >= 300) return missing;
  const text = new TextDecoder().decode(body.subarray(0, MAX_ROBOTS_BYTES + 1));
  return { kind: "found", robots: parseRobots(text), expiresAtMs: nowMs + DAY_MS };
}
