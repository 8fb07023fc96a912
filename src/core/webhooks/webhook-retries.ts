/** Delays of retries: 1, 5 and 15 minutes. Afterwards an event is listed as failed. */
const RETRY_DELAYS_MS = [60_000, 300_000, 900_000];

/** Time for which events that are being sent are hidden from other senders. After a crash they are due again. */
export const EVENT_HOLD_MS = 60_000;

/** Outcome of a delivery attempt; a refused event is not retried. */
export type DeliveryKind = "delivered" | "failed" | "refused";

/** Returns the delays before the second and later attempts; none for a refused event. */
export function webhookRetryDelaysMs(kind: Exclude<DeliveryKind, "delivered">): readonly number[] {
  return kind === "refused" ? [] : RETRY_DELAYS_MS;
}

/**
 * Returns the delay before the next delivery attempt.
 * @param earlierAttempts attempts before the one that has just failed.
 * @returns undefined when the event is given up.
 */
export function webhookRetryDelayMs(kind: Exclude<DeliveryKind, "delivered">, earlierAttempts: number) {
  return webhookRetryDelaysMs(kind)[earlierAttempts];
}
