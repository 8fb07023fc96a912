import type { ArrivedPage } from "../crawl-types.ts";

/** Number of live pages to hold in memory. Earlier ones are loaded again on request. */
export const MAX_LIVE = 1_000;

/** The latest pages of a crawl without gaps, newest first. */
export interface HeldPages {
  pages: ArrivedPage[];
  /** Number of pages so far, including those that are not held. */
  seen: number;
  /** Maximum number of pages to hold. */
  limit: number;
}

export const NO_PAGES: HeldPages = { pages: [], seen: 0, limit: MAX_LIVE };

/** Returns the number of pages before those that are held. */
export function earlierCount({ pages, seen }: HeldPages): number {
  return seen - pages.length;
}

/** Adds newer pages, given oldest first. */
export function withLater({ pages, seen, limit }: HeldPages, later: readonly ArrivedPage[]): HeldPages {
  return { pages: [...later.toReversed(), ...pages].slice(0, limit), seen: seen + later.length, limit };
}

/**
 * Adds earlier pages, given oldest first, that end before index `to`. Adds none if they are no longer adjacent to the
 * held ones because newer pages have displaced some meanwhile.
 */
export function withEarlier(
  held: HeldPages,
  { earlier, to }: { earlier: readonly ArrivedPage[]; to: number },
): HeldPages {
  if (earlierCount(held) !== to) return { ...held, limit: held.limit + earlier.length };
  const pages = [...held.pages, ...earlier.toReversed()];
  return { ...held, pages, limit: Math.max(held.limit, held.pages.length) + earlier.length };
}
