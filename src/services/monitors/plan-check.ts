import { compileRules, judgeUrl, PATTERN_STEPS_A_TURN, type CrawlRules } from "../../core/crawl/crawl-scope.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import { inTurns, type Turns } from "../../core/in-turns.ts";
import type { CheckPlan, MonitorTarget, PlannedPage, SearchWindow } from "../../core/monitors/monitor.ts";
import { searchCredits } from "../../core/account/pricing.ts";
import { toSite } from "../../core/search/search-query.ts";
import { utf8Length } from "../../core/text/utf8.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { giveBack, takeCredits } from "../account/account.ts";
import type { CheckWork } from "./check-page.ts";
import type { Deps, Payer } from "../deps.ts";
import { isJudged } from "./judge-change.ts";
import { failureWords } from "../scrape/failure-words.ts";
import { MAP_CREDITS, mapSite } from "../map/map-site.ts";
import { DEFAULT_CRAWL_PAGES, nameOf, partId, payPart, payerOrLack } from "./monitor-credits.ts";
import { searchWeb } from "../search/search-web.ts";
import { optionsOfTarget } from "./target-options.ts";

/** Google's values for the window; the shortest that searches support is an hour. */
const WINDOWS: Record<SearchWindow, string> = {
  "5m": "qdr:h",
  "15m": "qdr:h",
  "1h": "qdr:h",
  "6h": "qdr:h6",
  "24h": "qdr:d",
  "7d": "qdr:w",
};
/** Timeout of one query, so that all queries of a target together take less than a worker run. */
const SEARCH_TIMEOUT_MS = 20_000;
const MAX_ABOUT_CHARS = 600;
/** D1 limits rows to 2 MB. */
const MAX_PLAN_BYTES = 1_500_000;

/** Result of listing one target. */
interface Listing {
  pages: Omit<PlannedPage, "targetId">[];
  /** Sites and queries that could not be listed. */
  failed: { url: string; error: string }[];
  warnings: string[];
}

/**
 * Adds the pages of one target to a check's plan: its URLs, the pages that a site's map lists, or the results of its
 * searches. Failures are recorded in the plan.
 */
export async function planTarget(
  deps: Deps,
  work: CheckWork,
  { plan, target }: { plan: CheckPlan; target: MonitorTarget },
): Promise<CheckPlan> {
  const { pages, failed, warnings } = await listTarget(deps, work, target);
  const distinct = pages.filter(({ url }, index) => pages.findIndex((other) => other.url === url) === index);
  const { id: targetId } = target;
  const revision = work.monitor.config.revisions?.[targetId];
  const revisions = { ...plan.revisions, ...(revision === undefined ? {} : { [targetId]: revision }) };
  const next: CheckPlan = {
    listed: [...plan.listed, targetId],
    revisions,
    pages: [...plan.pages, ...distinct.map((page) => ({ targetId, ...page }))],
    failed: [...plan.failed, ...failed.map((failure) => ({ targetId, ...failure }))],
    warnings: [...plan.warnings, ...warnings.map((warning) => ({ targetId, warning }))],
  };
  if (utf8Length(JSON.stringify(next)) <= MAX_PLAN_BYTES) return next;
  const failure = { targetId, url: nameOf(target), error: "The check has more pages than one list can store" };
  return { ...plan, listed: next.listed, revisions, failed: [...plan.failed, failure] };
}

async function listTarget(deps: Deps, work: CheckWork, target: MonitorTarget): Promise<Listing> {
  if (target.type === "scrape") return { pages: target.urls.map((url) => ({ url })), failed: [], warnings: [] };
  return target.type === "crawl" ? await listSite(deps, work, target) : await listHits(deps, work, target);
}

/**
 * Lists the pages of the site's map and, up to the limit, pages that earlier checks have listed: only loading a page
 * shows whether it is gone.
 */
async function listSite(
  deps: Deps,
  { monitor, caller, check }: CheckWork,
  target: Extract<MonitorTarget, { type: "crawl" }>,
): Promise<Listing> {
  const limit = target.crawlOptions?.limit ?? DEFAULT_CRAWL_PAGES;
  // As many as the map lists may be among them.
  const known = await deps.monitors.knownUrls(monitor.id, target.id, 2 * limit);
  const fail = (error: string): Listing["failed"] => [{ url: target.url, error }];
  const holdId = await partId(check, [target.id]);
  const payer = await payerOrLack(deps, caller, { holdId, credits: MAP_CREDITS });
  if (isAppError(payer)) return { pages: [], failed: fail(failureWords(payer)), warnings: [] };
  try {
    const { links, warning } = await mapTarget(deps, payer, { target, limit });
    const listed = links.map(({ url }) => url).toSorted();
    const dates = new Map(links.map(({ url, sitemapDate }) => [url, sitemapDate]));
    const urls = [...new Set([...listed, ...(await inScope(known, { target, listed }))])].slice(0, limit);
    return {
      pages: urls.map((url) => {
        const sitemapDate = dates.get(url);
        return { url, ...(sitemapDate === undefined ? {} : { sitemapDate }) };
      }),
      failed: listed.length === 0 ? fail(warning ?? "The site lists no page") : [],
      warnings: warning === undefined ? [] : [warning],
    };
  } catch (error) {
    note(deps, error);
    return { pages: [], failed: fail(failureWords(error)), warnings: [] };
  }
}

