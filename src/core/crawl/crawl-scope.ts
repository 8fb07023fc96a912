import { z } from "zod";
import { AppError } from "../errors.ts";
import { isSameHost, isSameSite } from "../url/registrable-domain.ts";
import { assertQuickToCompile, compilePatterns, type SafePatterns } from "../text/safe-pattern.ts";
import { TextMap } from "../text/text-map.ts";
import { HeldValues } from "../held-values.ts";
import type { WorkBudget } from "../work-budget.ts";
import { readPlainAddress } from "../url/plain-address.ts";
import { dropAnchor, isHashRoute, similarUrlKey, tidyUrl, type UrlParts } from "../url/url-key.ts";
import { isSkippedFile, isSocialHost } from "./url-kinds.ts";
import { toAbsoluteUrl } from "../url/url.ts";

/** Patterns in `includePaths` and in `excludePaths`: each is compiled when the request arrives. */
export const MAX_PATH_PATTERNS = 1_000;

/**
 * Reason that a crawl's rules exclude a URL (api-contract.md, “Crawl scope”). robots.txt is checked later, when the
 * page is loaded.
 */
export type DenialReason =
  | "DEPTH_LIMIT"
  | "INCLUDE_PATTERN"
  | "EXCLUDE_PATTERN"
  | "FILE_TYPE"
  | "URL_PARSE_ERROR"
  | "BACKWARD_CRAWLING"
  | "SOCIAL_MEDIA"
  | "EXTERNAL_LINK"
  | "SECTION_LINK"
  | "NON_WEB_PROTOCOL"
  | "WORK_LIMIT";

/**
 * Options that select the URLs of a crawl; absent options have their defaults (api-contract.md, “Crawl options”).
 */
export interface CrawlScopeOptions {
  includePaths?: readonly string[] | undefined;
  excludePaths?: readonly string[] | undefined;
  regexOnFullURL?: boolean | undefined;
  /** Maximum number of links from the start page. */
  maxDiscoveryDepth?: number | undefined;
  /** Version 1: maximum number of path segments. */
  maxDepth?: number | undefined;
  crawlEntireDomain?: boolean | undefined;
  allowExternalLinks?: boolean | undefined;
  allowSubdomains?: boolean | undefined;
  ignoreQueryParameters?: boolean | undefined;
  deduplicateSimilarURLs?: boolean | undefined;
}

/** Validated options with defaults, as plain data that can be stored as JSON. */
export const CrawlRules = z.object({
  startUrl: z.string(),
  /** Folder that paths must be in; empty for the whole host. Does not apply to other hosts of the domain. */
  folder: z.string(),
  includePaths: z.array(z.string()).readonly(),
  excludePaths: z.array(z.string()).readonly(),
  regexOnFullURL: z.boolean(),
  maxDiscoveryDepth: z.number().nullable(),
  maxDepth: z.number().nullable(),
  allowExternalLinks: z.boolean(),
  allowSubdomains: z.boolean(),
  ignoreQueryParameters: z.boolean(),
  deduplicateSimilarURLs: z.boolean(),
});
export type CrawlRules = z.infer<typeof CrawlRules>;

/** Page on which a URL was found. The seed, sitemaps included, counts as found at depth -1 on the start URL. */
export interface FoundOn {
  url: string;
  depth: number;
  isExternal: boolean;
}

export type Judgement =
  | {
      kind: "in_scope";
      /** Normalized: absolute, without fragment and credentials. */
      url: string;
      /** Equal for URLs of the same page. */
      key: string;
      depth: number;
      isExternal: boolean;
    }
  | {
      kind: "filtered";
      url: string;
      reason: DenialReason;
      /** Set when another page may lead to the URL within the rules: only the path violates them, or the budget was spent. */
      key?: string;
    };

/** Maximum length of URLs: longer ones come from crawler traps. Also bounds the time of pattern matching. */
const MAX_URL_CHARACTERS = 2_048;

/**
 * Validates the options of a request, and applies the defaults.
 * @throws AppError BAD_REQUEST as `compileRules` does, and for patterns that take long to compile.
 */
export function compileNewRules(startUrl: string, options: CrawlScopeOptions): CrawlRules {
  assertQuickPatterns(options);
  return compileRules(startUrl, options);
}

