import { RequestHeaders } from "../../formats/request-headers.ts";
import { z } from "@hono/zod-openapi";
import { assertQuickPatterns, MAX_PATH_PATTERNS } from "../../core/crawl/crawl-scope.ts";
import { UrlValue } from "../../core/url/url.ts";
import { AuditMetadata, CallerFields, Location } from "../../formats/scrape-options.ts";
import { warningsWithoutEffect, withoutEffect } from "../../formats/without-effect.ts";
import { MAX_MAP_MS, type MapRequest } from "../../services/map/map-site.ts";

const DEFAULT_LIMIT = 5_000;
const MAX_LIMIT = 100_000;

/** Options that are accepted for compatibility and have no effect. */
const Tolerated = {
  useMock: withoutEffect(z.string()),
  threatProtection: withoutEffect(z.looseObject({})),
  auditMetadata: withoutEffect(AuditMetadata),
};
const TOLERATED = Object.keys(Tolerated) as (keyof typeof Tolerated)[];

/** Fields of a map that both versions have. */
export const MAP_FIELDS = {
  url: UrlValue.describe("URL of the site to map. Without a scheme, http is assumed."),
  search: z
    .string()
    .optional()
    .describe("Words to rank the URLs by; the best matches come first. URLs are not removed."),
  includeSubdomains: z.boolean().optional().describe("Includes subdomains of the site. Default: true."),
  ignoreQueryParameters: z
    .boolean()
    .default(true)
    .describe("Treats URLs that differ only in the query as one. Default: true."),
  limit: z
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .default(DEFAULT_LIMIT)
    .describe("Maximum number of URLs to return, 1 to 100,000. Default: 5,000."),
  timeout: z
    .number()
    .positive()
    .optional()
    .describe("Time limit in milliseconds; values above 120,000 are lowered to that. Default: 120,000."),
  filterByPath: z.boolean().default(true).describe("Returns only URLs below the path of `url`. Default: true."),
  useIndex: z
    .boolean()
    .default(true)
    .describe("Includes pages of the site that your team scraped before. Default: true."),
  ignoreCache: z
    .boolean()
    .default(false)
    .describe("Does not include pages that your team scraped before, like `useIndex: false`. Default: false."),
  location: Location.optional().describe(
    "Languages to request the pages in. The country has no effect, and `warning` says so.",
  ),
  headers: RequestHeaders.optional().describe("HTTP headers to send to the site, at most 100."),
  includePaths: z
    .array(z.string())
    .max(MAX_PATH_PATTERNS)
    .optional()
    .describe(
      "Regular expressions (RE2), at most 1,000; only URLs whose path matches one are returned. Default: no filter.",
    ),
  excludePaths: z
    .array(z.string())
    .max(MAX_PATH_PATTERNS)
    .optional()
    .describe(
      "Regular expressions (RE2), at most 1,000; URLs whose path matches one are left out. Default: no filter.",
    ),
  maxDiscoveryDepth: z
    .number()
    .min(0)
    .optional()
    .describe("Maximum number of links to follow from the start page. Default: no limit but time."),
  crawlEntireDomain: z
    .boolean()
    .optional()
    .describe("Returns URLs outside the path of `url` too, like `filterByPath: false`. Default: false."),
  allowExternalLinks: z.boolean().optional().describe("Returns links to other sites too. Default: false."),
  allowSubdomains: z.boolean().optional().describe("Alias of `includeSubdomains`, which takes precedence."),
  ignoreRobotsTxt: z.boolean().optional().describe("Visits pages that robots.txt disallows. Default: false."),
  robotsUserAgent: z
    .string()
    .max(500)
    .optional()
    .describe(
      "User agent whose rules in robots.txt apply, at most 500 characters. Default: the user agent of the service.",
    ),
  deduplicateSimilarURLs: z
    .boolean()
    .optional()
    .describe("Treats URLs that differ in scheme, `www` or a trailing slash as one. Default: true."),
  regexOnFullURL: z
    .boolean()
    .optional()
    .describe("Matches `includePaths` and `excludePaths` against the whole URL. Default: false."),
  delay: z
    .number()
    .positive()
    .max(60)
    .optional()
    .describe(
      "Time between two requests to the site in seconds, at most 60; it applies to sitemaps, too, but not to robots.txt. Default: no delay.",
    ),
  ...Tolerated,
  ...CallerFields,
};

type MapFields = z.infer<z.ZodObject<typeof MAP_FIELDS>>;

/**
 * Converts the request to the service's options; those without effect are named in the warning.
 * @throws AppError BAD_REQUEST for patterns that take long to compile
 */
export function toMapRequest(fields: MapFields, sitemap: MapRequest["sitemap"]): MapRequest {
  const { search, timeout, location, delay } = fields;
  assertQuickPatterns(fields);
  return {
    url: fields.url,
    search: search === undefined || search.trim() === "" ? undefined : search,
    sitemap,
    limit: fields.limit,
    timeoutMs: timeout,
    // A caller that sets `crawlEntireDomain` does not want a part of the domain.
    filterByPath: fields.filterByPath && fields.crawlEntireDomain !== true,
    useIndex: fields.useIndex && !fields.ignoreCache,
    headers: fields.headers ?? {},
    languages: location?.languages ?? [],
    includeSubdomains: fields.includeSubdomains ?? fields.allowSubdomains ?? true,
    scope: {
      includePaths: fields.includePaths,
      excludePaths: fields.excludePaths,
      regexOnFullURL: fields.regexOnFullURL,
      allowExternalLinks: fields.allowExternalLinks,
      ignoreQueryParameters: fields.ignoreQueryParameters,
      deduplicateSimilarURLs: fields.deduplicateSimilarURLs,
    },
    maxDiscoveryDepth: fields.maxDiscoveryDepth,
    ignoreRobotsTxt: fields.ignoreRobotsTxt ?? false,
    robotsUserAgent: fields.robotsUserAgent,
    delayMs: (delay ?? 0) * 1000,
    warnings: unsupportedOptions(fields),
  };
}

function unsupportedOptions(fields: MapFields): string[] {
  const notices: [boolean, string][] = [
    [
      (fields.timeout ?? 0) > MAX_MAP_MS,
      `timeout: it was lowered to ${MAX_MAP_MS} ms, the longest that a map may take.`,
    ],
    [
      fields.location?.country !== undefined,
      "location.country: this service cannot choose the country that a request comes from; only the languages were applied.",
    ],
  ];
  const limited = notices.flatMap(([applies, words]) => (applies ? [words] : []));
  return [...warningsWithoutEffect(fields, TOLERATED), ...limited];
}
