import { v7 as uuidv7 } from "uuid";
import { crawlDelaySeconds } from "../../content/crawling/robots.ts";
import type { ScannedPage } from "../../content/html/scan-page.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { compileRules, type CrawlRules, type CrawlScopeOptions } from "../../core/crawl/crawl-scope.ts";
import { AppError } from "../../core/errors.ts";
import type { ProfileState } from "../../core/sessions/profile.ts";
import { rankUrlsInPieces } from "../../core/crawl/rank-urls.ts";
import { ownerOf, type Owner } from "../../core/fair-order.ts";
import { GrowingBytes } from "../../core/waits/growing-bytes.ts";
import type { WaitLimit } from "../../core/waits/wait-for-grant.ts";
import { keepsTls, portableHeaders } from "../../core/url/portable-headers.ts";
import { isSameHost, registrableDomain, withoutWww } from "../../core/url/registrable-domain.ts";
import { toAbsoluteUrl } from "../../core/url/url.ts";
import { openAccount } from "../account/account.ts";
import type { Deps, Payer } from "../deps.ts";
import { discoverSitemaps } from "./discover-sitemaps.ts";
import { wordsOnSitemaps } from "./words-on-sitemaps.ts";
import { exploreSite } from "../research/explore-site.ts";
import { pacedHttp } from "./paced-http.ts";
import { loadLinks, renderLinks, type LinkOutcome, type LinkRequest } from "./load-links.ts";
import { profileForPage, type PageProfile, type ProfileOption } from "../sessions/scrape-profile.ts";
import type { HostRobots } from "../crawl/robots-cache.ts";
import { waitForTurn } from "../crawl/host-turn.ts";
import { robotsOfHost } from "../crawl/robots-of-host.ts";
import { assertLoadable } from "../scrape/plan-page.ts";
import { withLanguages } from "./sitemap-identity.ts";
import { SiteLinks, bytesOfLinks, folderFor, namesOf, toSiteLink, type SiteLink } from "./site-links.ts";

/** Options of a map, with all defaults applied. */
export interface MapRequest {
  /** URL as the caller wrote it. */
  url: string;
  search?: string | undefined;
  sitemap: "only" | "include" | "skip";
  limit: number;
  timeoutMs?: number | undefined;
  filterByPath: boolean;
  /** True when pages that the caller's team has scraped before are listed too. */
  useIndex: boolean;
  headers: Record<string, string>;
  /** Saved profile whose cookies and storage the pages are loaded with. */
  profile?: ProfileOption | undefined;
  languages: readonly string[];
  includeSubdomains: boolean;
  scope: Omit<CrawlScopeOptions, "allowSubdomains" | "crawlEntireDomain" | "maxDiscoveryDepth">;
  /** Maximum number of links between the start page and a page that is loaded. */
  maxDiscoveryDepth?: number | undefined;
  ignoreRobotsTxt: boolean;
  robotsUserAgent?: string | undefined;
  delayMs: number;
  /** True to return the `lastmod` of pages that a sitemap lists. */
  withDates?: boolean;
  /** Warnings about options that have no effect. */
  warnings: readonly string[];
}

export interface MapResponse {
  id: string;
  links: SiteLink[];
  warning?: string;
}

/** Credits of a map of any size. */
export const MAP_CREDITS = 1;

/** Longest time of a map, in ms. */
export const MAX_MAP_MS = 120_000;
/** Exploration beyond sitemaps and the start page ends after this time, or after this share of the timeout. */
const EXPLORING_MS = 15_000;
/** Time after the deadline at which waits end: the map has ended with its own error before. */
const AFTERWARDS_MS = 1_000;
const EXPLORING_SHARE = 0.7;
/** Part of the time in which a sitemap that was requested late has ended. */
const SITEMAPS_SHARE = 0.9;
/** A sitemap with fewer pages than this may be incomplete. */
const FEW_LINKS = 100;
const MAX_RANKED = 100_000;
const MAX_REMEMBERED = 500;
const MAX_DATE_CHARS = 40;