/** @throws AppError BAD_REQUEST for patterns of a request that take long to compile. */
export function assertQuickPatterns({ includePaths = [], excludePaths = [] }: CrawlScopeOptions): void {
  assertQuickToCompile(includePaths, "includePaths");
  assertQuickToCompile(excludePaths, "excludePaths");
}

/**
 * Validates options, which may be stored ones of an earlier version, and applies the defaults.
 * @throws AppError BAD_REQUEST for an invalid regular expression, and for a start URL deeper than `maxDepth`.
 */
export function compileRules(startUrl: string, options: CrawlScopeOptions): CrawlRules {
  const start = dropAnchor(new URL(toAbsoluteUrl(startUrl)));
  const rules: CrawlRules = {
    startUrl: start.href,
    folder: options.crawlEntireDomain === true ? "" : folderOf(start.pathname),
    includePaths: options.includePaths ?? [],
    excludePaths: options.excludePaths ?? [],
    regexOnFullURL: options.regexOnFullURL ?? false,
    maxDiscoveryDepth: options.maxDiscoveryDepth ?? null,
    maxDepth: options.maxDepth ?? null,
    allowExternalLinks: options.allowExternalLinks ?? false,
    allowSubdomains: options.allowSubdomains ?? false,
    ignoreQueryParameters: options.ignoreQueryParameters ?? false,
    deduplicateSimilarURLs: options.deduplicateSimilarURLs ?? true,
  };
  prepare(rules);
  if (rules.maxDepth !== null && pathDepth(start.pathname) > rules.maxDepth) {
    const message = "URL depth exceeds the specified maxDepth";
    throw new AppError("BAD_REQUEST", message, { details: [{ code: "custom", path: ["url"], message }] });
  }
  return rules;
}

/** Steps of patterns after which other requests run: a step takes 1 ns with usual patterns, and some 100 ns with the worst ones. */
export const PATTERN_STEPS_A_TURN = 500_000;

/** @param budget counts the work of the patterns; URLs beyond it have the reason `WORK_LIMIT`. Unlimited when absent. */
interface Judging {
  from: FoundOn;
  rules: CrawlRules;
  budget?: WorkBudget | undefined;
}

/**
 * Decides whether a found URL is in scope. Deterministic, takes time linear in the URL, and gives the same decision for
 * a URL that it has returned.
 */
export function judgeUrl(candidate: string, { from, rules, budget }: Judging): Judgement {
  const target = targetOf(candidate, { from, rules, budget });
  if (target.section !== undefined && target.section === withoutFragment(from.url)) {
    return filtered(target.asWritten, "SECTION_LINK");
  }
  const { url, reason, key, isExternal } = target;
  if (reason === "WORK_LIMIT") return { ...filtered(url, reason), key };
  if (reason !== undefined) return filtered(url, reason);
  // One hop: no links of an external page are followed.
  if (from.isExternal) return { ...filtered(url, "EXTERNAL_LINK"), key };
  const depth = from.depth + 1;
  if (rules.maxDiscoveryDepth !== null && depth > rules.maxDiscoveryDepth) {
    return { ...filtered(url, "DEPTH_LIMIT"), key };
  }
  return { kind: "in_scope", url, key, depth, isExternal };
}

/** Properties of a link that do not depend on the page on which it was found. */
interface Target {
  /** Absolute, with its fragment. */
  asWritten: string;
  /** URL of the page, when the link leads to a section of it. */
  section: string | undefined;
  /** Normalized. */
  url: string;
  key: string;
  isExternal: boolean;
  reason: DenialReason | undefined;
}

/** Maximum number of cached decisions of all rules in use together: the pages of a site repeat the same links. */
const MAX_REMEMBERED = 100_000;
/** The least for each of them. */
const MIN_REMEMBERED = 1_000;
/** Maximum number of characters of the links of all rules in use together. */
const MAX_REMEMBERED_CHARS = 10_000_000;

function targetOf(candidate: string, { from, rules, budget }: Judging): Target {
  const ready = prepare(rules);
  const { targets } = ready;
  const isAbsolute = candidate.startsWith("https://") || candidate.startsWith("http://");
  const known = isAbsolute ? targets.get(candidate) : undefined;
  if (known !== undefined) return recalled(known, { rules, ready, budget });
  const ruled = { rules, ready, budget };
  const target = judgeOnStartHost(candidate, ruled) ?? judgeTarget(candidate, URL.parse(candidate, from.url), ruled);
  if (!isAbsolute || target.reason === "WORK_LIMIT") return target;
  remember(candidate, target, ready);
  return target;
}

