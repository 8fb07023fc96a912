import type { JobKindName } from "../core/jobs/job.ts";
import { batchScrape } from "./crawl/batch-scrape.ts";
import { crawl } from "./crawl/crawl.ts";
import type { JobKind } from "./kind.ts";

/**
 * All kinds of page jobs. The cast drops the input type of each kind: a specification
 * contains the name of its kind beside its input, and both are written together.
 */
export const JOB_KINDS = [crawl, batchScrape] as readonly unknown[] as readonly JobKind[];

/** @throws Error for a kind that this version does not know. */
export function jobKindOf(name: JobKindName): JobKind {
  const kind = JOB_KINDS.find((candidate) => candidate.name === name);
  if (kind === undefined) throw new Error(`No job kind is called ${name}`);
  return kind;
}
