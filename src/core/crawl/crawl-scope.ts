import { AppError } from "../errors.ts";
import { isSameHost, isSameSite } from "../url/registrable-domain.ts";
import { compilePatterns, type SafePatterns } from "../text/safe-pattern.ts";
import { isHashRoute, similarUrlKey, tidyUrl } from "../url/url-key.ts";
import { isSkippedFile, isSocialHost } from "./url-kinds.ts";
import { toAbsoluteUrl } from "../url/url.ts";

/**
 * Why a crawl's rules leave a URL out (api-contract.md, “Crawl scope”); robots.txt is asked later, by whoever loads
 * the page.
 */
export type DenialReason =
  | "DEPTH_LIMIT"
  | "INCLUDE_PATTERN"
  | "EXCLUDE_PATTERN"
  | "ROBOTS_TXT"
  | "FILE_TYPE"
  | "URL_PARSE_ERROR"
  | "BACKWARD_CRAWLING"
  | "SOCIAL_MEDIA"
  | "EXTERNAL_LINK"
  | "SECTION_LINK"
  | "NON_WEB_PROTOCOL";

/**
 * A caller's wishes about which URLs a crawl takes; what is left out has its default (api-contract.md, “Crawl
 * options”).
 */
export interface CrawlScopeOptions {
  includePaths?: readonly string[] | undefined;
  excludePaths?: readonly string[] | undefined;
  regexOnFullURL?: boolean | undefined;
  /** Links away from the start page. */
  maxDiscoveryDepth?: number | undefined;
  /** Version 1: most segments of a path. */
  maxDepth?: number | undefined;
  crawlEntireDomain?: boolean | undefined;
  allowExternalLinks?: boolean | undefined;
  allowSubdomains?: boolean | undefined;
  ignoreQueryParameters?: boolean | undefined;
  deduplicateSimilarURLs?: boolean | undefined;
}

/** The same as plain data, checked once; it may be stored as JSON and read back. */
export interface CrawlRules {
  startUrl: string;
  /** Paths have to lie in this folder; empty for the whole host. Says nothing about other hosts of the domain. */
  folder: string;
  includePaths: readonly string[];
  excludePaths: readonly string[];
  regexOnFullURL: boolean;
  maxDiscoveryDepth: number | null;
  maxDepth: number | null;
  allowExternalLinks: boolean;
  allowSubdomains: boolean;
  ignoreQueryParameters: boolean;
  deduplicateSimilarURLs: boolean;
}

/** Where a URL was found. What a crawl begins with, sitemaps included, was found at depth -1 on the start URL. */
export interface FoundOn {
  url: string;
  depth: number;
  isExternal: boolean;
}

export type Judgement =
  | {
      kind: "in_scope";
      /** Tidy: absolute, without fragment and credentials. */
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
      /** There when only the way that led here is at fault: another page may lead to the same URL within the rules. */
      key?: string;
    };

/** Longer URLs are made by traps; no page needs one. It also bounds the time that patterns take. */
const MAX_URL_CHARACTERS = 2_048;

/**
 * Settles a crawl's rules.
 * @throws AppError BAD_REQUEST for a bad regular expression, and for a start URL that lies deeper than `maxDepth`.
 */
export function compileRules(startUrl: string, options: CrawlScopeOptions): CrawlRules {
  const start = new URL(toAbsoluteUrl(startUrl));
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

/**
 * Says whether a crawl takes a URL that it found. Depends on nothing but its arguments, takes time linear in the URL,
 * and judges a URL that it gave out itself the same way again.
 */
export function judgeUrl(candidate: string, { from, rules }: { from: FoundOn; rules: CrawlRules }): Judgement {
  const target = targetOf(candidate, { from, rules });
  if (target.section !== undefined && target.section === withoutFragment(from.url)) {
    return filtered(target.asWritten, "SECTION_LINK");
  }
  const { url, reason, key, isExternal } = target;
  if (reason !== undefined) return filtered(url, reason);
  // One hop: links of a foreign page are not followed, whichever way they lead.
  if (from.isExternal) return { ...filtered(url, "EXTERNAL_LINK"), key };
  const depth = from.depth + 1;
  if (rules.maxDiscoveryDepth !== null && depth > rules.maxDiscoveryDepth) {
    return { ...filtered(url, "DEPTH_LIMIT"), key };
  }
  return { kind: "in_scope", url, key, depth, isExternal };
}

/** What a link comes to, wherever it was found. */
interface Target {
  /** Absolute, with its fragment. */
  asWritten: string;
  /** The page whose section it leads to, when it leads to a section. */
  section: string | undefined;
  /** Tidy. */
  url: string;
  key: string;
  isExternal: boolean;
  reason: DenialReason | undefined;
}

/** The pages of a site link to the same places again and again. */
const MAX_REMEMBERED = 20_000;

function targetOf(candidate: string, { from, rules }: { from: FoundOn; rules: CrawlRules }): Target {
  const { targets } = prepare(rules);
  const isAbsolute = candidate.startsWith("https://") || candidate.startsWith("http://");
  const known = isAbsolute ? targets.get(candidate) : undefined;
  if (known !== undefined) return known;
  const target = judgeTarget(candidate, URL.parse(candidate, from.url), rules);
  if (!isAbsolute) return target;
  if (targets.size >= MAX_REMEMBERED) targets.clear();
  targets.set(candidate, target);
  return target;
}

function judgeTarget(candidate: string, parsed: URL | null, rules: CrawlRules): Target {
  const plain = { section: undefined, key: "", isExternal: false };
  if (parsed === null || parsed.href.length > MAX_URL_CHARACTERS) {
    return { ...plain, asWritten: candidate, url: candidate, reason: "URL_PARSE_ERROR" };
  }
  const asWritten = parsed.href;
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    return { ...plain, asWritten, url: asWritten, reason: "NON_WEB_PROTOCOL" };
  }
  const leadsToSection = parsed.hash !== "" && !isHashRoute(parsed.hash);
  const section = leadsToSection ? asWritten.slice(0, -parsed.hash.length) : undefined;
  const url = tidyUrl(parsed, rules);
  const ready = prepare(rules);
  const place = placeOf(url, ready.start, rules);
  const key = rules.deduplicateSimilarURLs ? similarUrlKey(url) : url.href;
  const reason = denialOf(url, place, { rules, ready });
  return { asWritten, section, url: url.href, key, isExternal: place === "external", reason };
}

