import { RequestHeaders } from "../formats/request-headers.ts";
import { z } from "@hono/zod-openapi";
import { UrlValue } from "../core/url.ts";
import { CallerFields, Location } from "../formats/scrape-options.ts";
import type { MapRequest } from "../services/map-site.ts";

const DEFAULT_LIMIT = 5_000;
const MAX_LIMIT = 100_000;

/** What callers of other versions send and what changes nothing here. */
const Tolerated = {
  useMock: z.string().optional(),
  threatProtection: z.looseObject({}).optional(),
  auditMetadata: z.looseObject({ username: z.string().optional() }).optional(),
};

/** Fields of a map that both versions have. */
export const MAP_FIELDS = {
  url: UrlValue,
  search: z.string().optional(),
  includeSubdomains: z.boolean().optional(),
  ignoreQueryParameters: z.boolean().default(true),
  limit: z.int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
  timeout: z.number().positive().optional(),
  filterByPath: z.boolean().default(true),
  useIndex: z.boolean().default(true),
  ignoreCache: z.boolean().default(false),
  location: Location.optional(),
  headers: RequestHeaders.optional(),
  includePaths: z.array(z.string()).optional(),
  excludePaths: z.array(z.string()).optional(),
  maxDiscoveryDepth: z.number().min(0).optional(),
  crawlEntireDomain: z.boolean().optional(),
  allowExternalLinks: z.boolean().optional(),
  allowSubdomains: z.boolean().optional(),
  ignoreRobotsTxt: z.boolean().optional(),
  robotsUserAgent: z.string().optional(),
  deduplicateSimilarURLs: z.boolean().optional(),
  regexOnFullURL: z.boolean().optional(),
  delay: z.number().positive().max(60).optional(),
  ...Tolerated,
  ...CallerFields,
};

type MapFields = z.infer<z.ZodObject<typeof MAP_FIELDS>>;

/** The request in the service's words; what cannot be done as asked is named. */
export function toMapRequest(fields: MapFields, sitemap: MapRequest["sitemap"]): MapRequest {
  const { search, timeout, location, delay } = fields;
  return {
    url: fields.url,
    search: search === undefined || search.trim() === "" ? undefined : search,
    sitemap,
    limit: fields.limit,
    timeoutMs: timeout,
    // Who asks for the whole domain does not mean a part of it.
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
    warnings: unmetWishes(fields),
  };
}

function unmetWishes(fields: MapFields): string[] {
  const warnings = (Object.keys(Tolerated) as (keyof typeof Tolerated)[]).flatMap((name) =>
    fields[name] === undefined ? [] : [`${name}: it has no effect on this service.`],
  );
  if (fields.location?.country === undefined) return warnings;
  return [
    ...warnings,
    "location.country: this service cannot choose the country that a request comes from; only the languages were applied.",
  ];
}
