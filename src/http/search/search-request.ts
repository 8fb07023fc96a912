import { z } from "@hono/zod-openapi";
import { toSite } from "../../core/search/search-query.ts";
import { SearchFormats } from "../../formats/index.ts";
import {
  boundedTimeoutMs,
  SCRAPE_OPTION_FIELDS,
  CallerFields,
  checkCombinations,
} from "../../formats/scrape-options.ts";
import { warningsWithoutEffect, withoutEffect } from "../../formats/without-effect.ts";
import { CATEGORIES, type SearchCategory, type SearchSource } from "../../services/search/search-web.ts";
import type { WebSearchRequest } from "../../services/search/search-web.ts";
import type { SearchRequest } from "../../services/search/search-and-scrape.ts";
import { V2_DEFAULTS } from "../../services/scrape/scrape-plan.ts";

const MAX_LIMIT = 100;
/** Search engines read about 2,000 characters at most. */
const MAX_QUERY_CHARS = 5_000;
const MAX_DOMAINS = 200;

const LanguageCode = z.string().regex(/^[A-Za-z0-9_-]{0,35}$/, "lang is the code of a language, such as en or pt-BR");
const CountryName = z
  .string()
  .max(60)
  // JSON Schema patterns have no flags, and so no Unicode character classes.
  .refine((text) => /^[\p{L}\p{M} ._'-]*$/u.test(text), "country is the code or the name of a country");

/** Some clients send empty strings for unset options (api-contract.md, “Tolerated input”). */
const FILTER_FIELDS = {
  tbs: z
    .string()
    .optional()
    .describe(
      "Time range in the form of Google's `tbs` parameter, for example `qdr:d`. Providers without this option ignore it, and `warning` says so.",
    ),
  filter: z
    .string()
    .optional()
    .describe(
      "Filter of similar results, in the form of Google's `filter` parameter. Most providers do not support it.",
    ),
  lang: LanguageCode.optional().describe("Language of the results as a code such as `en`. Default: no preference."),
  country: CountryName.optional().describe("Country of the results as a code or name. Default: no preference."),
  location: z
    .string()
    .max(200)
    .optional()
    .describe("Place for which to search, at most 200 characters. Most providers do not support it."),
};

/** The source whose results are capabilities of providers; they are in `tools`. */
const TOOLS_SOURCE = "alexandria";
const SOURCE_NAMES = ["web", "images", "news", TOOLS_SOURCE] as const;
const SourceName = z.enum(SOURCE_NAMES);
const SourceObject = z.strictObject({
  type: SourceName.describe("Kind of results: web, images, news, or `alexandria` for tools that fit the query."),
  ...FILTER_FIELDS,
});

const Sources = z.union([z.array(SourceName), z.array(SourceObject)]);

const DEVELOPER_ALIASES = ["repo", "code", "docs", "devdex", "repo_search", "developer_index"] as const;
const CategoryName = z.enum([...CATEGORIES, ...DEVELOPER_ALIASES]);
const Categories = z
  .array(z.union([CategoryName, z.strictObject({ type: CategoryName.describe("Name of the category.") })]))
  .transform((categories) => categories.map((category) => (typeof category === "string" ? category : category.type)))
  .refine((names) => names.length <= 1 || !names.some(isDeveloper), {
    message: "The developer category cannot be combined with others",
  })
  .refine((names) => names.length <= 1 || !names.includes("gov"), {
    message: "The gov category cannot be combined with others",
  });

/** Host name alone, in lower case. */
export const Domain = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .refine((host) => /^(?!-)[a-z0-9_\u00a1-\uffff-]+(?:\.[a-z0-9_\u00a1-\uffff-]+)*(?::\d{1,5})?$/.test(host), {
    message: "A domain is a host name alone, without scheme and path",
  });

const SearchScrapeOptions = z
  .strictObject({
    ...SCRAPE_OPTION_FIELDS,
    formats: SearchFormats.optional().describe(
      "Output formats of the scraped results. Default: none, so that results are not scraped.",
    ),
  })
  .superRefine(checkCombinations);

const WithoutEffect = {
  threatProtection: withoutEffect(z.looseObject({})),
  __searchPreviewToken: withoutEffect(),
  __agentInterop: withoutEffect(),
};
const WITHOUT_EFFECT = Object.keys(WithoutEffect) as (keyof typeof WithoutEffect)[];

/** Options that clients send and that have no effect, or only some of whose values have one. */
const Tolerated = {
  enterprise: z
    .array(z.enum(["default", "anon", "zdr"]))
    .optional()
    .describe("`zdr` searches with zero data retention; `anon` has no effect, and `warning` says so."),
  domainTools: z
    .boolean()
    .optional()
    .describe("Returns tools for the hosts of the results in `tools` as well. Default: false."),
  toolDetail: z
    .enum(["compact", "summary", "full"])
    .optional()
    .describe(
      "Detail of `tools`: provider, capability and description; also names and costs; or also options and records. Default: compact.",
    ),
  ...WithoutEffect,
};

/** Fields of a search that both versions have. */
export const SEARCH_FIELDS = {
  query: z
    .string()
    .trim()
    .min(1, "query must not be empty")
    .max(MAX_QUERY_CHARS)
    .describe("Search query, 1 to 5,000 characters. Operators such as `site:` and quotation marks are supported."),
  ...FILTER_FIELDS,
  timeout: z
    .int()
    .positive()
    .optional()
    .describe("Time limit in milliseconds; values above 300,000 are lowered to that. Default: 60,000."),
  ignoreInvalidURLs: z.boolean().optional().describe("Leaves out results whose URL cannot be scraped. Default: false."),
  ...CallerFields,
};

export const SearchBody = z
  .strictObject({
    ...SEARCH_FIELDS,
    limit: z
      .int()
      .min(1)
      .max(MAX_LIMIT)
      .default(10)
      .describe("Maximum number of results of each source, 1 to 100. Default: 10."),
    sources: Sources.optional().describe(
      "Kinds of results to search for, as names or as objects with options. Default: web.",
    ),
    categories: Categories.optional().describe(
      "Categories that web results are narrowed to: github, research, pdf, developer or gov. `developer` and `gov` cannot be combined with others. Other sources are searched without them, and `warning` says so. Default: none.",
    ),
    includeDomains: z
      .array(Domain)
      .max(MAX_DOMAINS)
      .optional()
      .describe("Host names to search in, at most 200. It cannot be combined with `excludeDomains`."),
    excludeDomains: z
      .array(Domain)
      .max(MAX_DOMAINS)
      .optional()
      .describe("Host names to exclude, at most 200. It cannot be combined with `includeDomains`."),
    safe: z
      .boolean()
      .optional()
      .describe("Turns filtering of explicit results on or off. Default: the default of each provider."),
    providers: z.array(z.string().min(1)).min(1).max(30).optional().openapi({
      description:
        "Names of the providers to use, 1 to 30; a name that this deployment does not have is refused with 400. `own-index` is what your team scraped. Default: chosen by the service.",
    }),
    asyncScraping: z
      .boolean()
      .optional()
      .describe(
        "Returns before the results are scraped, with the scrape IDs in `scrapeIds`. It cannot be combined with `zdr`. Default: false.",
      ),
    highlights: z
      .boolean()
      .optional()
      .describe(
        "Replaces descriptions with passages that match the query: true loads pages for it, false turns it off. Default: pages whose text is available without a load.",
      ),
    scrapeOptions: SearchScrapeOptions.optional().describe(
      "How results are scraped. Without formats they are not scraped.",
    ),
    ...Tolerated,
  })
  .refine(
    ({ includeDomains = [], excludeDomains = [] }) => includeDomains.length === 0 || excludeDomains.length === 0,
    {
      message: "includeDomains and excludeDomains cannot be used together",
      path: ["excludeDomains"],
    },
  )
  .refine(
    ({ asyncScraping = false, enterprise = [], scrapeOptions: { formats = [] } = {} }) =>
      !asyncScraping || formats.length === 0 || !enterprise.includes("zdr"),
    {
      message: "asyncScraping stores the pages until they are read, which zero data retention (zdr) forbids",
      path: ["asyncScraping"],
    },
  )
  .openapi("SearchRequest", { example: { query: "how tides work", limit: 5 } });
export type SearchBody = z.infer<typeof SearchBody>;

/** Converts a body to the service's search, with the options for its pages. */
export function toSearchRequest(body: SearchBody): Omit<SearchRequest, "publicOrigin"> {
  return {
    search: toWebSearch(body),
    scrapeOptions: { ...body.scrapeOptions, formats: body.scrapeOptions?.formats ?? [] },
    defaults: V2_DEFAULTS,
    highlights: body.highlights,
    asyncScraping: body.asyncScraping ?? false,
    ignoreInvalidUrls: body.ignoreInvalidURLs ?? false,
    zeroDataRetention: body.enterprise?.includes("zdr") ?? false,
    apiVersion: "v2",
    warnings: unsupportedOptions(body),
  };
}

/** Returns what a search requests of the catalogue of capabilities; undefined for nothing. */
export function toolsOf({ query, sources = [], domainTools = false, toolDetail = "compact" }: SearchBody) {
  const bySubject = sources.some((source) => (typeof source === "string" ? source : source.type) === TOOLS_SOURCE);
  return bySubject || domainTools ? { query, bySubject, byHost: domainTools, detail: toolDetail } : undefined;
}

/** Returns the warnings about options without effect. */
function unsupportedOptions(body: SearchBody): string[] {
  const { enterprise = [], scrapeOptions: { formats = [] } = {} } = body;
  const scrapesNothing = body.asyncScraping === true && formats.length === 0;
  return [
    ...(scrapesNothing ? ["asyncScraping: it has no effect without formats in scrapeOptions."] : []),
    ...(body.sources?.length === 0
      ? ["sources: the list is empty, so neither web, images nor news were searched."]
      : []),
    ...differentTwins(body.sources ?? []).map(
      (name) => `sources: ${name} is listed more than once; the options of its first entry apply.`,
    ),
    ...(enterprise.includes("anon") ? ["enterprise: anon has no effect on this service."] : []),
    ...timeoutWarnings(body),
    ...warningsWithoutEffect(body, WITHOUT_EFFECT),
  ];
}

/** Returns the warning about a `timeout` that is lowered. */
export function timeoutWarnings({ timeout = 0 }: { timeout?: number | undefined }): string[] {
  const limitMs = boundedTimeoutMs(timeout);
  return limitMs < timeout ? [`timeout: it was lowered to ${limitMs} ms, the longest that a search may take.`] : [];
}

function toWebSearch(body: SearchBody): WebSearchRequest {
  const named = (body.sources ?? ["web" as const]).map((source) =>
    typeof source === "string" ? { type: source } : source,
  );
  const sources = named.flatMap(({ type, ...requested }) => (type === TOOLS_SOURCE ? [] : [{ type, ...requested }]));
  return {
    query: body.query,
    limit: body.limit,
    sources: distinct(sources),
    categories: toCategories(body.categories ?? []),
    includeDomains: (body.includeDomains ?? []).map(toSite),
    excludeDomains: (body.excludeDomains ?? []).map(toSite),
    tbs: body.tbs,
    filter: body.filter,
    lang: body.lang,
    country: body.country,
    location: body.location,
    safe: body.safe,
    providers: body.providers,
    ...(body.timeout === undefined ? {} : { timeoutMs: boundedTimeoutMs(body.timeout) }),
  };
}

/** Returns each source once, with the options of its first occurrence. */
function distinct<Source extends { type: SearchSource }>(sources: readonly Source[]): Source[] {
  return sources.filter(({ type }, index) => sources.findIndex((other) => other.type === type) === index);
}

/** Returns the sources that are listed again with other options. */
function differentTwins(sources: NonNullable<SearchBody["sources"]>): string[] {
  const listed = new Map<string, string>();
  const twins = new Set<string>();
  for (const source of sources) {
    const { type, ...options } = typeof source === "string" ? { type: source } : source;
    const text = JSON.stringify(Object.entries(options).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    if ((listed.get(type) ?? text) !== text) twins.add(type);
    if (!listed.has(type)) listed.set(type, text);
  }
  return [...twins];
}

function isDeveloper(name: string): boolean {
  return name === "developer" || (DEVELOPER_ALIASES as readonly string[]).includes(name);
}

function toCategories(names: readonly string[]): SearchCategory[] {
  const known = names.map((name) => (isDeveloper(name) ? "developer" : name));
  return CATEGORIES.filter((category) => known.includes(category));
}
