import { Estimate, type EstimateBasis } from "../../core/account/estimate.ts";
import { readReplaceable } from "../../core/stored-state.ts";
import type { Deps } from "../deps.ts";
import { jobReceipt } from "../jobs/job-receipt.ts";
import type { PageRates } from "./cost-of-pages.ts";

type PastDeps = Pick<Deps, "jobList" | "jobs" | "frontiers" | "clock" | "log">;

const MAX_LISTED = 30;
const MAX_READ = 3;
/** A smaller job says little about the time of a page. */
const MIN_PAGES = 3;
/** Bounds of the ratio, and of the browser time as shares of what is expected with it. */
const [LEAST, MOST] = [0.3, 10];
const CORRECTED_BROWSER = [0.5, 2] as const;

/**
 * Corrects the browser time of a sample by that of earlier jobs of the team, on any host: how much longer their pages took,
 * side by side in the browsers of this deployment, than the pages of their own samples. Never throws.
 * @returns the rates as they are, without a basis, where no such job is known.
 */
export async function correctBrowserTime(
  deps: PastDeps,
  teamId: string,
  rates: PageRates,
): Promise<{ rates: PageRates; basis: EstimateBasis[] }> {
  if (rates.browserMs === 0) return { rates, basis: [] };
  const ratios = await pastRatios(deps, teamId).catch((error: unknown) => {
    deps.log({ event: "estimate_receipts_failed", message: String(error) });
    return [];
  });
  const median = ratios.toSorted((one, other) => one - other)[Math.floor(ratios.length / 2)];
  if (median === undefined) return { rates, basis: [] };
  const ratio = Math.min(MOST, Math.max(LEAST, median));
  const jobs = ratios.length === 1 ? "an earlier job" : `${ratios.length} earlier jobs`;
  const detail = `Browser time ${ratio.toFixed(1)} times that of the sample, as in ${jobs} with an estimate`;
  const corrected = { ...rates, browserMs: rates.browserMs * ratio, browserBounds: CORRECTED_BROWSER };
  return { rates: corrected, basis: [{ source: "receipts", detail }] };
}

/** Returns the browser time of a page in the newest jobs with an estimate, as a multiple of that in its sample. */
async function pastRatios({ jobList, jobs, frontiers, clock }: PastDeps, teamId: string): Promise<number[]> {
  const nowMs = clock.now();
  const listed = await jobList.list(teamId, {
    kinds: ["crawl", "batch_scrape"],
    statuses: ["completed"],
    fromMs: 0,
    toMs: nowMs,
    after: undefined,
    limit: MAX_LISTED,
    nowMs,
  });
  const ratios: number[] = [];
  for (const { id } of listed.jobs) {
    if (ratios.length >= MAX_READ) break;
    const json = (await jobs.find(id))?.estimateJson;
    const { sampledBrowserMs = 0 } = (json === undefined ? undefined : readReplaceable(Estimate, json)) ?? {};
    if (sampledBrowserMs === 0) continue;
    const progress = await frontiers.progress(id);
    if (progress === undefined || progress.completed < MIN_PAGES) continue;
    const { browserMs } = jobReceipt(progress);
    if (browserMs > 0) ratios.push(browserMs / progress.completed / sampledBrowserMs);
  }
  return ratios;
}
