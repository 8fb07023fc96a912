import { toReceipt, type Receipt } from "../../core/account/receipt.ts";
import type { JobProgress } from "../../ports/crawl/frontier.ts";

/** Returns the receipt of a job over all of its pages: final once it has ended and its record is closed. */
export function jobReceipt({ costs, creditsUsed }: JobProgress): Receipt {
  return toReceipt({ ...costs, credits: creditsUsed });
}
