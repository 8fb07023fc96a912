import { batchEntries } from "../../core/crawl/dispatch.ts";
import { AppError } from "../../core/errors.ts";
import { formatFor, formatsOf } from "../../formats/index.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { Caller, Deps } from "../deps.ts";
import type { Idempotency } from "../idempotency.ts";
import { findJob } from "../jobs/find-job.ts";
import { startJob } from "../jobs/start-job.ts";
import { V2_DEFAULTS } from "../scrape/scrape-plan.ts";
import { archiveFolder, readFacts, type ArchivedJob } from "./page-archive.ts";

/** Pages of one job that reads an archive: each is an object that is read, and the platform limits the reads of a request. */
const MAX_PAGES = 5_000;
/** Objects read at once for their URLs. */
const READS = 20;
/** Formats that need more than the response of a page. */
const LIVE_FORMATS: ReadonlySet<string> = new Set(["screenshot", "branding", "audio", "video", "changeTracking"]);

/** Options of the load, which an archive has behind it. */
const LIVE_OPTIONS = [
  "actions", "waitFor", "headers", "mobile", "location", "proxy", "profile", "blockAds", "skipTlsVerification",
  "maxAge", "minAge", "lockdown", "storeInCache", "fastMode",
] as const satisfies readonly (keyof ScrapeOptions)[]; // prettier-ignore

type ReextractDeps = Pick<Deps, "settings" | "clock" | "jobs" | "idempotencyKeys" | "frontiers" | "blobs" | "log">;

/** The pages of an archive that are to be read again. */
export interface PlannedReextract {
  from: ArchivedJob;
  urls: string[];
}

/**
 * Lists the pages of a job's archive, after a check of the options.
 * @throws AppError `JOB_NOT_FOUND`, `NOT_FOUND` without an archive, `BAD_REQUEST` for options that load the page again and
 * for more than 5,000 pages
 */
export async function planReextract(
  deps: ReextractDeps,
  caller: Caller,
  { id, options }: { id: string; options: ScrapeOptions },
): Promise<PlannedReextract> {
  assertOffline(options);
  const { id: jobId, createdAtMs } = await findJob(deps, caller, { id, kinds: ["crawl", "batch_scrape"] });
  const from = { id: jobId, createdAtMs };
  const urls: string[] = [];
  let after: string | undefined;
  for (;;) {
    const { objects, hasMore } = await deps.blobs.list(archiveFolder(from), { after, limit: 1_000 });
    after = objects.at(-1)?.key ?? after;
    if (urls.length + objects.length > MAX_PAGES) {
      throw new AppError("BAD_REQUEST", `This archive has more than ${MAX_PAGES} pages, which one request cannot read`);
    }
    for (let at = 0; at < objects.length; at += READS) {
      const read = await Promise.all(objects.slice(at, at + READS).map(({ key }) => readFacts(deps, key)));
      urls.push(...read.flatMap((facts) => (facts === undefined ? [] : [facts.itemUrl])));
    }
    if (!hasMore) break;
  }
  if (urls.length === 0) throw new AppError("NOT_FOUND", "This job has no archive: start it with archive: true");
  return { from, urls };
}

function assertOffline(options: ScrapeOptions): void {
  const live = formatsOf(options).find(({ type }) => LIVE_FORMATS.has(type) || formatFor(type).needs.length > 0);
  const option = live?.type ?? LIVE_OPTIONS.find((name) => options[name] !== undefined);
  if (option === undefined) return;
  throw new AppError(
    "BAD_REQUEST",
    `${option} concerns the load of a page, and an archive has its response alone: leave it out`,
  );
}

interface Reextract extends PlannedReextract {
  options: ScrapeOptions;
  publicOrigin: string;
  idempotency: Idempotency | undefined;
}

/** Starts a batch that reads the archived responses and sends no request to their sites. @returns its id */
export async function reextractJob(
  deps: ReextractDeps,
  caller: Caller,
  { from, urls, options, publicOrigin, idempotency }: Reextract,
): Promise<string> {
  return await startJob(deps, caller, {
    kind: "batch_scrape",
    apiVersion: "v2",
    scrapeOptions: options,
    scrapeDefaults: V2_DEFAULTS,
    zeroDataRetention: false,
    publicOrigin,
    webhook: undefined,
    events: [],
    input: {},
    target: urls[0] ?? "",
    options: { ...options, reextracts: from.id },
    seeds: batchEntries(urls, 0),
    limit: undefined,
    maxConcurrency: undefined,
    delayMs: 0,
    hasSeed: false,
    idempotency,
    reextracts: from,
  });
}