type Uses = Pick<
  Deps,
  | "http"
  | "engines"
  | "clock"
  | "clientLeft"
  | "memory"
  | "settings"
  | "hostThrottle"
  | "keyLedger"
  | "profiles"
  | "meter"
  | "scrapes"
  | "defer"
  | "sleep"
  | "textTasks"
  | "readApart"
  | "log"
>;

/**
 * Lists the pages of a site from its sitemaps, its links and earlier scrapes. The caller's credit has been taken
 * already; it is refunded when the map fails.
 * @throws AppError MAP_TIMEOUT, MAP_FAILED, or the code of the reason why the site cannot be loaded.
 */
export async function mapSite(deps: Uses, caller: Payer, requested: MapRequest): Promise<MapResponse> {
  const account = openAccount(deps, caller, MAP_CREDITS);
  deps.meter.add("pages");
  try {
    assertLoadable(requested.url, deps);
    const profile = await profileOf(deps, requested, caller.key.teamId);
    const request = {
      ...requested,
      warnings: [...requested.warnings, ...(profile?.warning === undefined ? [] : [profile.warning])],
    };
    return await withinTime(deps, request, (deadlineMs) => {
      const memory = new GrowingBytes(deps.memory, ownerOf(caller.key), deps.clientLeft);
      const given = { request, deadlineMs, owner: ownerOf(caller.key), profile: profile?.state, memory };
      return new Mapping(deps, given).run().finally(() => memory.release());
    });
  } catch (error) {
    deps.defer(account.settle(0));
    throw error;
  }
}

async function profileOf(deps: Uses, { url, profile }: MapRequest, teamId: string): Promise<PageProfile | undefined> {
  if (profile === undefined) return undefined;
  return await profileForPage(deps, { teamId, name: profile.name }, { url: toAbsoluteUrl(url) });
}

/** Rejects when the time is over; work in progress then ends later, without effect. */
async function withinTime(
  { clock, sleep }: Uses,
  { timeoutMs = MAX_MAP_MS }: MapRequest,
  work: (deadlineMs: number) => Promise<MapResponse>,
): Promise<MapResponse> {
  const limitMs = Math.min(timeoutMs, MAX_MAP_MS);
  const deadlineMs = clock.now() + limitMs;
  const late = sleep(limitMs).then((): never => {
    throw timedOut(limitMs);
  });
  late.catch(() => undefined);
  const answer = await Promise.race([work(deadlineMs), late]);
  if (clock.now() >= deadlineMs) throw timedOut(limitMs);
  return answer;
}

function timedOut(limitMs: number): AppError {
  const advice = limitMs < MAX_MAP_MS ? "Raise timeout, or map a part of the site." : "Map a part of the site.";
  return new AppError("MAP_TIMEOUT", `The map operation timed out after ${limitMs} ms. ${advice}`);
}

/** Start page of a site after redirects. */
interface Start {
  url: string;
  page: ScannedPage;
  /** Undefined when the page was loaded. */
  problem: string | undefined;
}

interface MappingParts {
  request: MapRequest;
  deadlineMs: number;
  owner: Owner;
  profile: ProfileState | undefined;
  memory: GrowingBytes;
}

class Mapping {
  readonly #deps: Uses;
  readonly #request: MapRequest;
  readonly #askedUrl: string;
  readonly #deadlineMs: number;
  readonly #owner: Owner;
  readonly #waitLimit: WaitLimit;
  readonly #startedAtMs: number;
  /** Of the patterns: the map has no result after its deadline. */
  readonly #budget: WorkBudget;
  readonly #warnings: string[];
  /** Of the files and pages that are read, and of their links. */
  readonly #memory: GrowingBytes;
  readonly #profile: ProfileState | undefined;

