import type { JobRequest } from "./job-types.ts";

/** Returns the scrape options of a crawl or a batch. */
export function scrapeOptionsOf(request: JobRequest | null): Record<string, unknown> {
  const { urls: _, scrapeOptions, ...body } = request?.body ?? {};
  if (request?.path !== "/v2/crawl") return body;
  return typeof scrapeOptions === "object" && scrapeOptions !== null ? (scrapeOptions as Record<string, unknown>) : {};
}
