import { z } from "zod";
import { PRICES_NANO_DOLLARS } from "../../core/account/receipt.ts";
import { hostOf } from "../../core/crawl/dispatch.ts";
import type { JobKindName } from "../../core/jobs/job.ts";
import { jobReceipt } from "../jobs/job-receipt.ts";
import { recordedJson } from "../jobs/recorded-json.ts";
import type { Deps } from "../deps.ts";

/** A job of the same team that has ended. */
export interface PastJob {
  pages: number;
  /** True when it was started with the same target and options. */
  isSame: boolean;
  browserMsAPage: number;
  /** Without browser time. */
  dollarsAPage: number;
}

/** The job to compare with. */
export interface ComparedJob {
  teamId: string;
  kind: JobKindName;
  target: string;
  /** Options of the job; those of a batch without any are the default ones. */
  options: object;
}

type PastDeps = Pick<Deps, "jobList" | "jobs" | "frontiers" | "clock" | "log">;

const MAX_LISTED = 10;
const MAX_READ = 3;
/** A smaller job says little about the cost of a page. */
const MIN_PAGES = 3;
const Options = z.looseObject({ scrapeOptions: z.unknown().optional() });

/** Returns the newest ended jobs on the same host whose pages were scraped with the same options. Never throws. */
export async function pastJobs(deps: PastDeps, compared: ComparedJob): Promise<PastJob[]> {
  try {
    return await read(deps, compared);
  } catch (error) {
    deps.log({ event: "estimate_receipts_failed", message: String(error) });
    return [];
  }
}

async function read(deps: PastDeps, { teamId, kind, target, options }: ComparedJob): Promise<PastJob[]> {
  const nowMs = deps.clock.now();
  const host = hostOf(target);
  const { jobs } = await deps.jobList.list(teamId, {
    kinds: [kind],
    statuses: ["completed"],
    text: host,
    fromMs: 0,
    toMs: nowMs,
    after: undefined,
    limit: MAX_LISTED,
    nowMs,
  });
  const wanted = recordedJson(kind, JSON.stringify(options));
  const past: PastJob[] = [];
  for (const { id, target: other } of jobs) {
    if (past.length >= MAX_READ) break;
    if (!URL.canParse(other) || hostOf(other) !== host) continue;
    const record = await deps.jobs.find(id);
    const whole = record && (await deps.jobs.wholeOptions(record));
    const optionsJson = whole === undefined ? undefined : recordedJson(kind, withoutConcurrency(kind, whole));
    if (optionsJson === undefined || scrapedWith(optionsJson) !== scrapedWith(wanted)) continue;
    const progress = await deps.frontiers.progress(id);
    if (progress === undefined || progress.completed === 0) continue;
    const isSame = other === target && optionsJson === wanted;
    if (!isSame && progress.completed < MIN_PAGES) continue;
    const { browserMs, nanoDollars } = jobReceipt(progress);
    past.push({
      pages: progress.completed,
      isSame,
      browserMsAPage: browserMs / progress.completed,
      dollarsAPage: (nanoDollars - browserMs * PRICES_NANO_DOLLARS.browserMs) / progress.completed / 1e9,
    });
  }
  return past;
}

/** Returns the record of a batch without its concurrency, which does not change what its pages cost. */
function withoutConcurrency(kind: JobKindName, optionsJson: string): string {
  if (kind !== "batch_scrape") return optionsJson;
  const { maxConcurrency: _, ...options } = Options.parse(JSON.parse(optionsJson));
  return JSON.stringify(options);
}

/** Returns how the pages of a job are scraped, as JSON: the record of a batch has nothing else. */
function scrapedWith(optionsJson: string): string {
  const options = Options.parse(JSON.parse(optionsJson));
  return JSON.stringify("scrapeOptions" in options ? (options.scrapeOptions ?? {}) : options);
}