/** Number of segments of a path; an index file is its folder. */
export function pathDepth(pathname: string): number {
  return pathname.split("/").filter((segment) => segment !== "" && !/^index\.(?:html|php)$/i.test(segment)).length;
}

type Place = "start_host" | "subdomain" | "external";

interface ReadyRules {
  start: URL;
  include: SafePatterns;
  exclude: SafePatterns;
  /** What links came to that were judged before. */
  targets: Map<string, Target>;
}

const prepared = new WeakMap<CrawlRules, ReadyRules>();

/** What rules come to in memory; made once for each object that holds them. */
function prepare(rules: CrawlRules): ReadyRules {
  const known = prepared.get(rules);
  if (known !== undefined) return known;
  const ready = {
    start: new URL(rules.startUrl),
    include: compilePatterns(rules.includePaths, "includePaths"),
    exclude: compilePatterns(rules.excludePaths, "excludePaths"),
    targets: new Map<string, Target>(),
  };
  prepared.set(rules, ready);
  return ready;
}

function placeOf(url: URL, start: URL, { allowSubdomains }: CrawlRules): Place {
  if (isSameHost(url.host, start.host)) return "start_host";
  return allowSubdomains && isSameSite(url, start) ? "subdomain" : "external";
}

function denialOf(
  url: URL,
  place: Place,
  { rules, ready }: { rules: CrawlRules; ready: ReadyRules },
): DenialReason | undefined {
  if (place === "external") {
    if (!rules.allowExternalLinks) return "EXTERNAL_LINK";
    if (isSocialHost(url.hostname)) return "SOCIAL_MEDIA";
  }
  if (isSkippedFile(url.pathname)) return "FILE_TYPE";
  if (place === "start_host" && !isInFolder(url.pathname, rules.folder)) return "BACKWARD_CRAWLING";
  if (place !== "external" && rules.maxDepth !== null && pathDepth(url.pathname) > rules.maxDepth) return "DEPTH_LIMIT";
  return patternDenial(url, { rules, ready });
}

function patternDenial(url: URL, { rules, ready }: { rules: CrawlRules; ready: ReadyRules }): DenialReason | undefined {
  if (rules.includePaths.length === 0 && rules.excludePaths.length === 0) return undefined;
  const texts = spellings(rules.regexOnFullURL ? url.href : url.pathname);
  if (texts.some((text) => ready.exclude.findIn(text))) return "EXCLUDE_PATTERN";
  const isIncluded = rules.includePaths.length === 0 || texts.some((text) => ready.include.findIn(text));
  return isIncluded ? undefined : "INCLUDE_PATTERN";
}

/** Callers write `/käse` where the URL says `/k%C3%A4se`; a pattern may mean either. */
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

/** `/docs` for `/docs`, `/docs/` and `/docs/start.html`; empty for the root. */
export function folderOf(pathname: string): string {
  const lastSlash = pathname.lastIndexOf("/");
  const isFile = /\.[a-z][a-z0-9]*$/i.test(pathname.slice(lastSlash + 1));
  return isFile || pathname.endsWith("/") ? pathname.slice(0, lastSlash) : pathname;
}

/** Where a part of a site is once its first page has moved: where it was, when that page is still in it. */
export function folderAfterMove(folder: string, pathname: string): string {
  return isInFolder(pathname, folder) ? folder : folderOf(pathname);
}

/** True for paths in a folder as `folderOf` gives it. */
export function isInFolder(pathname: string, folder: string): boolean {
  return pathname.startsWith(folder) && (pathname.length === folder.length || pathname[folder.length] === "/");
}

function filtered(url: string, reason: DenialReason): Extract<Judgement, { kind: "filtered" }> {
  return { kind: "filtered", url, reason };
}
