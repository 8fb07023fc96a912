import { ALLOW_ALL, DISALLOW_ALL, MAX_ROBOTS_BYTES, parseRobots, type Robots } from "../../content/crawling/robots.ts";
import { ERRORS, type ErrorCode } from "../../core/errors.ts";
import type { OutboundOutcome } from "../../ports/outbound/http.ts";
import type { Deps } from "../deps.ts";

/** The robots.txt of a host. Plain data, which may be stored as JSON. */
export interface HostRobots {
  /** `unreachable`: no page may be loaded until the entry expires and the file is fetched again. */
  kind: "found" | "missing" | "unreachable";
  robots: Robots;
  expiresAtMs: number;
  /** Present when the host gave no response, so that no page of it can be loaded either. */
  failure?: { code: ErrorCode; message: string };
}

type Uses = Pick<Deps, "http" | "clock" | "settings">;

const DAY_MS = 86_400_000;
const UNREACHABLE_MS = 60_000;
/** Time after which a host that gave no response is asked again. */
export const NO_RESPONSE_MS = 2_000;
const TIMEOUT_MS = 15_000;
/** RFC 9309 § 2.3.1.2. */
const MAX_REDIRECTS = 5;
/** Only the first 500 KiB are read; files larger than this are not fetched completely. */
const MAX_FETCHED_BYTES = MAX_ROBOTS_BYTES * 8;
const MAX_KNOWN = 200;

/** Cache by origin, for the lifetime of the isolate. The least recently used entry is evicted first. */
const known = new Map<string, HostRobots>();

/**
 * Returns the robots.txt of a URL's host: fetched once a day (RFC 9309 § 2.4), sooner after a failure. Never throws.
 */
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
 * Applies RFC 9309 § 2.3.1: a missing file allows everything, an unreachable one forbids everything for now. A
 * permanent failure, such as a host name that does not exist, is left to the page's own load, which reports it.
 */
function toHostRobots(outcome: OutboundOutcome, nowMs: number): HostRobots {
  const missing: HostRobots = { kind: "missing", robots: ALLOW_ALL, expiresAtMs: nowMs + DAY_MS };
  const unreachable: HostRobots = { kind: "unreachable", robots: DISALLOW_ALL, expiresAtMs: nowMs + UNREACHABLE_MS };
  if (outcome.kind === "failed") {
    const { code, message } = outcome;
    if (!ERRORS[code].retryable) return { ...missing, expiresAtMs: nowMs + UNREACHABLE_MS };
    return { ...unreachable, expiresAtMs: nowMs + NO_RESPONSE_MS, failure: { code, message } };
  }
  const { statusCode, redirects, body } = outcome.response;
  if (redirects > MAX_REDIRECTS) return missing;
  if (statusCode >= 500 || statusCode === 429) return unreachable;
  if (statusCode < 200 || statusCode >= 300) return missing;
  const text = new TextDecoder().decode(body.subarray(0, MAX_ROBOTS_BYTES + 1));
  return { kind: "found", robots: parseRobots(text), expiresAtMs: nowMs + DAY_MS };
}
