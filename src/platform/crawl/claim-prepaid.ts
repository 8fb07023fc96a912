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
  /** Reports whether credits may come back to the key: other requests hold some, for a limited time. */
  mayComeBack(): Promise<boolean>;
  /** Claims nothing for a moment. */
  pause(): void;
  stop(): void;
  claim(pages: number): Claim | undefined;
}

/** With a budget, credits are reserved before URLs are leased; without one, the ledger is informed afterwards. */
export function isPrepaid(state: FrontierState | undefined): boolean {
  const billing = state?.config.billing;
  return billing?.monthlyCredits !== undefined && billing.creditsPerPage > 0;
}

/**
 * Reserves credits and then leases as many URLs as they pay for. Stops the job when there are none left, and none are reserved
 * for work that may cost less: pages of the job, and other requests. The comparison with an earlier job costs no credit.
 */
export async function claimPrepaid(work: Prepaying): Promise<Claim | undefined> {
  const state = work.state();
  if (state !== undefined && isComparisonDue(state)) return work.claim(0);
  const wanted = Math.min(work.capacity, work.claimable());
  if (wanted === 0) return undefined;
  const affordable = await work.charge(wanted);
  if (affordable > 0) return work.claim(Math.min(wanted, affordable));
  // The sitemaps cost no credit.
  if (state?.status === "scraping" && state.seed === "waiting") return work.claim(0);
  const inProgress = work.state()?.counters.leased ?? 0;
  if (inProgress > 0 || (await work.mayComeBack())) work.pause();
  else work.stop();
  return undefined;
}
