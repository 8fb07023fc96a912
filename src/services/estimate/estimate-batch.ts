import { roundFigures, type Estimate, type EstimateBasis } from "../../core/account/estimate.ts";
import { spread } from "../../core/crawl/extrapolate-urls.ts";
import { ownerOf } from "../../core/fair-order.ts";
import { inParallel } from "../../jobs/in-parallel.ts";
import type { Caller, Deps } from "../deps.ts";
import { estimateCredits } from "../scrape/scrape-credits.ts";
import { assertProfile } from "../sessions/scrape-profile.ts";
import { costOfPages, type PageRates } from "./cost-of-pages.ts";
import { correctBrowserTime } from "./browser-time.ts";
import { ratesOf, sampledTime, type EstimateDeps } from "./estimate-crawl.ts";
import { samplePage, needsBrowser, TIMED, type SampleDeps, type SampledPage, type PageOptions } from "./sample-page.ts";
import { pastJobs } from "./past-jobs.ts";

/** URLs of a batch that are sampled where they need no browser. */
const SAMPLE = 12;
const AT_A_TIME = 6;
const MAX_MS = 15_000;

/** Estimates a batch from a sample of its URLs and from earlier batches of the team. Starts nothing. */
export async function estimateBatch(
  deps: EstimateDeps,
  caller: Caller,
  { urls, archive, ...request }: PageOptions & { urls: readonly string[]; archive: boolean },
): Promise<Estimate> {
  await assertProfile(deps, caller.key.teamId, { profile: request.options.profile, urls });
  const [{ pages, rates, basis }, past] = await Promise.all([
    sampleUrls(deps, caller, { urls, ...request }),
    pastJobs(deps, {
      teamId: caller.key.teamId,
      kind: "batch_scrape",
      target: urls[0] ?? "",
      options: archive ? { ...request.options, archive } : request.options,
    }),
  ]);
  const rated: EstimateBasis =
    past.length === 0
      ? { source: "rates", detail: "Dollars by the operations that jobs of this service usually need" }
      : { source: "receipts", detail: `Costs of a page by ${past.length} earlier batches that begin on this host` };
  const corrected = past.length > 0 ? { rates, basis: [] } : await correctBrowserTime(deps, caller.key.teamId, rates);
  const figures = roundFigures(costOfPages(pages, ratesOf(corrected.rates, past)));
  return { ...figures, basis: [...basis, ...corrected.basis, rated], ...sampledTime(rates) };
}

/** Loads a sample of URLs, and returns how many of all will be results, and what they cost. */
export async function sampleUrls(
  deps: SampleDeps & Pick<Deps, "engines">,
  { key }: Caller,
  { urls, ...request }: PageOptions & { urls: readonly string[] },
): Promise<{ pages: Estimate["pages"]; rates: PageRates; basis: EstimateBasis[] }> {
  const isWhole = needsBrowser(deps, request);
  const sample = spread(urls, isWhole ? TIMED : SAMPLE);
  const sampling = { ...request, isWhole, owner: ownerOf(key), deadlineMs: deps.clock.now() + MAX_MS };
  const loaded = await inParallel(sample, AT_A_TIME, async (url) => {
    const page = await samplePage(deps, url, sampling);
    return typeof page === "string" ? page : { ...page, links: [] };
  });
  const read = loaded.filter((page) => page !== "late");
  const results = read.filter((page) => page !== "failed");
  const share = read.length === 0 ? 1 : results.length / read.length;
  const isAll = read.length === urls.length;
  const expected = urls.length * share;
  // A share of a small sample is uncertain by about its standard error.
  const error = isAll ? 0 : urls.length * Math.sqrt(Math.max(share * (1 - share), 0.02) / Math.max(1, read.length));
  const pages = {
    low: Math.max(isAll ? expected : results.length, expected - 2 * error),
    expected,
    high: Math.min(urls.length, expected + 2 * error),
  };
  const basis: EstimateBasis[] = [
    { source: "request", detail: `The request names ${urls.length} URLs` },
    { source: "sample", detail: `${results.length} of ${read.length} URLs that were read can be loaded` },
  ];
  const rates = ratesOfPages(results);
  return { pages, rates: read.length === 0 ? { ...rates, credits: estimateCredits(request) } : rates, basis };
}

function ratesOfPages(pages: readonly SampledPage[]): PageRates {
  const mean = (of: (page: SampledPage) => number): number =>
    pages.length === 0 ? 0 : pages.reduce((sum, page) => sum + of(page), 0) / pages.length;
  return {
    credits: mean(({ credits }) => credits),
    bytes: mean(({ bytes }) => bytes),
    browserMs: mean(({ browserMs }) => browserMs),
  };
}
