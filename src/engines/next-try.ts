import type { ErrorCode } from "../core/errors.ts";
import type { EngineOutcome } from "../core/scrape/page.ts";
import { retryAfterMs } from "../core/scrape/retry-after.ts";
import type { Engine, PageRequest } from "./engine.ts";
import type { Obstacle } from "./page-signals.ts";

export const BAD_CERTIFICATE = "SCRAPE_SSL_ERROR";
const MAX_TRIES = 3;
const FIRST_DELAY_MS = 200;
const MAX_RETRY_AFTER_MS = 10_000;
/** Challenges that let browsers through do so within about five seconds. */
const CHALLENGE_WAIT_MS = 5000;
/** Server errors and refusals for now are worth another try (RFC 9110 §§ 15.5, 15.6; RFC 6585 § 4). */
const RETRYABLE_STATUSES = new Set([429, 500, 502, 503, 504]);
/** Failures of an egress route's proxy or service, not of the site. */
export const PROXY_CODES: ReadonlySet<ErrorCode> = new Set(["SCRAPE_PROXY_UNREACHABLE", "SCRAPE_PROXY_DENIED"]);

/** Another try of the same engine: how long to wait before it, and how much longer to stay on the page. */
export interface NextTry {
  delayMs: number;
  extraWaitMs: number;
  reason: string;
}

interface Tried {
  outcome: EngineOutcome;
  obstacle: Obstacle | undefined;
  /** From 1. */
  attempt: number;
  atMs: number;
  /** False for a load that checked the certificate of the site. */
  skipTlsVerification: boolean;
}

/**
 * The reason to try again; undefined when another attempt is pointless. Server errors and temporary refusals pass; many
 * challenges let a browser through that stays for some seconds; a wall does not open for another plain fetch.
 */
export function nextTry({ engine, route }: Engine, tried: Tried, request: PageRequest): NextTry | undefined {
  const { isRetriedLater = false } = request;
  const { outcome, obstacle, attempt } = tried;
  if (attempt >= MAX_TRIES) return undefined;
  if (outcome.kind === "failed" && outcome.code === BAD_CERTIFICATE && engine === "browser") {
    const maySkip = request.skipTlsVerification && !tried.skipTlsVerification;
    return maySkip ? { delayMs: 0, extraWaitMs: 0, reason: BAD_CERTIFICATE } : undefined;
  }
  if (outcome.kind === "failed" && PROXY_CODES.has(outcome.code)) {
    // Another proxy of the route.
    return attempt < (route?.endpoints ?? 1) ? { delayMs: 0, extraWaitMs: 0, reason: outcome.code } : undefined;
  }
  const delayMs = isRetriedLater ? undefined : retryDelayMs(tried);
  if (delayMs !== undefined) {
    const reason = outcome.kind === "loaded" ? `http_${outcome.page.statusCode}` : "failed";
    return { delayMs, extraWaitMs: 0, reason };
  }
  const isChallenged =
    outcome.kind === "loaded" && outcome.page.engine === "browser" && obstacle?.reason === "bot_wall";
  return isChallenged && attempt === 1 ? { delayMs: 0, extraWaitMs: CHALLENGE_WAIT_MS, reason: "bot_wall" } : undefined;
}

/** Ms until another try makes sense; undefined when it does not. Browsers repeat nothing: their tries cost seconds. */
function retryDelayMs({ outcome, obstacle, attempt, atMs }: Tried): number | undefined {
  const backOffMs = FIRST_DELAY_MS * 2 ** (attempt - 1);
  if (outcome.kind !== "loaded" || outcome.page.engine !== "fetch" || obstacle?.kind === "blocked") return undefined;
  if (!RETRYABLE_STATUSES.has(outcome.page.statusCode)) return undefined;
  const askedMs = retryAfterMs(outcome.page.headers["retry-after"] ?? "", atMs);
  if (askedMs === undefined) return backOffMs;
  return askedMs <= MAX_RETRY_AFTER_MS ? Math.max(askedMs, backOffMs) : undefined;
}
