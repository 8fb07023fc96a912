import type { ScrapeOptions } from "../../formats/scrape-options.ts";

/** Returns the warnings about the page cache of a job (api-contract.md, “Page cache”). */
export function cacheWarnings({ storeInCache }: Pick<ScrapeOptions, "storeInCache">): string[] {
  return storeInCache === true ? ["storeInCache: crawls and batch scrapes store no pages in the page cache."] : [];
}
