import { CALLER, changes, named, refused, tested, testedIn, type Entries } from "./entries.ts";

export const PAGE = "https://a.example/docs/page";
const HOOK = "https://hook.example/";
const SCHEMA = { type: "object", properties: { name: { type: "string" } } };

const webhook = (event: string): Entries => ({
  webhook: changes({ webhook: HOOK }),
  "webhook.url": changes({ webhook: { url: HOOK } }, { webhook: { url: `${HOOK}other` } }),
  "webhook.headers": changes({ webhook: { url: HOOK, headers: { a: "b" } } }, { webhook: HOOK }),
  "webhook.metadata": changes({ webhook: { url: HOOK, metadata: { a: "b" } } }, { webhook: HOOK }),
  "webhook.events": changes({ webhook: { url: HOOK, events: [event] } }, { webhook: HOOK }),
});

const CRAWL: Entries = {
  url: changes({ url: `${PAGE}/other` }),
  includePaths: changes({ includePaths: ["^/a"] }),
  excludePaths: changes({ excludePaths: ["^/a"] }),
  maxDiscoveryDepth: changes({ maxDiscoveryDepth: 2 }),
  limit: changes({ limit: 3 }),
  crawlEntireDomain: changes({ crawlEntireDomain: true }),
  allowExternalLinks: changes({ allowExternalLinks: true }),
  allowSubdomains: changes({ allowSubdomains: true }),
  ignoreRobotsTxt: changes({ ignoreRobotsTxt: true }),
  deduplicateSimilarURLs: changes({ deduplicateSimilarURLs: false }),
  ignoreQueryParameters: changes({ ignoreQueryParameters: true }),
  regexOnFullURL: changes({ regexOnFullURL: true }),
  delay: changes({ delay: 2 }),
  maxConcurrency: changes({ maxConcurrency: 2 }),
  ignoreSitemap: changes({ ignoreSitemap: true }),
  scrapeOptions: changes({ scrapeOptions: { formats: ["links"] } }),
  zeroDataRetention: refused({ zeroDataRetention: true }),
  ...webhook("page"),
  ...CALLER,
};

const BATCH: Entries = {
  urls: changes({ urls: [`${PAGE}/other`] }),
  appendToId: tested("e2e/crawl/batch.test.ts"),
  ignoreInvalidURLs: tested("e2e/crawl/batch.test.ts"),
  maxConcurrency: changes({ maxConcurrency: 2 }),
  zeroDataRetention: refused({ zeroDataRetention: true }),
  ...webhook("page"),
  ...CALLER,
};

const EXTRACT: Entries = {
  urls: changes({ urls: [`${PAGE}/other`] }),
  prompt: changes({ prompt: "The year" }),
  systemPrompt: changes({ systemPrompt: "Be brief" }),
  schema: changes({ schema: SCHEMA }),
  limit: changes({ limit: 3 }),
  ignoreSitemap: changes({ ignoreSitemap: true }),
  includeSubdomains: changes({ includeSubdomains: false }),
  enableWebSearch: changes({ enableWebSearch: true }),
  showSources: changes({ showSources: true }),
  evidence: changes({ evidence: true }),
  timeout: changes({ timeout: 5_000 }),
  ignoreInvalidURLs: changes({ urls: [PAGE, "a b"], ignoreInvalidURLs: true }, { urls: [`${PAGE}/other`] }),
  scrapeOptions: changes({ scrapeOptions: { mobile: true } }),
  allowExternalLinks: named({ allowExternalLinks: true }),
  agent: named({ agent: {} }),
  urlTrace: named({ urlTrace: true }),
  threatProtection: named({ threatProtection: { mode: "normal" } }),
  __experimental_streamSteps: named({ __experimental_streamSteps: true }),
  __experimental_llmUsage: named({ __experimental_llmUsage: true }),
  __experimental_showSources: named({ __experimental_showSources: true }),
  __experimental_showCostTracking: named({ __experimental_showCostTracking: true }),
  __experimental_cacheKey: named({ __experimental_cacheKey: "a" }),
  __experimental_cacheMode: named({ __experimental_cacheMode: "direct" }),
  ...webhook("completed"),
  ...CALLER,
};

