/** A type of a client's requests or responses, and the place that it has in this service. */
export interface ClientType {
  name: string;
  /** Method and path of the operation, as in the OpenAPI document. */
  operation: string;
  /** Place of its fields in the request body, with a dot at the end; empty for the body itself. */
  prefix?: string;
}

const at = (operation: string, names: string[], prefix = ""): ClientType[] =>
  names.map((name) => ({ name, operation, prefix }));

const SCRAPE = "post /v2/scrape";

/** Types of the JavaScript client's requests, in both versions of the API. */
export const REQUEST_TYPES: readonly ClientType[] = [
  ...at(SCRAPE, ["ScrapeCallOptions"]),
  ...at(
    SCRAPE,
    [
      "JsonFormat", "ScreenshotFormat", "ChangeTrackingFormat", "AttributesFormat", "QuestionFormat", "HighlightsFormat",
      "QueryFormat",
    ],
    "formats.",
  ), // prettier-ignore
  ...at(
    SCRAPE,
    [
      "WaitAction", "ScreenshotAction", "ClickAction", "WriteAction", "PressAction", "ScrollAction", "ScrapeAction",
      "ExecuteJavascriptAction", "PDFAction",
    ],
    "actions.",
  ), // prettier-ignore
  ...at(SCRAPE, ["PDFParser", "ImageParser"], "parsers."),
  ...at(SCRAPE, ["LocationConfig$1"], "location."),
  ...at(SCRAPE, ["RedactPIIOptions"], "redactPII."),
  ...at(SCRAPE, ["AuditMetadata$1"], "auditMetadata."),
  ...at("post /v2/batch/scrape", ["BatchScrapeOptions"]),
  ...at("post /v2/crawl", ["CrawlOptions"]),
  ...at("post /v2/crawl", ["WebhookConfig"], "webhook."),
  ...at("post /v2/map", ["MapOptions"]),
  ...at("post /v2/search", ["SearchRequest"]),
  ...at("post /v2/extract", ["prepareExtractPayload"]),
  ...at("post /v2/agent", ["prepareAgentPayload"]),
  ...at("post /v2/agent", ["AgentWebhookConfig"], "webhook."),
  ...at("post /v2/browser", ["browser"]),
  ...at("post /v2/browser/{id}/execute", ["browserExecute"]),
  ...at("post /v2/scrape/{id}/interact", ["ScrapeExecuteRequest"]),
  ...at("post /v2/monitor", ["CreateMonitorRequest"]),
  ...at("post /v2/monitor", ["MonitorTarget"], "targets."),
  ...at("post /v2/monitor", ["MonitorSchedule"], "schedule."),
  ...at("patch /v2/monitor/{id}", ["UpdateMonitorRequest"]),
  ...at("post /v2/search/{id}/feedback", ["SearchFeedbackRequest"]),
  ...at("post /v2/feedback", ["EndpointFeedbackRequest"]),
  ...at(SCRAPE, ["AlexandriaScrapeRequest"]),
  ...at(SCRAPE, ["FindToolsOptions"]),
  ...at("post /v2/search/developer", ["DeveloperSearchOptions"]),
  ...at("get /v2/search/research/papers", ["SearchPapersOptions"]),
  ...at("get /v2/search/research/papers/{id}/similar", ["SimilarPapersOptions"]),
  ...at("get /v2/search/research/github", ["SearchGithubOptions"]),
  ...at("post /v1/scrape", ["ScrapeParams"]),
  ...at("post /v1/crawl", ["CrawlParams"]),
  ...at("post /v1/map", ["MapParams"]),
  ...at("post /v1/search", ["SearchParams"]),
  ...at("post /v1/extract", ["ExtractParams"]),
  ...at("post /v1/deep-research", ["DeepResearchParams"]),
  ...at("post /v1/llmstxt", ["GenerateLLMsTextParams"]),
];

