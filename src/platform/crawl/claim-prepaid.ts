import { isComparisonDue, type FrontierState } from "../../core/crawl/frontier.ts";
import type { Claim } from "../../storage/crawl/frontier-claim.ts";

interface Prepaying {
  /** Maximum number of pages to claim. */
  capacity: number;
  state(): FrontierState | undefined;
  /** Number of URLs that can be leased now. */
  claimable(): number;
  /** Reserves credits. @returns how many pages the key can pay for */
  charge(pages: number): Promise<number>;
  stop(): void;
  claim(pages: number): Claim | undefined;
}

/** With a budget, credits are reserved before URLs are leased; without one, the ledger is informed afterwards. */
export function isPrepaid(state: FrontierState | undefined): boolean {
  const billing = state?.config.billing;
  return billing?.monthlyCredits !== undefined && billing.creditsPerPage > 0;
}

/**
 * Reserves credits and then leases as many URLs as they pay for. Stops the job when there are none left. The comparison
 * with an earlier job costs no credit.
 */
export async function claimPrepaid(work: Prepaying): Promise<Claim | undefined> {
  const state = work.state();
  if (state !== undefined && isComparisonDue(state)) return work.claim(0);
  const wanted = Math.min(work.capacity, work.claimable());
  if (wanted === 0) return undefined;
  const affordable = await work.charge(wanted);
  if (affordable <= 0) work.stop();
  const pages = Math.min(wanted, affordable);
  return pages <= 0 ? undefined : work.claim(pages);
}
