import { ownerOf } from "../../core/fair-order.ts";
import { v7 as uuidv7 } from "uuid";
import type { ScrapeDocument } from "../../core/scrape/document.ts";
import { AppError, ERRORS, isAppError, stackOf } from "../../core/errors.ts";
import { Meter } from "../../core/account/meter.ts";
import { searchCredits } from "../../core/account/pricing.ts";
import { utf8Length } from "../../core/text/utf8.ts";
import { UrlValue } from "../../core/url/url.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { openAccount, takeCredits, withRefund, type Account } from "../account/account.ts";
import type { Deps, Payer } from "../deps.ts";
import { highlightResults } from "./highlight-results.ts";
import { inParallel } from "../../jobs/in-parallel.ts";
import { failureStatus, scrapeLater } from "../scrape/scrape-later.ts";
import { estimateCredits } from "../scrape/scrape-credits.ts";
import { scrapePage, type ScrapeRequest } from "../scrape/scrape-page.ts";
import type { ScrapeDefaults } from "../scrape/scrape-plan.ts";
import { DEFAULT_LIMIT, DEFAULT_TIMEOUT_MS } from "./provider-search.ts";
import { ResponseRoom } from "./response-room.ts";
import { searchWeb, type SearchAttempt, type WebSearchResponse, type WebSearchRequest } from "./search-web.ts";

/** Options of a search, and of scraping its results. */
export interface SearchRequest {
  search: WebSearchRequest;
  /** Results are scraped when formats are requested. */
  scrapeOptions: ScrapeOptions;
  defaults: ScrapeDefaults;
  /** Undefined: highlights of pages whose text is available. True: pages are loaded for highlights. */
  highlights: boolean | undefined;
  /** The response does not wait for the scrapes, and contains their IDs. */
  asyncScraping: boolean;
  /** Leaves out results that cannot be scraped here. */
  ignoreInvalidUrls: boolean;
  zeroDataRetention: boolean;
  apiVersion: "v1" | "v2";
  publicOrigin: string;
  /** Warnings about options that have no effect. */
  warnings: readonly string[];
}

type Groups = WebSearchResponse["groups"];
type GroupName = keyof Groups;
/** Results of a group, with the fields of the document where a page was scraped. */
export type SearchItems<Name extends GroupName> = (Groups[Name][number] & Partial<ScrapeDocument>)[];

export interface SearchResponse {
  id: string;
  groups: { [Name in GroupName]: SearchItems<Name> };
  scrapeIds: Partial<Record<GroupName, string[]>> | undefined;
  warning: string | undefined;
  creditsUsed: number;
  attempts: SearchAttempt[];
}

const SCRAPES_AT_A_TIME = 8;
/** A message of a queue has 128 kB at most; each queued scrape is one, with its options, its URL and its key. */
const MAX_QUEUED_OPTIONS_BYTES = 100_000;
const LEAST_TIMEOUT_MS = 1000;
const GROUP_NAMES: readonly GroupName[] = ["web", "images", "news"];

/** Estimates the credits that a search takes before it begins: as if every source filled its list. */
export function estimateSearchCredits({ search, zeroDataRetention }: SearchRequest): number {
  return searchCredits((search.limit ?? DEFAULT_LIMIT) * Math.max(1, search.sources?.length ?? 1), zeroDataRetention);
}

/**
 * Searches, and scrapes the results within the same timeout. The search's credits have been taken already and are
 * adjusted to the results; each scrape is charged when it runs.
 * @throws AppError as `searchWeb` does, `PAYLOAD_TOO_LARGE` for options of queued scrapes that are too large, and `RATE_LIMITED`
 * where too many queued scrapes of the team are pending. Then the search costs nothing. A page that cannot be scraped is no error:
 * its item contains the reason.
 */
export async function searchAndScrape(deps: Deps, caller: Payer, request: SearchRequest): Promise<SearchResponse> {
  const account = openAccount(deps, caller, estimateSearchCredits(request));
  return await withRefund(deps, account, async () => await searchWithin(deps, caller, { request, account }));
}

