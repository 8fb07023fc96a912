import { ask } from "../../api/client.ts";
import type { ArrivedPage, CrawlStatus } from "../crawl-types.ts";
import { toArrived } from "../live/to-arrived.ts";
import { NO_PAGES, withLater } from "./held-pages.ts";
import type { HeldPages } from "./held-pages.ts";

/** Maximum number of pages in one response of the service. */
const PAGE_SIZE = 100;
/** Number of pages to show of a list that is not watched. */
const LATEST = 100;

/**
 * Reads the pages of a crawl or batch from index `from` up to but excluding `to`, in the order in which they finished.
 * @throws ApiError
 */
export async function readPages(
  statusPath: string,
  { from, to }: { from: number; to: number },
): Promise<ArrivedPage[]> {
  const pages: ArrivedPage[] = [];
  while (from + pages.length < to) {
    const skip = from + pages.length;
    const path = `${statusPath}?skip=${skip}&limit=${Math.min(PAGE_SIZE, to - skip)}`;
    // A response has fewer pages if they are long.
    const { data } = await ask<CrawlStatus>(path);
    if (data.length === 0) break;
    pages.push(...data.map(toArrived));
  }
  return pages;
}

/** Reads the latest of `count` pages. @throws ApiError */
export async function latestPages(statusPath: string, count: number): Promise<HeldPages> {
  const pages = await readPages(statusPath, { from: Math.max(0, count - LATEST), to: count });
  return withLater({ ...NO_PAGES, seen: count - pages.length }, pages);
}

/**
 * Reads the pages of a list from index `from` up to `to` that come after those that are held.
 * @returns a function that adds them. Of more than `LATEST`, the latest are held instead, without a gap.
 * @throws ApiError
 */
export async function newerPages(
  statusPath: string,
  { from, to }: { from: number; to: number },
): Promise<(held: HeldPages) => HeldPages> {
  if (to - from > LATEST) {
    const latest = await latestPages(statusPath, to);
    return (held) => (held.seen < latest.seen ? latest : held);
  }
  const pages = await readPages(statusPath, { from, to });
  return (held) => (held.seen === from ? withLater(held, pages) : held);
}