/** Forgets all earlier decisions when they are too many. */
function remember(candidate: string, target: Target, ready: ReadyRules): void {
  const { targets, targetChars } = ready;
  const isFull =
    targets.size >= Math.max(MIN_REMEMBERED, MAX_REMEMBERED / inUse.size) ||
    targetChars + candidate.length > MAX_REMEMBERED_CHARS / inUse.size;
  if (isFull) [ready.targets, ready.targetChars] = [new TextMap(), 0];
  ready.targets.set(candidate, target);
  ready.targetChars += candidate.length;
}

/** Counts the work of a cached decision again: what a page leads to must not depend on the cache. */
function recalled(target: Target, ruled: Ruled): Target {
  const isMatched = target.reason === undefined || target.reason.endsWith("_PATTERN");
  return !isMatched || takesPatterns(target.url, ruled) ? target : { ...target, reason: "WORK_LIMIT" };
}

/**
 * Judges a URL of the start host whose text is in the normal form of a URL parser, as that of nearly every link is: no object
 * and no text is made for it but its key. Returns undefined for all others.
 */
function judgeOnStartHost(candidate: string, ruled: Ruled): Target | undefined {
  const { rules, ready } = ruled;
  const { origin, host, hostname } = ready.start;
  if (candidate.charCodeAt(origin.length) !== SLASH || !candidate.startsWith(origin)) return undefined;
  if (candidate.length > MAX_URL_CHARACTERS || candidate.endsWith("?") || candidate.includes("#")) return undefined;
  const address = candidate.slice(origin.length);
  if (readPlainAddress(address, ready.start.href) === undefined) return undefined;
  const queryAt = address.indexOf("?");
  if (queryAt >= 0 && rules.ignoreQueryParameters) return undefined;
  const [pathname, search] = queryAt < 0 ? [address, ""] : [address.slice(0, queryAt), address.slice(queryAt)];
  const url = { href: candidate, host, hostname, pathname, search, hash: "" };
  const key = rules.deduplicateSimilarURLs ? similarUrlKey(url) : candidate;
  const reason = denialOf(url, "start_host", ruled);
  return { asWritten: candidate, section: undefined, url: candidate, key, isExternal: false, reason };
}

const SLASH = 47;

function judgeTarget(candidate: string, parsed: URL | null, ruled: Ruled): Target {
  const { rules, ready } = ruled;
  const plain = { section: undefined, key: "", isExternal: false };
  if (parsed === null || parsed.href.length > MAX_URL_CHARACTERS) {
    // A `data:` URL may hold a whole file: it is listed by its beginning.
    const url = candidate.length > MAX_URL_CHARACTERS ? `${candidate.slice(0, MAX_URL_CHARACTERS)}…` : candidate;
    return { ...plain, asWritten: url, url, reason: "URL_PARSE_ERROR" };
  }
  const asWritten = parsed.href;
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    return { ...plain, asWritten, url: asWritten, reason: "NON_WEB_PROTOCOL" };
  }
  const leadsToSection = parsed.hash !== "" && !isHashRoute(parsed.hash);
  const section = leadsToSection ? asWritten.slice(0, -parsed.hash.length) : undefined;
  const url = tidyUrl(parsed, rules);
  const place = placeOf(url, ready.start, rules);
  const key = rules.deduplicateSimilarURLs ? similarUrlKey(url) : url.href;
  const reason = denialOf(url, place, ruled);
  return { asWritten, section, url: url.href, key, isExternal: place === "external", reason };
}

/** Returns the number of path segments; an index file counts as its folder. */
export function pathDepth(pathname: string): number {
  return pathname.split("/").filter((segment) => segment !== "" && !/^index\.(?:html|php)$/i.test(segment)).length;
}

type Place = "start_host" | "subdomain" | "external";

interface ReadyRules {
  start: URL;
  include: SafePatterns;
  exclude: SafePatterns;
  /** Cached decisions by link. */
  targets: TextMap<Target>;
  targetChars: number;
}

interface Ruled {
  rules: CrawlRules;
  ready: ReadyRules;
  budget: WorkBudget | undefined;
}

