import type { FrontierItem } from "./frontier.ts";

/** Loads after which a page with retryable failures has failed permanently. */
export const MAX_LOADS = 3;
const RETRY_DELAYS_MS = [1_000, 10_000];

/** Lost leases after which a page has failed permanently: no worker run has reported anything about it. */
export const MAX_LOST_LEASES = 5;
const LOST_DELAYS_MS = [0, 2_000, 10_000, 30_000];
/**
 * Time between the next attempts of pages that were lost together, more than once: a page that ends its worker run then
 * takes no others with it.
 */
const LOST_SPACING_MS = 1_000;

/** Returns which load of its page an attempt is: those before it whose lease was lost do not count. */
export function loadNumber({ attempt, lost = 0 }: Pick<FrontierItem, "attempt" | "lost">): number {
  return Math.max(1, attempt - lost);
}

/**
 * Returns the time to retry a failed page; undefined when it has failed permanently.
 * @param load number of the failed load, from 1.
 */
export function retryAtMs(
  load: number,
  failure: { retryable: boolean; retryAfterMs?: number | undefined },
  nowMs: number,
): number | undefined {
  if (!failure.retryable || load >= MAX_LOADS) return undefined;
  return nowMs + Math.max(failure.retryAfterMs ?? 0, RETRY_DELAYS_MS[load - 1] ?? 0);
}

/**
 * Returns the time to retry a page whose lease was lost; undefined when it has failed permanently.
 * @param lost number of its lost leases, from 1.
 * @param place place of the page among those of the lease.
 */
export function retryLostAtMs(lost: number, place: number, nowMs: number): number | undefined {
  if (lost >= MAX_LOST_LEASES) return undefined;
  return nowMs + (LOST_DELAYS_MS[lost - 1] ?? 0) + (lost > 1 ? place * LOST_SPACING_MS : 0);
}
