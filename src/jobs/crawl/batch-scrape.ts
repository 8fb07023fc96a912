import { NOTHING, type JobKind } from "../kind.ts";

/** Scrapes a list of URLs: each one as a scrape of its own would, and nothing that they link to. */
export const batchScrape: JobKind = {
  name: "batch_scrape",
  path: "batch/scrape",
  robotsAgent: () => undefined,
  land: () => ({ kind: "kept" }),
  follow: () => NOTHING,
};
