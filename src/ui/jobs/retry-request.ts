import { ask } from "../api/client.ts";
import type { UrlsResponse } from "./crawl-types.ts";
import { scrapeOptionsOf } from "./scrape-options-of.ts";
import type { JobDetails, JobRequest } from "./job-types.ts";

const LINES_A_READ = 10_000;
/** Parts of the list that are read at most. */
const MAX_READS = 10;

/** Returns the request of a batch scrape that scrapes the failed pages of a job again, with the job's options. @throws ApiError */
export async function retryRequest({ job, request }: JobDetails): Promise<Pick<JobRequest, "path" | "body">> {
  const urls: string[] = [];
  let next: string | undefined = `/v2/crawl/${job.id}/urls?limit=${LINES_A_READ}`;
  for (let reads = 0; next !== undefined && reads < MAX_READS; reads++) {
    const answer: UrlsResponse = await ask<UrlsResponse>(next);
    urls.push(...answer.urls.flatMap(({ url, outcome }) => (outcome === "failed" ? [url] : [])));
    next = answer.next === undefined ? undefined : pathOf(answer.next);
  }
  return { path: "/v2/batch/scrape", body: { ...scrapeOptionsOf(request), urls } };
}

/** Returns path and query of a link in a response. Its origin may differ from the one that the browser uses. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return `${pathname}${search}`;
}
