import { batchEntries } from "../../core/crawl/dispatch.ts";
import type { AppendOutcome, PageRaise, RetryOutcome } from "../../ports/crawl/frontier.ts";
import type { Frontier } from "../../storage/crawl/frontier.ts";
import { isLeased, raisePage } from "../../storage/crawl/raised-pages.ts";
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

/**
 * Reserves credits for a leased page that costs more than was reserved for it. A job whose key has too few left goes on with
 * its other pages, and stops after several such pages: each is loaded for nothing. Can be repeated.
 * @returns false when the credits are not reserved: the page must not be charged.
 */
export function raiseInObject(
  { frontier, charges }: Pick<RestartParts, "frontier" | "charges">,
  page: PageRaise,
): Promise<boolean> {
  return charges.inOrder(async () => {
    if (!isLeased(frontier.sql, page)) return false;
    const isGranted = await charges.raise(page.credits, frontier.state()?.raised?.[page.key] ?? 0);
    if (!isGranted) noteRefusal(frontier);
    // The page may have ended meanwhile; the next charge then releases what was reserved here.
    if (!isGranted || !isLeased(frontier.sql, page)) return false;
    frontier.together(Date.now(), () => {
      const state = frontier.state();
      if (state !== undefined) raisePage(state, page);
    });
    return true;
  });
}

/** Pages beyond the credits of the key after which a job stops, as when its next page cannot be paid for. */
const MOST_REFUSALS = 5;

function noteRefusal(frontier: Frontier): void {
  const nowMs = Date.now();
  frontier.together(nowMs, () => {
    const state = frontier.state();
    if (state !== undefined) state.refusals = (state.refusals ?? 0) + 1;
  });
  if ((frontier.state()?.refusals ?? 0) >= MOST_REFUSALS) frontier.stop(nowMs);
}