  constructor(deps: Uses, { request, deadlineMs, owner, profile, memory }: MappingParts) {
    this.#deps = deps;
    this.#owner = owner;
    this.#profile = profile;
    this.#request = request;
    this.#askedUrl = toAbsoluteUrl(request.url);
    this.#deadlineMs = deadlineMs;
    this.#waitLimit = { deadlineMs: deadlineMs + AFTERWARDS_MS, left: deps.clientLeft };
    this.#startedAtMs = deps.clock.now();
    const deadline = { atMs: deadlineMs, now: () => deps.clock.now() };
    this.#budget = new WorkBudget({ steps: Infinity, deadline });
    this.#warnings = [...request.warnings];
    this.#memory = memory;
  }

  async run(): Promise<MapResponse> {
    // The next request to the site is a delay after the start page.
    if (this.#request.delayMs > 0) await waitForTurn(this.#deps, { url: this.#askedUrl, delayMs: 0, ...this.#pace() });
    const robotsOptions = { deadlineMs: this.#deadlineMs, owner: this.#owner };
    const robotsAsked = robotsOfHost(this.#deps, this.#askedUrl, robotsOptions);
    const outcome = await loadLinks(this.#deps, this.#linkRequest(this.#askedUrl, this.#askedUrl));
    const start = toStart(outcome, this.#askedUrl);
    this.#memory.add(bytesOfLinks(start.page));
    const hasMoved = !isSameHost(new URL(start.url).host, new URL(this.#askedUrl).host);
    const robots = hasMoved ? await robotsOfHost(this.#deps, start.url, robotsOptions) : await robotsAsked;

    const links = this.#collection(start.url);
    if (start.problem === undefined) links.add({ url: start.url, ...namesOf(start.page) }, start.url);
    const remembered = this.#remembered(start.url);
    const problems = await this.#readSitemaps(start.url, { robots, links });
    await this.#readPages(start, { robots, links });
    for (const page of await remembered) links.add(page, start.url);
    if (links.size === 0) assertStarted(outcome);
    return await this.#answer(start, { links, problems });
  }

  #linkRequest(url: string, startUrl: string): LinkRequest {
    const { languages } = this.#request;
    const [owner, waitLimit] = [this.#owner, this.#waitLimit];
    const runTask = this.#deps.textTasks(owner, waitLimit);
    const headers = new URL(url).origin === new URL(startUrl).origin ? this.#headersOf(startUrl) : this.#portable();
    const [deadlineMs, memory] = [this.#deadlineMs, this.#memory];
    return { url, headers, languages, deadlineMs, runTask, profile: this.#profile, owner, waitLimit, memory };
  }

  /** Returns the caller's headers; without their secrets when the site has moved to another host, or away from HTTPS. */
  #headersOf(startUrl: string): Record<string, string> {
    const [start, asked] = [new URL(startUrl), new URL(this.#askedUrl)];
    const isAsked = isSameHost(start.host, asked.host) && keepsTls(start, asked);
    return isAsked ? { ...this.#request.headers } : this.#portable();
  }

  #portable(): Record<string, string> {
    return portableHeaders(this.#request.headers);
  }

  /** Creates the collection of links. It holds more than the limit when the best ones have to be selected. */
  #collection(startUrl: string): SiteLinks {
    const { search, limit, filterByPath } = this.#request;
    const capacity = search === undefined ? limit : Math.max(limit, MAX_RANKED);
    const folder = filterByPath ? folderFor(this.#askedUrl, startUrl) : "";
    const [rules, budget, memory] = [this.#rules(startUrl), this.#budget, this.#memory];
    return new SiteLinks({ rules, capacity, folder, budget, memory });
  }

  #rules(startUrl: string): CrawlRules {
    const { scope, includeSubdomains } = this.#request;
    return compileRules(startUrl, { ...scope, allowSubdomains: includeSubdomains, crawlEntireDomain: true });
  }

  async #readSitemaps(
    startUrl: string,
    { robots, links }: { robots: HostRobots; links: SiteLinks },
  ): Promise<string[]> {
    if (this.#request.sitemap === "skip") return [];
    const http = pacedHttp(this.#deps, this.#pace());
    const found = await discoverSitemaps(
      { ...this.#deps, http },
      {
        startUrl,
        listed: robots.robots.sitemaps,
        deadlineMs: this.#deadlineMs,
        isEnough: () => links.isFull || this.#budget.isSpent,
        isTurnDue: () => links.isTurnDue(),
        headers: withLanguages(this.#headersOf(startUrl), this.#request.languages),
        cookies: this.#profile?.cookies,
        runTask: this.#deps.textTasks(this.#owner, this.#waitLimit),
        memory: this.#memory,
        owner: this.#owner,
        onUrl: ({ url, title, lastModified }) => {
          const date = lastModified === undefined ? {} : { sitemapDate: lastModified.slice(0, MAX_DATE_CHARS) };
          links.add({ url, ...(title === undefined ? {} : { title }), ...date }, startUrl);
          return this.#memory.isOver ? this.#memory.wait(this.#deadlineMs + AFTERWARDS_MS) : undefined;
        },
      },
    );
    return wordsOnSitemaps(found);
  }

  #pace() {
    const at = (share: number) => this.#startedAtMs + (this.#deadlineMs - this.#startedAtMs) * share;
    const untilMs = at(EXPLORING_SHARE);
    return { ownDelayMs: this.#request.delayMs, keyId: this.#owner.keyId, untilMs, endMs: at(SITEMAPS_SHARE) };
  }

  /** Returns pages of the host that the team has scraped before. A failure adds a warning and returns none. */
  async #remembered(startUrl: string): Promise<SiteLink[]> {
    const { useIndex, sitemap } = this.#request;
    if (!useIndex || sitemap === "only") return [];
    const options = { teamId: this.#owner.teamId, nowMs: this.#deps.clock.now(), limit: MAX_REMEMBERED };
    const pages = await this.#deps.scrapes.pagesOf(new URL(startUrl).host, options).catch((error: unknown) => {
      this.#deps.log({ event: "map_index_failed", message: String(error) });
      this.#warnings.push("Pages that were scraped before could not be listed.");
      return [];
    });
    return pages.map(({ url, title = "", description = "" }) => ({ url: toAbsoluteUrl(url), title, description }));
  }

  /** Reads the links of the start page, and of further pages while few pages of the site are known. */
  async #readPages(start: Start, { robots, links }: { robots: HostRobots; links: SiteLinks }): Promise<void> {
    const { sitemap, maxDiscoveryDepth = Infinity, scope, filterByPath, ignoreRobotsTxt, delayMs } = this.#request;
    if (sitemap === "only" || start.problem !== undefined || maxDiscoveryDepth < 1) return;
    const fromSitemaps = links.size;
    const page = await this.#pageWithLinks(start, fromSitemaps);
    const robotsAgent = this.#request.robotsUserAgent ?? this.#deps.settings.userAgent;
    const siteDelayMs = ignoreRobotsTxt ? 0 : (crawlDelaySeconds(robots.robots, robotsAgent) ?? 0) * 1000;
    const mayExplore = fromSitemaps < FEW_LINKS && (ignoreRobotsTxt || robots.kind !== "unreachable");
    const timeLeftMs = (this.#deadlineMs - this.#startedAtMs) * EXPLORING_SHARE;
    const folder = filterByPath ? folderFor(this.#askedUrl, start.url) : "";
    await exploreSite(this.#deps, {
      start: { url: start.url, page },
      links,
      memory: this.#memory,
      visiting: {
        ...this.#rules(start.url),
        folder,
        includePaths: [],
        excludePaths: [],
        ignoreQueryParameters: false,
        allowExternalLinks: false,
        deduplicateSimilarURLs: scope.deduplicateSimilarURLs ?? true,
      },
      robots: ignoreRobotsTxt ? undefined : robots.robots,
      robotsAgent,
      delayMs: siteDelayMs,
      ownDelayMs: delayMs,
      keyId: this.#owner.keyId,
      maxDepth: mayExplore ? maxDiscoveryDepth : 1,
      untilMs: this.#startedAtMs + Math.min(EXPLORING_MS, timeLeftMs),
      warn: (text) => void this.#warnings.push(text),
      requestFor: (url) => this.#linkRequest(url, start.url),
    });
  }

  /** Renders the start page when it has no links, which its scripts may add. */
  async #pageWithLinks({ url, page }: Start, known: number): Promise<ScannedPage> {
    if (page.links.length > 0 || known > 1) return page;
    const deadlineMs = Math.min(this.#deadlineMs, this.#deps.clock.now() + EXPLORING_MS);
    const rendered = await renderLinks(
      this.#deps,
      { ...this.#linkRequest(url, url), deadlineMs },
      this.#deps.readApart?.(this.#owner, this.#waitLimit),
    );
    if (typeof rendered !== "string") return rendered;
    this.#warnings.push(`The start page shows no links without its scripts, and could not be rendered: ${rendered}.`);
    return page;
  }

  async #answer(start: Start, { links, problems }: { links: SiteLinks; problems: string[] }): Promise<MapResponse> {
    const { search, limit, withDates = false } = this.#request;
    const found = links.all();
    const ranked = search === undefined ? found : await rankUrlsInPieces(search, found);
    const listed = ranked.slice(0, limit).map((link) => ({
      ...toSiteLink(link),
      ...(withDates && link.sitemapDate !== undefined ? { sitemapDate: link.sitemapDate } : {}),
    }));
    const warnings = this.#warnings;
    if (start.problem !== undefined) warnings.push(start.problem);
    if (links.isLarge) warnings.push("The addresses of this site are too long for all of them: the first are listed.");
    if (problems.length > 0) warnings.push(`${problems.join("; ")}.`);
    if (listed.length <= 1 && limit > 1 && !isBaseDomain(this.#askedUrl))
      warnings.push(fewResults(listed.length, start.url));
    return { id: uuidv7(), links: listed, ...(warnings.length === 0 ? {} : { warning: warnings.join(" ") }) };
  }
}

function toStart(outcome: LinkOutcome, askedUrl: string): Start {
  const nothing: ScannedPage = { title: "", description: "", links: [] };
  if (outcome.kind === "page" && outcome.statusCode < 400)
    return { url: outcome.url, page: outcome.page, problem: undefined };
  const url = outcome.kind === "page" ? outcome.url : askedUrl;
  const why = outcome.kind === "failed" ? outcome.message : `the site answers ${outcome.statusCode}`;
  return { url, page: nothing, problem: `The start page could not be read: ${why}.` };
}

/** Throws when the site could not be reached: that is not an empty map. */
function assertStarted(outcome: LinkOutcome): void {
  if (outcome.kind !== "failed") return;
  const { code, message } = outcome;
  if (code === "SAFE_MODE_BLOCKED" || code === "SCRAPE_DNS_RESOLUTION_ERROR") throw new AppError(code, message);
  if (code === "SCRAPE_TIMEOUT") throw new AppError("MAP_TIMEOUT");
  throw new AppError("MAP_FAILED", `The site could not be mapped: ${message}`);
}

function isBaseDomain(url: string): boolean {
  const { hostname, pathname } = new URL(url);
  const domain = registrableDomain(hostname);
  return pathname === "/" && (domain === undefined || domain === withoutWww(hostname));
}

function fewResults(count: number, startUrl: string): string {
  const { protocol, hostname, host } = new URL(startUrl);
  const base = `${protocol}//${registrableDomain(hostname) ?? host}`;
  return `Only ${count} result(s) found. Mapping the base domain, ${base}, may find more.`;
}