/**
 * Returns the known URLs that the rules of the target do not exclude now: an earlier version has stored states of others. Where
 * the map lists pages at another place, the site has moved, and the rules for paths alone are applied.
 */
async function inScope(
  known: readonly string[],
  { target, listed }: { target: Extract<MonitorTarget, { type: "crawl" }>; listed: readonly string[] },
): Promise<string[]> {
  const { url, crawlOptions = {} } = target;
  const { includePaths, excludePaths, ignoreQueryParameters, allowSubdomains, crawlEntireDomain } = crawlOptions;
  const scope = { includePaths, excludePaths, ignoreQueryParameters, allowSubdomains, crawlEntireDomain };
  const isThere = await inTurns(within(listed, compileRules(url, scope)));
  const hasMoved = listed.length === 0 || isThere.length < listed.length;
  const anywhere = { ...scope, crawlEntireDomain: true, allowExternalLinks: true };
  return await inTurns(within(known, compileRules(url, hasMoved ? anywhere : scope)));
}

/** Returns the URLs that rules include; with `ignoreQueryParameters`, those without a query. */
function* within(urls: readonly string[], rules: CrawlRules): Turns<string[]> {
  const budget = new WorkBudget({ steps: Infinity });
  const from = { url: rules.startUrl, depth: -1, isExternal: false };
  const included: string[] = [];
  let nextTurn = PATTERN_STEPS_A_TURN;
  for (const url of urls) {
    const judged = judgeUrl(url, { from, rules, budget });
    const hasQuery = rules.ignoreQueryParameters && URL.parse(url)?.search !== "";
    if (judged.kind === "in_scope" && !hasQuery) included.push(url);
    if (budget.steps < nextTurn) continue;
    nextTurn = budget.steps + PATTERN_STEPS_A_TURN;
    yield;
  }
  return included;
}

async function mapTarget(
  deps: Deps,
  caller: Payer,
  { target, limit }: { target: Extract<MonitorTarget, { type: "crawl" }>; limit: number },
) {
  const { url, crawlOptions = {} } = target;
  const { includePaths, excludePaths, ignoreQueryParameters = false } = crawlOptions;
  const { profile, headers = {}, location } = optionsOfTarget(target);
  return await mapSite(deps, caller, {
    url,
    limit,
    sitemap: crawlOptions.sitemap ?? "include",
    filterByPath: crawlOptions.crawlEntireDomain !== true,
    useIndex: false,
    headers,
    ...(profile ? { profile } : {}),
    languages: location?.languages ?? [],
    includeSubdomains: crawlOptions.allowSubdomains ?? false,
    scope: { includePaths, excludePaths, ignoreQueryParameters },
    ignoreRobotsTxt: false,
    delayMs: 0,
    withDates: true,
    warnings: [],
  });
}

/** Lists the results of the target's queries. Each query is charged separately, and refunded when it fails. */
async function listHits(
  deps: Deps,
  { caller, check, monitor }: CheckWork,
  target: Extract<MonitorTarget, { type: "search" }>,
): Promise<Listing> {
  const { queries, maxResults: limit, searchWindow, includeDomains, excludeDomains } = target;
  const listing: Listing = { pages: [], failed: [], warnings: [] };
  const needsText = isJudged(monitor.config) && deps.llm !== undefined;
  const price = searchCredits(limit);
  const requested = { limit, tbs: WINDOWS[searchWindow], timeoutMs: SEARCH_TIMEOUT_MS };
  const domains = {
    ...(includeDomains === undefined ? {} : { includeDomains: includeDomains.map(toSite) }),
    ...(excludeDomains === undefined ? {} : { excludeDomains: excludeDomains.map(toSite) }),
  };
  const payer = await payPart(deps, caller, { holdId: await partId(check, [target.id]), credits: 0 });
  for (const query of new Set(queries)) {
    try {
      if (!(await takeCredits(deps, payer, price))) throw new AppError("INSUFFICIENT_CREDITS");
      const { groups, warning } = await paidBack(deps, price, () =>
        searchWeb(deps, caller, { query, ...requested, ...domains }),
      );
      const found = groups.web.map(({ url, title, description }) => {
        const about = [title, description].filter((text) => text !== undefined && text !== "").join("\n");
        return { url, ...(needsText ? { about: about.slice(0, MAX_ABOUT_CHARS) } : {}) };
      });
      listing.pages.push(...found);
      if (warning !== undefined) listing.warnings.push(`${query}: ${warning}`);
    } catch (error) {
      note(deps, error);
      listing.failed.push({ url: query, error: failureWords(error) });
    }
  }
  return listing;
}

/** Refunds credits that were taken for work which then fails. */
async function paidBack<Result>(deps: Deps, credits: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    giveBack(deps, credits);
    throw error;
  }
}

/** Logs unexpected failures, for the operator; expected errors are reported in the check. */
function note({ log }: Pick<Deps, "log">, error: unknown): void {
  if (!isAppError(error)) log({ event: "monitor_listing_failed", message: String(error) });
}
