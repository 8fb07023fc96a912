/** Fields of the requests that methods of a client send, by operation. A method that is absent sends every field. */
type SentFields = Readonly<Record<string, readonly string[] | undefined>>;

/** `firecrawl` 4.42. */
export const JAVASCRIPT_FIELDS: SentFields = {
  "post /v2/crawl": [
    "url", "prompt", "excludePaths", "includePaths", "maxDiscoveryDepth", "sitemap", "robotsUserAgent",
    "ignoreQueryParameters", "deduplicateSimilarURLs", "limit", "crawlEntireDomain", "allowExternalLinks",
    "allowSubdomains", "delay", "maxConcurrency", "regexOnFullURL", "webhook", "integration", "origin", "scrapeOptions",
    "zeroDataRetention",
  ],
  "post /v2/map": [
    "url", "sitemap", "search", "includeSubdomains", "ignoreQueryParameters", "limit", "timeout", "integration", "origin",
    "location", "threatProtection", "auditMetadata",
  ],
  "post /v2/search": [
    "query", "toolDetail", "domainTools", "sources", "categories", "includeDomains", "excludeDomains", "limit", "tbs",
    "location", "country", "ignoreInvalidURLs", "timeout", "highlights", "integration", "origin", "enterprise",
    "threatProtection", "scrapeOptions",
  ],
  "post /v2/extract": [
    "urls", "prompt", "schema", "systemPrompt", "allowExternalLinks", "enableWebSearch", "showSources",
    "ignoreInvalidURLs", "integration", "origin", "agent", "webhook", "threatProtection", "scrapeOptions",
  ],
  "post /v2/agent": [
    "urls", "prompt", "schema", "integration", "origin", "maxCredits", "strictConstrainToURLs", "model", "effort",
    "webhook", "threatProtection", "auditMetadata", "threadId", "mode", "exchange",
  ],
}; // prettier-ignore

/** Scrape options of `firecrawl-py` 4. */
export const PYTHON_SCRAPE_FIELDS: readonly string[] = [
  "formats", "headers", "includeTags", "excludeTags", "onlyMainContent", "timeout", "waitFor", "mobile", "parsers",
  "actions", "location", "skipTlsVerification", "removeBase64Images", "fastMode", "useMock", "blockAds", "proxy", "maxAge",
  "storeInCache", "lockdown", "threatProtection", "profile", "auditMetadata", "integration", "domainTools", "toolDetail",
]; // prettier-ignore

/** Parameters of the methods of `firecrawl-py` 4, which refuse every other one. */
export const PYTHON_FIELDS: SentFields = {
  "post /v2/scrape": ["url", ...PYTHON_SCRAPE_FIELDS],
  "post /v2/batch/scrape": [
    "urls", ...PYTHON_SCRAPE_FIELDS.filter((name) => !["profile", "domainTools", "toolDetail"].includes(name)),
    "webhook", "appendToId", "ignoreInvalidURLs", "maxConcurrency", "zeroDataRetention",
  ],
  "post /v2/crawl": [
    "url", "prompt", "excludePaths", "includePaths", "maxDiscoveryDepth", "sitemap", "ignoreQueryParameters", "limit",
    "crawlEntireDomain", "allowExternalLinks", "allowSubdomains", "ignoreRobotsTxt", "delay", "maxConcurrency", "webhook",
    "scrapeOptions", "regexOnFullURL", "deduplicateSimilarURLs", "zeroDataRetention", "integration",
  ],
  "post /v2/map": [
    "url", "search", "includeSubdomains", "ignoreQueryParameters", "limit", "sitemap", "timeout", "integration",
    "location", "threatProtection", "auditMetadata",
  ],
  "post /v2/search": [
    "query", "sources", "domainTools", "toolDetail", "categories", "includeDomains", "excludeDomains", "limit", "tbs",
    "location", "country", "ignoreInvalidURLs", "timeout", "highlights", "scrapeOptions", "integration", "enterprise",
    "threatProtection",
  ],
  "post /v2/extract": [
    "urls", "prompt", "schema", "systemPrompt", "allowExternalLinks", "enableWebSearch", "showSources", "scrapeOptions",
    "ignoreInvalidURLs", "integration", "agent", "threatProtection",
  ],
  "post /v2/agent": [
    "urls", "prompt", "schema", "integration", "maxCredits", "strictConstrainToURLs", "model", "effort", "webhook",
    "threatProtection", "auditMetadata", "threadId", "mode", "exchange",
  ],
}; // prettier-ignore
