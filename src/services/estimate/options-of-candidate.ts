import type { Candidate } from "../../core/crawl/frontier.ts";
import { portableOptions } from "../../formats/portable-options.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { crawl, type CrawlInput } from "../../jobs/crawl/crawl.ts";

/** Returns the sampling of a page with the options that the crawl would read it with: other sites see none of the caller's headers. */
export function samplingOf<Sampling extends { options: ScrapeOptions }>(
  sampling: Sampling,
  candidate: Candidate,
  input: CrawlInput,
): Sampling {
  const isForeign = crawl.isForeign?.({ ...candidate, attempt: 1 }, input) === true;
  return isForeign ? { ...sampling, options: portableOptions(sampling.options) } : sampling;
}
