import {
  exactly,
  roundFigures,
  type Estimate,
  type EstimateBasis,
  type EstimateRange,
} from "../../core/account/estimate.ts";
import { ownerOf } from "../../core/fair-order.ts";
import { recordedOptions, resolveCrawl, type PlannedCrawl } from "../crawl/start-crawl.ts";
import type { Caller, Deps } from "../deps.ts";
import { correctBrowserTime } from "./browser-time.ts";
import { costOfPages, type PageRates } from "./cost-of-pages.ts";
import type { SampleDeps } from "./sample-page.ts";
import { sampleSite, type SiteForecast } from "./sample-site.ts";
import { pastJobs, type PastJob } from "./past-jobs.ts";

export type EstimateDeps = SampleDeps & Pick<Deps, "llm" | "profiles" | "jobList" | "jobs" | "frontiers">;

/**
 * Estimates a crawl from a sample of its site and from earlier crawls of the team. Starts nothing.
 * @throws AppError as `resolveCrawl` does.
 */
export async function estimateCrawl(deps: EstimateDeps, caller: Caller, planned: PlannedCrawl): Promise<Estimate> {
  const { request } = planned;
  const resolved = await resolveCrawl(deps, caller, planned);
  const { scrapeOptions: options, defaults, zeroDataRetention } = request;
  const { start, input, limit } = resolved;
  const sampling = { options, defaults, zeroDataRetention, owner: ownerOf(caller.key) };
  const delayMs = (resolved.options.delay ?? 0) * 1000;
  const [forecast, past] = await Promise.all([
    sampleSite(deps, { start, input, limit, delayMs, sampling }),
    pastJobs(deps, {
      teamId: caller.key.teamId,
      kind: "crawl",
      target: request.url,
      options: recordedOptions(request, resolved),
    }),
  ]);
  const { key } = caller;
  const corrected =
    past.length > 0 ? { rates: forecast.rates, basis: [] } : await correctBrowserTime(deps, key.teamId, forecast.rates);
  const { rates } = corrected;
  const estimate = combine({ ...forecast, rates, basis: [...forecast.basis, ...corrected.basis] }, past);
  if (request.since !== undefined) return incremental(estimate);
  return { ...estimate, ...sampledTime(forecast.rates) };
}

/** Widens an estimate to a crawl in which no page has changed: such pages are results, and most of them cost no load. */
function incremental({ credits, dollars, basis, ...estimate }: Estimate): Estimate {
  return {
    ...estimate,
    credits: { ...credits, low: 0 },
    dollars: { ...dollars, low: 0 },
    browserSeconds: { ...estimate.browserSeconds, low: 0 },
    basis: [...basis, { source: "request", detail: "Costs as if every page had changed since the earlier crawl" }],
  };
}

/** Combines a sample with earlier jobs: a complete one knows the pages best, an earlier job what a page costs. */
export function combine({ pages: seen, rates, basis, isComplete }: SiteForecast, past: readonly PastJob[]): Estimate {
  const same = past.find(({ isSame }) => isSame);
  const pages = isComplete || same === undefined ? seen : around(seen, same.pages);
  const figures = costOfPages(pages, ratesOf(rates, past));
  const noted: EstimateBasis[] = [
    ...basis,
    ...(same === undefined || isComplete
      ? []
      : [{ source: "receipts" as const, detail: `The same job returned ${same.pages} pages before` }]),
    past.length === 0
      ? { source: "rates", detail: "Dollars by the operations that jobs of this service usually need" }
      : {
          source: "receipts",
          detail: `Costs of a page by ${past.length} earlier ${past.length === 1 ? "job" : "jobs"} on this host`,
        },
  ];
  return { ...roundFigures(figures), basis: noted };
}

/** Returns the pages of an earlier job, with the range of the sample. */
function around({ low, high }: EstimateRange, pages: number): EstimateRange {
  const { expected } = exactly(pages);
  return { low: Math.min(low, expected), expected, high: Math.max(high, expected) };
}

/** Returns the browser time of the sample, with which later estimates compare the outcome. */
export function sampledTime({ browserMs }: PageRates): Pick<Estimate, "sampledBrowserMs"> {
  return browserMs === 0 ? {} : { sampledBrowserMs: Math.round(browserMs) };
}

/** Returns the rates of the sample, with those that earlier jobs know better. */
export function ratesOf(rates: PageRates, past: readonly PastJob[]): PageRates {
  if (past.length === 0) return rates;
  const mean = (of: (job: PastJob) => number): number => past.reduce((sum, job) => sum + of(job), 0) / past.length;
  return {
    ...rates,
    browserMs: mean(({ browserMsAPage }) => browserMsAPage),
    dollars: mean(({ dollarsAPage }) => dollarsAPage),
  };
}
