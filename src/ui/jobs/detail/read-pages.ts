import { ask } from "../../api/client.ts";
import type { ArrivedPage, CrawlStatus } from "../crawl-types.ts";
import { toArrived } from "../live/to-arrived.ts";

/** Maximum number of pages in one response of the service. */
const PAGE_SIZE = 100;

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