async function searchWithin(
  deps: Deps,
  caller: Payer,
  { request, account }: { request: SearchRequest; account: Account },
): Promise<SearchResponse> {
  const queuedBytes = request.asyncScraping ? utf8Length(JSON.stringify(request.scrapeOptions)) : 0;
  if (queuedBytes > MAX_QUEUED_OPTIONS_BYTES) {
    const message = `With asyncScraping, scrapeOptions take at most ${MAX_QUEUED_OPTIONS_BYTES} bytes; these take ${queuedBytes}.`;
    throw new AppError("PAYLOAD_TOO_LARGE", message);
  }
  const leave = reserveScrapes(deps, caller, request);
  const createdAtMs = deps.clock.now();
  const deadlineMs = createdAtMs + (request.search.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const found = await searchWeb(deps, caller, request.search).catch((error: unknown) => {
    leave();
    throw error;
  });
  // No other request runs before `scrapeLater` counts the pages that were found.
  leave();
  const groups = request.ignoreInvalidUrls ? withoutInvalid(found.groups) : found.groups;
  const count = GROUP_NAMES.reduce((sum, name) => sum + groups[name].length, 0);
  const searched = searchCredits(count, request.zeroDataRetention);
  deps.defer(account.settle(searched));

  const owner = ownerOf(caller.key);
  const room = new ResponseRoom({ memory: deps.memory, owner, clientLeft: deps.clientLeft });
  const search: ScrapingSearch = { deps, caller, request, deadlineMs, warnings: [], room };
  try {
    return await complete(search, { found: { ...found, groups }, searched, createdAtMs });
  } finally {
    room.release();
  }
}

/**
 * Reserves room for the scrapes that a search may queue, while it runs.
 * @returns a function that gives it back
 * @throws AppError `RATE_LIMITED` while too many are pending
 */
function reserveScrapes(
  { queuedScrapes }: Deps,
  { key }: Payer,
  { search, asyncScraping, scrapeOptions: { formats = [] } }: SearchRequest,
): () => void {
  if (!asyncScraping || formats.length === 0 || queuedScrapes === undefined) return () => undefined;
  return queuedScrapes.reserve(key.teamId, (search.limit ?? DEFAULT_LIMIT) * Math.max(1, search.sources?.length ?? 1));
}

/** Scrapes and describes the results of a search. */
async function complete(
  search: ScrapingSearch,
  { found, searched, createdAtMs }: { found: WebSearchResponse; searched: number; createdAtMs: number },
): Promise<SearchResponse> {
  const { deps, caller, request, deadlineMs } = search;
  const { groups } = found;
  const wantsPages = (request.scrapeOptions.formats ?? []).length > 0;
  const scrapeIds = wantsPages && request.asyncScraping ? await promise(search, groups) : undefined;
  const scraped = wantsPages && !request.asyncScraping ? await scrapeAll(search, groups) : undefined;
  const full = scraped?.groups ?? groups;
  if (request.highlights !== false) {
    const load = request.highlights === true;
    const { missed } = await highlightResults(deps, full, {
      query: request.search.query,
      load,
      deadlineMs,
      keep: !request.zeroDataRetention,
      owner: ownerOf(caller.key),
    });
    if (missed > 0)
      search.warnings.push(
        `highlights: ${missed} page(s) could not be read; their descriptions are as they were found.`,
      );
  }
  const id = uuidv7();
  const creditsUsed = searched + (scraped?.creditsUsed ?? 0);
  if (!request.zeroDataRetention) {
    deps.defer(deps.feedback.insertSearch({ id, teamId: caller.key.teamId, creditsUsed: searched, createdAtMs }));
  }
  const warnings = [...(found.warning === undefined ? [] : [found.warning]), ...request.warnings, ...search.warnings];
  return {
    id,
    groups: full,
    scrapeIds,
    warning: warnings.length === 0 ? undefined : warnings.join(" "),
    creditsUsed,
    attempts: found.attempts,
  };
}

interface ScrapingSearch {
  deps: Deps;
  caller: Payer;
  request: SearchRequest;
  deadlineMs: number;
  warnings: string[];
  /** Room for the documents of the response. */
  room: ResponseRoom;
}

function withoutInvalid(groups: Groups): Groups {
  const valid = <Item extends { url: string }>(items: Item[]): Item[] =>
    items.filter(({ url }) => UrlValue.safeParse(url).success);
  return { web: valid(groups.web), images: valid(groups.images), news: valid(groups.news) };
}

/** Queues scrapes, and returns the id of each item's page in the order of the items. A page may be in several groups; it is queued once. */
async function promise(search: ScrapingSearch, groups: Groups): Promise<SearchResponse["scrapeIds"]> {
  const { deps, caller, request } = search;
  const urls = [...new Set(GROUP_NAMES.flatMap((name) => groups[name].map(({ url }) => url)))];
  const requests = urls.map((url) => toScrapeRequest(url, request, request.scrapeOptions));
  const { ids, unsent } = await scrapeLater(deps, caller, requests);
  if (unsent > 0)
    search.warnings.push(`${unsent} of ${urls.length} pages could not be queued, and cost nothing; their ids say so.`);
  const idOf = new Map(urls.map((url, index) => [url, ids[index] ?? ""]));
  const scrapeIds: NonNullable<SearchResponse["scrapeIds"]> = {};
  for (const name of GROUP_NAMES)
    if (groups[name].length > 0) scrapeIds[name] = groups[name].map(({ url }) => idOf.get(url) ?? "");
  return scrapeIds;
}

function toScrapeRequest(url: string, request: SearchRequest, options: ScrapeOptions): ScrapeRequest {
  const { defaults, apiVersion, zeroDataRetention, publicOrigin } = request;
  return { url, options, defaults, apiVersion, zeroDataRetention, publicOrigin, isOneOfMany: true };
}

interface Scraped {
  fields: Partial<ScrapeDocument>;
  creditsUsed: number;
}

async function scrapeAll(
  search: ScrapingSearch,
  groups: Groups,
): Promise<{ groups: SearchResponse["groups"]; creditsUsed: number }> {
  const items = GROUP_NAMES.flatMap((name) => groups[name].map(({ url }) => ({ name, url })));
  // A page may be in several groups; it is loaded once.
  const urls = [...new Set(items.map(({ url }) => url))];
  const { room } = search;
  const results = await inParallel(urls, SCRAPES_AT_A_TIME, async (url) => {
    const scraped = await scrapeOne(search, url);
    return { ...scraped, fields: room.take(scraped.fields, !search.request.zeroDataRetention) };
  });
  const byUrl = new Map(urls.map((url, index) => [url, results[index]]));
  const late = results.filter(({ fields }) => fields.metadata?.error === NOT_READY).length;
  if (late > 0)
    search.warnings.push(`${late} of ${urls.length} pages were not ready in time; a longer timeout gives them more.`);
  if (room.leftOut > 0)
    search.warnings.push(
      `${room.leftOut} of ${urls.length} documents are left out: together${room.isShared ? ", and with those of the team's other requests," : ""} they are too large.`,
    );
  const merged = <Item extends { url: string }>(list: Item[]) =>
    list.map((item) => ({ ...item, ...byUrl.get(item.url)?.fields }));
  return {
    groups: { web: merged(groups.web), images: merged(groups.images), news: merged(groups.news) },
    creditsUsed: results.reduce((sum, { creditsUsed }) => sum + creditsUsed, 0),
  };
}

const NOT_READY = "The page was not ready within the search's timeout";

/** Returns a scraped page, or the reason why there is none, at the latest when the search's time is over. */
async function scrapeOne(search: ScrapingSearch, url: string): Promise<Scraped> {
  const { deps, caller, request, deadlineMs } = search;
  const leftMs = deadlineMs - deps.clock.now();
  if (leftMs < LEAST_TIMEOUT_MS) return failedScrape(url, 408, NOT_READY);
  const timeout = Math.min(request.scrapeOptions.timeout ?? Infinity, Math.max(LEAST_TIMEOUT_MS, leftMs));
  const scrape = toScrapeRequest(url, request, { ...request.scrapeOptions, timeout });
  // Its credits count only when its page is part of the response.
  const meter = new Meter();
  const own = { ...deps, meter };
  const fail = (error: unknown): Scraped => failureOf(search, url, error);
  const unpaid = await takeCredits(own, caller, estimateCredits(scrape)).then(
    (isTaken) => (isTaken ? undefined : failedScrape(url, 402, ERRORS.INSUFFICIENT_CREDITS.message)),
    fail,
  );
  if (unpaid !== undefined) return unpaid;
  const scraping = scrapePage(own, caller, scrape).then(
    ({ document, creditsUsed }): Scraped => ({ fields: document, creditsUsed }),
    fail,
  );
  deps.defer(scraping);
  const late = deps.sleep(leftMs).then(() => failedScrape(url, 408, NOT_READY));
  const scraped = await Promise.race([scraping, late]);
  deps.meter.add("credits", scraped.creditsUsed);
  deps.meter.add("pages", meter.counts.pages);
  return scraped;
}

function failureOf({ deps, deadlineMs }: ScrapingSearch, url: string, error: unknown): Scraped {
  if (!isAppError(error)) {
    deps.log({ event: "page_failed_unexpectedly", message: stackOf(error) });
    return failedScrape(url, 500, ERRORS.UNKNOWN_ERROR.message);
  }
  const isLate = error.code === "SCRAPE_TIMEOUT" && deps.clock.now() >= deadlineMs - 100;
  return isLate ? failedScrape(url, 408, NOT_READY) : failedScrape(url, failureStatus(error.code), error.message);
}

function failedScrape(sourceURL: string, statusCode: number, error: string): Scraped {
  return { fields: { metadata: { sourceURL, statusCode, error } }, creditsUsed: 0 };
}