/** Types of the responses that the client reads. */
export const RESPONSE_TYPES: readonly ClientType[] = [
  ...at(SCRAPE, ["Document", "DocumentMetadata"]),
  ...at("get /v2/crawl/{id}", ["CrawlJob"]),
  ...at("get /v2/batch/scrape/{id}", ["BatchScrapeJob"]),
  ...at("post /v2/map", ["MapData"]),
  ...at("post /v2/search", ["SearchData", "SearchResultWeb", "SearchResultNews", "SearchResultImages"]),
  ...at("post /v2/agent", ["AgentResponse"]),
  ...at("get /v2/agent/{id}", ["AgentStatusResponse"]),
  ...at("get /v2/extract/{id}", ["ExtractResponse$1"]),
  ...at("post /v2/browser", ["BrowserCreateResponse"]),
  ...at("post /v2/scrape/{id}/interact", ["BrowserExecuteResponse"]),
  ...at("delete /v2/browser/{id}", ["BrowserDeleteResponse"]),
  ...at("get /v2/browser", ["BrowserSession"]),
  ...at("get /v2/monitor/{id}", ["Monitor"]),
  ...at("get /v2/monitor/{id}/checks/{checkId}", ["MonitorCheckPage"]),
  ...at("post /v2/feedback", ["FeedbackResponse"]),
  ...at("get /v2/crawl/active", ["ActiveCrawl"]),
  ...at("get /v2/crawl/{id}/errors", ["CrawlErrorsResponse$1"]),
  ...at("get /v2/team/queue-status", ["QueueStatusResponse$1"]),
  ...at("get /v2/concurrency-check", ["ConcurrencyCheck"]),
  ...at("get /v2/team/credit-usage", ["CreditUsage"]),
  ...at("get /v2/team/token-usage", ["TokenUsage"]),
  ...at("get /v1/crawl/{id}", ["CrawlStatusResponse"]),
  ...at("get /v1/deep-research/{id}", ["DeepResearchStatusResponse"]),
  ...at("get /v1/llmstxt/{id}", ["GenerateLLMsTextStatusResponse"]),
];

const CLIENT_ONLY = "client only";
const NO_MESSAGES = "refused: 400 `BAD_REQUEST`, unless `email` and `slack` have `enabled: false`";
const AGENT_HINTS = "returned beside `data`, where the header `X-Firecrawl-Agent-Hints: true` asks for hints";
const ON_FAILURE = "returned in the body of a failure, whose status is not 200";
const DEPRECATED = "returned, added to the responses of deprecated routes";
const NO_EXCHANGE = "never returned: `exchange` has no effect, and `warning` says so";

/**
 * Facts beyond the schemas, by type and field: fields that the client uses itself, fields that are added outside of
 * the schemas, and fields that are never returned, each with the reason.
 */
export const BY_HAND: Readonly<Record<string, string>> = {
  "ScrapeCallOptions.autoResume": CLIENT_ONLY,
  "BatchScrapeOptions.idempotencyKey": "honoured, as the header `x-idempotency-key`",
  "BatchScrapeOptions.options": "honoured: the client sends the options beside `urls`",
  "DeveloperSearchOptions.minStars": "honoured: the client sends `min_stars`",
  "DeveloperSearchOptions.maxStars": "honoured: the client sends `max_stars`",
  "AlexandriaScrapeRequest.alexandria":
    "honoured, without `url`; beside a `url` it has no effect, and `warning` says so",
  "AlexandriaScrapeRequest.requestId": "honoured, as the header `x-request-id`",
  ...Object.fromEntries(
    ["capabilities", "categories", "expand", "groups", "level", "limit", "offset", "providers", "urls"].map((field) => [
      `FindToolsOptions.${field}`,
      "honoured, among the options of the capability `find-tools`",
    ]),
  ),
  "CreateMonitorRequest.notification": NO_MESSAGES,
  "UpdateMonitorRequest.notification": NO_MESSAGES,
  "Document.agent_hints": AGENT_HINTS,
  "MapData.agent_hints": AGENT_HINTS,
  "SearchData.agent_hints": AGENT_HINTS,
  "Document.audio": "returned, with the format `audio`",
  "Document.video": "returned, with the format `video`",
  "AgentStatusResponse.exchange": NO_EXCHANGE,
  "AgentStatusResponse.pendingApproval": NO_EXCHANGE,
  "BrowserCreateResponse.error": ON_FAILURE,
  "BrowserDeleteResponse.error": ON_FAILURE,
  "BrowserDeleteResponse.status": "never returned",
  "Monitor.emailRecipientSubscriptions": "never returned: notifications by mail are refused",
  "DeepResearchStatusResponse.replacement": DEPRECATED,
  "DeepResearchStatusResponse.warnings": DEPRECATED,
  "SearchResultNews.category": "never returned: categories narrow web results only",
  "DeepResearchStatusResponse.summaries": "never returned",
  "GenerateLLMsTextStatusResponse.replacement": "never returned: the route has no successor",
  "GenerateLLMsTextStatusResponse.warnings": DEPRECATED,
};