const prepared = new WeakMap<CrawlRules, ReadyRules>();
/** By the text of the rules: each run of a job has an object of its own. */
const inUse = new HeldValues<ReadyRules>();

/** Compiles the rules; cached per rules object, and shared by those that say the same. */
function prepare(rules: CrawlRules): ReadyRules {
  const known = prepared.get(rules);
  if (known !== undefined) return known;
  const ready = inUse.get(JSON.stringify(rules), () => ({
    start: new URL(rules.startUrl),
    include: compilePatterns(rules.includePaths, "includePaths"),
    exclude: compilePatterns(rules.excludePaths, "excludePaths"),
    targets: new TextMap<Target>(),
    targetChars: 0,
  }));
  prepared.set(rules, ready);
  return ready;
}

function placeOf(url: URL, start: URL, { allowSubdomains }: CrawlRules): Place {
  if (isSameHost(url.host, start.host)) return "start_host";
  return allowSubdomains && isSameSite(url, start) ? "subdomain" : "external";
}

function denialOf(url: UrlParts, place: Place, ruled: Ruled): DenialReason | undefined {
  const { rules } = ruled;
  if (place === "external") {
    if (!rules.allowExternalLinks) return "EXTERNAL_LINK";
    if (isSocialHost(url.hostname)) return "SOCIAL_MEDIA";
  }
  if (isSkippedFile(url.pathname)) return "FILE_TYPE";
  if (place === "start_host" && !isInFolder(url.pathname, rules.folder)) return "BACKWARD_CRAWLING";
  if (place !== "external" && rules.maxDepth !== null && pathDepth(url.pathname) > rules.maxDepth) return "DEPTH_LIMIT";
  return patternDenial(url, ruled);
}

function patternDenial(url: UrlParts, ruled: Ruled): DenialReason | undefined {
  const { rules, ready } = ruled;
  if (rules.includePaths.length === 0 && rules.excludePaths.length === 0) return undefined;
  if (!takesPatterns(url.href, ruled)) return "WORK_LIMIT";
  const texts = spellings(rules.regexOnFullURL ? url.href : url.pathname);
  if (texts.some((text) => ready.exclude.findIn(text))) return "EXCLUDE_PATTERN";
  const isIncluded = rules.includePaths.length === 0 || texts.some((text) => ready.include.findIn(text));
  return isIncluded ? undefined : "INCLUDE_PATTERN";
}

/**
 * Counts the work of the patterns for a URL: their instructions for each of its characters.
 * @returns false when the budget is spent.
 */
function takesPatterns(url: string, { ready, budget }: Ruled): boolean {
  const size = ready.include.size + ready.exclude.size;
  return budget === undefined || size === 0 || budget.take(size * url.length * (url.includes("%") ? 2 : 1));
}

/** Returns the decoded and encoded forms: callers write `/käse` for `/k%C3%A4se`, and a pattern may match either. */
function spellings(text: string): string[] {
  if (!text.includes("%")) return [text];
  try {
    return [text, decodeURI(text)];
  } catch {
    return [text];
  }
}

function withoutFragment(url: string): string {
  const end = url.indexOf("#");
  return end < 0 ? url : url.slice(0, end);
}

/** Returns the folder of a path: `/docs` for `/docs`, `/docs/` and `/docs/start.html`; empty for the root. */
export function folderOf(pathname: string): string {
  const lastSlash = pathname.lastIndexOf("/");
  const isFile = /\.[a-z][a-z0-9]*$/i.test(pathname.slice(lastSlash + 1));
  return isFile || pathname.endsWith("/") ? pathname.slice(0, lastSlash) : pathname;
}

/** Returns the folder of a crawl whose first page has moved: unchanged when the page is still in it. */
export function folderAfterMove(folder: string, pathname: string): string {
  return isInFolder(pathname, folder) ? folder : folderOf(pathname);
}

/** Reports whether a path is in a folder returned by `folderOf`. */
export function isInFolder(pathname: string, folder: string): boolean {
  return pathname.startsWith(folder) && (pathname.length === folder.length || pathname[folder.length] === "/");
}

function filtered(url: string, reason: DenialReason): Extract<Judgement, { kind: "filtered" }> {
  return { kind: "filtered", url, reason };
}
