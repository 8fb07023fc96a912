import { batchEntries } from "../../core/crawl/dispatch.ts";
import type { AppendOutcome, RetryOutcome } from "../../ports/crawl/frontier.ts";
import type { Frontier } from "../../storage/crawl/frontier.ts";
import type { JobCharges } from "../account/job-charges.ts";

export interface RestartParts {
  frontier: Frontier;
  charges: JobCharges;
  /** Sets the alarm that ends the job once more when the call is interrupted. */
  wake(): Promise<void>;
}

/**
 * Runs an ended job again with its failed URLs. The job is marked as not closed before it takes its slot: after a crash
 * between the two, and when there is no slot, the alarm closes it once more, which releases the slot.
 * @param id id of the request, which is the same when it is repeated.
 */
export function retryInObject(
  { frontier, charges, wake }: RestartParts,
  id: string,
): Promise<RetryOutcome | undefined> {
  // In order with the end of the job, which releases its slot.
  return charges.inOrder(async () => {
    const prepared = frontier.prepareRetry(id, Date.now());
    if (prepared?.kind !== "ready") return prepared;
    await wake();
    return (await charges.takeSlot()) ? frontier.retry(id, Date.now()) : { kind: "no_slot" as const };
  });
}

/**
 * Adds URLs to a batch, whose credits are reserved before. One that has ended is marked as not closed first, as for a
 * retry, and takes its slot again.
 */
export function appendInObject(
  { frontier, charges, wake }: RestartParts,
  { urls, appendId }: { urls: readonly string[]; appendId: string },
): Promise<AppendOutcome> {
  return charges.inOrder(async () => {
    const prepared = frontier.prepareAppend(appendId, Date.now());
    if (prepared !== "ready") return prepared;
    await wake();
    if (!(await charges.takeSlot())) return "no_slot";
    if (!(await charges.reserveAll(urls.length))) return "no_credits";
    const first = frontier.state()?.counters.discovered ?? 0;
    return frontier.append({ seeds: batchEntries(urls, first), appendId }, Date.now()) ? "appended" : "ended";
  });
}