/** Fields of the requests that start jobs, by operation. */
export const JOB_FIELDS: Record<string, Entries> = {
  "post /v2/crawl": {
    ...CRAWL,
    prompt: changes({ prompt: "only the blog" }),
    sitemap: changes({ sitemap: "only" }),
    robotsUserAgent: changes({ robotsUserAgent: "Gull" }),
    archive: changes({ archive: true }),
    since: tested("e2e/crawl/incremental.test.ts"),
    sinceOutput: tested("e2e/crawl/incremental.test.ts"),
    estimate: tested("unit/services/estimate/estimates.test.ts"),
    maxDepth: changes({ maxDepth: 2 }),
    allowBackwardLinks: changes({ allowBackwardLinks: true }),
  },
  "post /v1/crawl": {
    ...CRAWL,
    maxDepth: changes({ maxDepth: 4 }),
    allowBackwardLinks: changes({ allowBackwardLinks: true }),
  },
  "post /v2/batch/scrape": {
    ...BATCH,
    archive: changes({ archive: true }),
    estimate: tested("unit/services/estimate/estimates.test.ts"),
  },
  "post /v1/batch/scrape": BATCH,
  "post /v2/crawl/{id}/reextract": {},
  "post /v2/extract": EXTRACT,
  "post /v1/extract": EXTRACT,
  "post /v2/agent": {
    prompt: changes({ prompt: "Which trains?" }),
    estimate: tested("unit/services/estimate/estimates.test.ts"),
    urls: changes({ urls: [PAGE] }),
    schema: changes({ schema: SCHEMA }),
    maxCredits: changes({ maxCredits: 7 }),
    strictConstrainToURLs: named({ strictConstrainToURLs: true }),
    model: named({ model: "spark-1-mini" }),
    overrideWhitelist: named({ overrideWhitelist: "a" }),
    threatProtection: named({ threatProtection: { mode: "normal" } }),
    auditMetadata: named({ auditMetadata: { username: "ann" } }),
    effort: changes({ effort: "high" }),
    threadId: tested("unit/http/v2/agent-threads.test.ts"),
    mode: changes({ mode: "chat" }),
    evidence: changes({ evidence: true }),
    exchange: named({ exchange: true }),
    ...webhook("completed"),
    ...CALLER,
  },
  "post /v1/deep-research": {
    query: changes({ query: "trains" }),
    topic: changes({ query: undefined, topic: "trains" }),
    maxDepth: changes({ maxDepth: 2 }),
    maxUrls: changes({ maxUrls: 3 }),
    timeLimit: changes({ timeLimit: 40 }),
    analysisPrompt: changes({ analysisPrompt: "Be brief" }),
    systemPrompt: changes({ systemPrompt: "Be brief" }),
    formats: changes({ formats: ["json"], jsonOptions: {} }),
    jsonOptions: changes({ formats: ["json"], jsonOptions: {} }),
    "jsonOptions.schema": changes(
      { formats: ["json"], jsonOptions: { schema: SCHEMA } },
      { formats: ["json"], jsonOptions: {} },
    ),
    "jsonOptions.systemPrompt": changes(
      { formats: ["json"], jsonOptions: { systemPrompt: "a" } },
      { formats: ["json"], jsonOptions: {} },
    ),
    "jsonOptions.prompt": changes(
      { formats: ["json"], jsonOptions: { prompt: "a" } },
      { formats: ["json"], jsonOptions: {} },
    ),
    ...CALLER,
  },
  "post /v1/llmstxt": {
    url: changes({ url: `${PAGE}/other` }),
    maxUrls: changes({ maxUrls: 3 }),
    showFullText: changes({ showFullText: true }),
    cache: changes({ cache: false }),
    __experimental_stream: named({ __experimental_stream: true }),
    ...CALLER,
  },
  "post /v2/crawl/params-preview": {
    ...testedIn("unit/http/v2/crawl-prompt.test.ts", "url", "prompt"),
    ...CALLER,
  },
};
