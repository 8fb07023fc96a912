import { isToClose, type Forgetting } from "../../core/crawl/frontier.ts";
import type { Frontier } from "../../storage/crawl/frontier.ts";
import type { JobCharges } from "../account/job-charges.ts";
import { logEvent } from "../log-event.ts";

interface EndParts {
  frontier: Frontier;
  charges: JobCharges;
}

/** Closes an ended job. The charge is stored before the ledger deletes the job, so that it can be repeated. */
export function closeInObject({ frontier, charges }: EndParts, forgetting: Forgetting | undefined): Promise<void> {
  return charges.inOrder(async () => {
    const state = frontier.state();
    if (state === undefined || !isToClose(state)) return;
    await charges.charge(0);
    frontier.noteCharged(state.creditsUsed, Date.now());
    await charges.release();
    frontier.close(Date.now(), forgetting);
  });
}

/**
 * Releases the credits of the pages that a cancelled job does not scrape any more. A failure leaves them to the last page
 * that is being scraped, after which the job is closed.
 */
export function releaseUnread({ charges }: Pick<EndParts, "charges">): Promise<void> {
  return charges.inOrder(async () => {
    await charges.charge(0).catch((error: unknown) => logEvent({ event: "charge_failed", message: String(error) }));
  });
}

/**
 * Closes an ended job that has expired before it was closed: releases the credits of its unread pages, also of those that are being
 * scraped, and its slot. Can be repeated.
 */
export function expireInObject({ frontier, charges }: EndParts): Promise<void> {
  return charges.inOrder(async () => {
    const state = frontier.state();
    if (state === undefined || state.closed) return;
    await charges.chargeFinished();
    frontier.noteCharged(state.creditsUsed, Date.now());
    await charges.release();
    frontier.close(Date.now());
  });
}
