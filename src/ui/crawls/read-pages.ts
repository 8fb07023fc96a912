import { ask } from "../api/client.ts";
import type { ArrivedPage, CrawlStatus } from "./crawl-types.ts";
import { toArrived } from "./to-arrived.ts";

/** More in one answer than this the service does not give. */
const PAGE_SIZE = 100;

/**
 * Pages of a crawl by their places in the order in which they were finished, from `from` up to but without `to`.
 * @throws ApiError
 */
export async function readPages(id: string, { from, to }: { from: number; to: number }): Promise<ArrivedPage[]> {
  const pages: ArrivedPage[] = [];
  while (from + pages.length < to) {
    const skip = from + pages.length;
    const path = `/v2/crawl/${encodeURIComponent(id)}?skip=${skip}&limit=${Math.min(PAGE_SIZE, to - skip)}`;
    // Long pages fill an answer sooner.
    const { data } = await ask<CrawlStatus>(path);
    if (data.length === 0) break;
    pages.push(...data.map(toArrived));
  }
  return pages;
}
