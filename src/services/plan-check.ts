import { searchCredits } from "../core/pricing.ts";
import { isAppError, AppError, ERRORS } from "../core/errors.ts";
import type { CheckPlan, MonitorTarget, SearchWindow } from "../core/monitor.ts";
import type { Caller, Deps } from "./deps.ts";
import { MAP_CREDITS, mapSite } from "./map-site.ts";
import { searchWeb } from "./search-web.ts";

export const DEFAULT_CRAWL_PAGES = 20;
/** Google's words for the window; the shortest that searches know is an hour. */
const WINDOWS: Record<SearchWindow, string> = {
  "5m": "qdr:h",
  "15m": "qdr:h",
  "1h": "qdr:h",
  "6h": "qdr:h6",
  "24h": "qdr:d",
  "7d": "qdr:w",
};

/** Lists the pages that a check looks at: as written, by a site's map, or by searches. A target that fails is named. */
export async function planCheck(
  deps: Deps,
  caller: Caller,
  targets: readonly MonitorTarget[],
): Promise<{ plan: CheckPlan; credits: number }> {
  const plan: CheckPlan = { pages: [], failed: [] };
  let credits = 0;
  for (const target of targets) {
    try {
      const price = priceOf(target);
      await pay(deps, caller, price);
      const urls = await pagesOf(deps, caller, target);
      credits += price;
      plan.pages.push(...[...new Set(urls)].map((url) => ({ targetId: target.id, url })));
    } catch (error) {
      plan.failed.push({ targetId: target.id, url: nameOf(target), error: wordsOf(error) });
    }
  }
  return { plan, credits };
}

/** Takes credits for work that no request has paid for. @throws AppError INSUFFICIENT_CREDITS */
export async function pay(
  { keyGate, settings }: Pick<Deps, "keyGate" | "settings">,
  { key }: Caller,
  credits: number,
): Promise<void> {
  if (credits === 0) return;
  const monthlyCredits = key.monthlyCredits ?? settings.creditsPerMonth;
  if (!(await keyGate.adjustCredits(key.id, { credits, monthlyCredits }))) throw new AppError("INSUFFICIENT_CREDITS");
}

export function wordsOf(error: unknown): string {
  return isAppError(error) ? error.message : ERRORS.UNKNOWN_ERROR.message;
}

/** Credits of listing a target's pages, without reading them. */
function priceOf(target: MonitorTarget): number {
  if (target.type === "scrape") return 0;
  return target.type === "crawl" ? MAP_CREDITS : target.queries.length * searchCredits(target.maxResults);
}

/** Credits that a check is expected to take. */
export function estimateCheck(targets: readonly MonitorTarget[]): number {
  const pages = (target: MonitorTarget): number => {
    if (target.type === "scrape") return target.urls.length;
    return target.type === "crawl" ? (target.crawlOptions?.limit ?? DEFAULT_CRAWL_PAGES) : 0;
  };
  return targets.reduce((sum, target) => sum + priceOf(target) + pages(target), 0);
}

async function pagesOf(deps: Deps, caller: Caller, target: MonitorTarget): Promise<string[]> {
  if (target.type === "scrape") return target.urls;
  return target.type === "crawl" ? await mapped(deps, caller, target) : await searched(deps, caller, target);
}

async function mapped(
  deps: Deps,
  caller: Caller,
  { url, crawlOptions = {} }: Extract<MonitorTarget, { type: "crawl" }>,
): Promise<string[]> {
  const limit = crawlOptions.limit ?? DEFAULT_CRAWL_PAGES;
  const {
    includePaths,
    excludePaths,
    ignoreQueryParameters = false,
    sitemap = "include",
    allowSubdomains,
  } = crawlOptions;
  const { links } = await mapSite(deps, caller, {
    url,
    sitemap,
    limit,
    filterByPath: crawlOptions.crawlEntireDomain !== true,
    useIndex: false,
    headers: {},
    languages: [],
    includeSubdomains: allowSubdomains ?? false,
    scope: { includePaths, excludePaths, ignoreQueryParameters },
    ignoreRobotsTxt: false,
    delayMs: 0,
    warnings: [],
  });
  return links.map((link) => link.url).toSorted();
}

async function searched(
  deps: Deps,
  caller: Caller,
  target: Extract<MonitorTarget, { type: "search" }>,
): Promise<string[]> {
  const { queries, maxResults: limit, searchWindow, includeDomains, excludeDomains } = target;
  const urls: string[] = [];
  for (const query of queries) {
    const { groups } = await searchWeb(deps, caller, {
      query,
      limit,
      tbs: WINDOWS[searchWindow],
      ...(includeDomains === undefined ? {} : { includeDomains }),
      ...(excludeDomains === undefined ? {} : { excludeDomains }),
    });
    urls.push(...groups.web.map(({ url }) => url));
  }
  return urls;
}

function nameOf(target: MonitorTarget): string {
  if (target.type === "crawl") return target.url;
  return target.type === "search" ? target.queries.join("; ") : (target.urls[0] ?? "");
}
