import type { ArrivedPage } from "./crawl-types.ts";

/** Of the pages that come live so many are held; earlier ones are read again when they are asked for. */
export const MAX_LIVE = 1_000;

/** The latest pages of so many that came, the latest first and without a gap. */
export interface HeldPages {
  pages: ArrivedPage[];
  /** Pages that came so far, the ones that are not held included. */
  seen: number;
  /** So many are held at most. */
  limit: number;
}

export const NO_PAGES: HeldPages = { pages: [], seen: 0, limit: MAX_LIVE };

/** How many came before those that are held. */
export function earlierCount({ pages, seen }: HeldPages): number {
  return seen - pages.length;
}

/** Adds pages in the order in which they came. */
export function withLater({ pages, seen, limit }: HeldPages, later: readonly ArrivedPage[]): HeldPages {
  return { pages: [...later.toReversed(), ...pages].slice(0, limit), seen: seen + later.length, limit };
}

/**
 * Adds pages, in the order in which they came, that end before place `to`. Nothing happens where they do not reach those
 * that are held any more: newer ones have pushed some out meanwhile.
 */
export function withEarlier(
  held: HeldPages,
  { earlier, to }: { earlier: readonly ArrivedPage[]; to: number },
): HeldPages {
  if (earlierCount(held) !== to) return { ...held, limit: held.limit + earlier.length };
  const pages = [...held.pages, ...earlier.toReversed()];
  return { ...held, pages, limit: Math.max(held.limit, held.pages.length) + earlier.length };
}
