/** An event is sent again after 1, 5 and 15 minutes, and then listed as failed. */
const RETRY_DELAYS_MS = [60_000, 300_000, 900_000];

/** What came of sending an event; one that is refused would be refused at every attempt. */
export type DeliveryKind = "delivered" | "failed" | "refused";

/**
 * How long to wait before an event is sent again that did not arrive.
 * @param earlierAttempts attempts before the one that has just failed.
 * @returns undefined when it is given up.
 */
export function webhookRetryDelayMs(kind: Exclude<DeliveryKind, "delivered">, earlierAttempts: number) {
  return kind === "refused" ? undefined : RETRY_DELAYS_MS[earlierAttempts];
}
