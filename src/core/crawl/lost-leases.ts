import type { FrontierState } from "./frontier.ts";

/** Expired leases without progress after which the comparison with the earlier job is given up. */
export const MAX_LOST_COMPARISONS = 5;
/** Worker runs that may end while they read the sitemaps of a job, until it goes on without them. */
export const MAX_LOST_SEEDS = 5;

/** Records that the lease of the sitemaps has expired. Changes the state in place. */
export function recordLostSeed(state: FrontierState): void {
  const lost = (state.lostSeeds ?? 0) + 1;
  state.lostSeeds = lost;
  state.seed = lost < MAX_LOST_SEEDS ? "waiting" : "done";
  if (state.seed !== "done") return;
  state.sitemapProblems = [`${MAX_LOST_SEEDS} worker runs stopped before they had read the sitemaps`];
  // Pages that only a sitemap names are then not among the removed ones.
  if (state.comparison !== undefined) state.comparison.lacksSitemap = true;
}

/** Records that the lease of the comparison has expired. Changes the state in place. */
export function recordLostComparison({ comparison }: FrontierState): void {
  if (comparison?.status !== "leased") return;
  comparison.lost = (comparison.lost ?? 0) + 1;
  comparison.isAborted = comparison.lost >= MAX_LOST_COMPARISONS;
  comparison.status = comparison.isAborted ? "done" : "waiting";
}
