import {
  addFigures,
  exactly,
  NO_FIGURES,
  roundFigures,
  scaleFigures,
  type Estimate,
  type EstimateBasis,
  type EstimateFigures,
} from "../../core/account/estimate.ts";
import { searchCredits } from "../../core/account/pricing.ts";
import { compileRules } from "../../core/crawl/crawl-scope.ts";
import { AppError } from "../../core/errors.ts";
import { ownerOf } from "../../core/fair-order.ts";
import type { MonitorTarget } from "../../core/monitors/monitor.ts";
import { ScrapeOptions } from "../../formats/scrape-options.ts";
import { startOf } from "../crawl/start-crawl.ts";
import type { Caller, Deps } from "../deps.ts";
import { MAP_CREDITS } from "../map/map-site.ts";
import { assertLoadOptions } from "../monitors/manage-monitors.ts";
import { isJudged } from "../monitors/judge-change.ts";
import { DEFAULT_CRAWL_PAGES } from "../monitors/monitor-credits.ts";
import { readSchedule, runsAMonth, type WrittenSchedule } from "../monitors/monitor-schedule.ts";
import { estimateCredits } from "../scrape/scrape-credits.ts";
import { V2_DEFAULTS } from "../scrape/scrape-plan.ts";
import { costOfPages, PAGE_BYTES, RENDERED_MS } from "./cost-of-pages.ts";
import { sampleUrls } from "./estimate-batch.ts";
import type { EstimateDeps } from "./estimate-crawl.ts";
import { needsBrowser, type PageOptions } from "./sample-page.ts";
import { sampleSite } from "./sample-site.ts";

type DistributiveOmitId<Target> = Target extends { id: string } ? Omit<Target, "id"> : never;
type Target = DistributiveOmitId<MonitorTarget>;

/** Targets that are sampled; further ones are estimated at the most that they can have. */
const MAX_SAMPLED = 4;

/**
 * Estimates one check of a monitor, and its checks of 30 days.
 * @throws AppError BAD_REQUEST for an unusable schedule or an unknown proxy, and as `assertProfile` does.
 */
export async function estimateMonitor(
  deps: EstimateDeps,
  caller: Caller,
  monitor: {
    targets: readonly Target[];
    schedule: WrittenSchedule;
    goal?: string | null | undefined;
    judgeEnabled?: boolean | undefined;
  },
): Promise<Estimate> {
  const nowMs = deps.clock.now();
  const schedule = readSchedule(monitor.schedule, nowMs);
  if (typeof schedule === "string") throw new AppError("BAD_REQUEST", schedule);
  const { goal = null, judgeEnabled = goal !== null } = monitor;
  const basis: EstimateBasis[] = [];
  let check: EstimateFigures = NO_FIGURES;
  let sampled = 0;
  await assertLoadOptions(deps, caller, monitor.targets);
  for (const target of monitor.targets) {
    const isSampled = target.type !== "search" && sampled++ < MAX_SAMPLED;
    const part = isSampled ? await sampleTarget(deps, caller, target) : atMost(deps, target);
    check = addFigures(check, part.figures);
    basis.push(...part.basis);
  }
  if (isJudged({ goal, judgeEnabled }) && deps.llm !== undefined) {
    check.credits.high += check.pages.high;
    basis.push({ source: "rates", detail: "Each changed page that is judged by the goal costs 1 credit more" });
  }
  const checks = runsAMonth(schedule, nowMs);
  basis.push({ source: "schedule", detail: `${checks} checks in 30 days` });
  const month = roundFigures(scaleFigures(check, checks));
  return { ...roundFigures(check), basis, perMonth: { checks, ...month } };
}

interface Part {
  figures: EstimateFigures;
  basis: EstimateBasis[];
}

async function sampleTarget(deps: EstimateDeps, caller: Caller, target: Target): Promise<Part> {
  if (target.type === "search") return atMost(deps, target);
  const request = pageOptionsOf(target);
  if (target.type === "scrape") {
    const { pages, rates, basis } = await sampleUrls(deps, caller, { urls: target.urls, ...request });
    return { figures: costOfPages(pages, rates), basis };
  }
  const { crawlOptions = {} } = target;
  const { limit = DEFAULT_CRAWL_PAGES, sitemap = "include", ...scope } = crawlOptions;
  const rules = compileRules(target.url, scope);
  const { pages, rates, basis } = await sampleSite(deps, {
    start: startOf(rules),
    input: { rules, sitemap, robotsAgent: deps.settings.userAgent, isLanded: false },
    limit,
    delayMs: 0,
    sampling: { ...request, owner: ownerOf(caller.key) },
  });
  return { figures: withListing(costOfPages(pages, rates), MAP_CREDITS), basis };
}

/** Returns how the pages of a target are scraped. */
function pageOptionsOf({ scrapeOptions = {} }: Exclude<Target, { type: "search" }>): PageOptions {
  return { options: ScrapeOptions.parse(scrapeOptions), defaults: V2_DEFAULTS, zeroDataRetention: false };
}

/** Returns the figures of a target that is not sampled: those of all its pages, of which it may have none. */
function atMost(deps: Pick<Deps, "engines" | "settings">, target: Target): Part {
  if (target.type === "search") {
    const results = target.queries.length * target.maxResults;
    const pages = { low: 0, expected: results / 2, high: results };
    const credits = target.queries.length * searchCredits(target.maxResults);
    const detail = `${target.queries.length} searches with up to ${target.maxResults} results each`;
    return { figures: withListing({ ...NO_FIGURES, pages }, credits), basis: [{ source: "request", detail }] };
  }
  const count = target.type === "scrape" ? target.urls.length : (target.crawlOptions?.limit ?? DEFAULT_CRAWL_PAGES);
  const request = pageOptionsOf(target);
  const browserMs = needsBrowser(deps, request) ? RENDERED_MS : 0;
  const rates = { credits: estimateCredits(request), bytes: PAGE_BYTES, browserMs };
  const figures = costOfPages({ low: 0, expected: count, high: count }, rates);
  const detail = `A further target with up to ${count} pages, which was not sampled`;
  return { figures: withListing(figures, target.type === "crawl" ? MAP_CREDITS : 0), basis: [{ source: "request", detail }] }; // prettier-ignore
}

function withListing(figures: EstimateFigures, credits: number): EstimateFigures {
  return addFigures(figures, { ...NO_FIGURES, credits: exactly(credits) });
}
