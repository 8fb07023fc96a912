import { z } from "zod";
import { NOTHING, type JobKind } from "../kind.ts";

/** Scrapes a list of URLs, each as a single scrape does, without following links. */
export const batchScrape: JobKind = {
  name: "batch_scrape",
  /** A batch has no rules. */
  input: z.unknown(),
  path: "batch/scrape",
  robotsAgent: () => undefined,
  land: () => ({ kind: "kept" }),
  follow: () => NOTHING,
};
