import type { RetryOutcome } from "../../ports/crawl/frontier.ts";
import type { Frontier } from "../../storage/crawl/frontier.ts";
import type { JobCharges } from "../account/job-charges.ts";

interface RetryParts {
  frontier: Frontier;
  charges: JobCharges;
  /** Sets the alarm that ends the job once more when the retry is interrupted. */
  wake(): Promise<void>;
}

/**
 * Runs an ended job again with its failed URLs. The job is marked as not closed before it takes its slot: after a crash
 * between the two, and when there is no slot, the alarm closes it once more, which releases the slot.
 * @param id id of the request, which is the same when it is repeated.
 */
export function retryInObject({ frontier, charges, wake }: RetryParts, id: string): Promise<RetryOutcome | undefined> {
  // In order with the end of the job, which releases its slot.
  return charges.inOrder(async () => {
    const prepared = frontier.prepareRetry(id, Date.now());
    if (prepared?.kind !== "ready") return prepared;
    await wake();
    return (await charges.takeSlot()) ? frontier.retry(id, Date.now()) : { kind: "no_slot" as const };
  });
}
