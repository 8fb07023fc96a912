/** A tool of a program that Firecrawl publishes, and the operation that it calls here. */
export interface ProgramTool {
  name: string;
  /** Method and path of the operation, as in the OpenAPI document. */
  operation: string;
}

const tool = (operation: string, ...names: string[]): ProgramTool[] => names.map((name) => ({ name, operation }));

/** Tools of the MCP server `firecrawl-mcp`. */
export const MCP_TOOLS: readonly ProgramTool[] = [
  ...tool("post /v2/scrape", "firecrawl_scrape", "firecrawl_find_tools"),
  ...tool("post /v2/map", "firecrawl_map"),
  ...tool("post /v2/search", "firecrawl_search"),
  ...tool("post /v2/search/{id}/feedback", "firecrawl_search_feedback"),
  ...tool("post /v2/feedback", "firecrawl_feedback"),
  ...tool("post /v2/crawl", "firecrawl_crawl"),
  ...tool("get /v2/crawl/{id}", "firecrawl_check_crawl_status"),
  ...tool("post /v2/extract", "firecrawl_extract"),
  ...tool("post /v2/agent", "firecrawl_agent"),
  ...tool("get /v2/agent/{id}", "firecrawl_agent_status"),
  ...tool("post /v2/scrape/{id}/interact", "firecrawl_interact"),
  ...tool("delete /v2/scrape/{id}/interact", "firecrawl_interact_stop"),
  ...tool("post /v2/parse", "firecrawl_parse"),
  ...tool("post /v2/monitor", "firecrawl_monitor_create"),
  ...tool("get /v2/monitor", "firecrawl_monitor_list"),
  ...tool("get /v2/monitor/{id}", "firecrawl_monitor_get"),
  ...tool("patch /v2/monitor/{id}", "firecrawl_monitor_update"),
  ...tool("delete /v2/monitor/{id}", "firecrawl_monitor_delete"),
  ...tool("post /v2/monitor/{id}/run", "firecrawl_monitor_run"),
  ...tool("get /v2/monitor/{id}/checks", "firecrawl_monitor_checks"),
  ...tool("get /v2/monitor/{id}/checks/{checkId}", "firecrawl_monitor_check"),
  ...tool("get /v2/search/research/papers", "firecrawl_research_search_papers"),
  ...tool("get /v2/search/research/papers/{id}", "firecrawl_research_inspect_paper", "firecrawl_research_read_paper"),
  ...tool("get /v2/search/research/papers/{id}/similar", "firecrawl_research_related_papers"),
  ...tool("get /v2/search/research/github", "firecrawl_research_search_github"),
  ...tool("post /v2/search/developer", "firecrawl_developer_search"),
  ...tool("get /v2/team/credit-usage", "firecrawl_credit_usage"),
];

/** Tools of `firecrawl-aisdk`, by the name of their export. */
export const AI_SDK_TOOLS: readonly ProgramTool[] = [
  ...tool("post /v2/scrape", "scrape"),
  ...tool("post /v2/batch/scrape", "batchScrape"),
  ...tool("post /v2/crawl", "crawl"),
  ...tool("post /v2/map", "map"),
  ...tool("post /v2/search", "search"),
  ...tool("post /v2/agent", "agent"),
];

/** Commands of `firecrawl-cli` that call the service, by the words that follow `firecrawl`. */
export const CLI_COMMANDS: readonly ProgramTool[] = [
  ...tool("post /v2/scrape", "scrape"),
  ...tool("post /v2/map", "map", "download"),
  ...tool("post /v2/crawl", "crawl"),
  ...tool("post /v2/parse", "parse"),
  ...tool("post /v2/search", "search"),
  ...tool("post /v2/search/developer", "developer"),
  ...tool("get /v2/search/research/papers", "search-papers"),
  ...tool("get /v2/search/research/papers/{id}", "inspect-paper", "read-paper"),
  ...tool("get /v2/search/research/papers/{id}/similar", "related-papers"),
  ...tool("get /v2/search/research/github", "search-github"),
  ...tool("post /v2/search/{id}/feedback", "search-feedback"),
  ...tool("post /v2/feedback", "feedback"),
  ...tool("post /v2/agent", "agent"),
  ...tool("post /v2/browser", "launch-session"),
  ...tool("post /v2/browser/{id}/execute", "execute"),
  ...tool("get /v2/browser", "list"),
  ...tool("delete /v2/browser/{id}", "close"),
  ...tool("post /v2/scrape/{id}/interact", "interact"),
  ...tool("delete /v2/scrape/{id}/interact", "stop"),
  ...tool("get /v2/team/credit-usage", "credit-usage"),
];

/** Commands of `firecrawl-cli monitor`. */
export const CLI_MONITOR_COMMANDS: readonly ProgramTool[] = [
  ...tool("post /v2/monitor", "create"),
  ...tool("get /v2/monitor", "list"),
  ...tool("get /v2/monitor/{id}", "get"),
  ...tool("patch /v2/monitor/{id}", "update"),
  ...tool("delete /v2/monitor/{id}", "delete"),
  ...tool("post /v2/monitor/{id}/run", "run"),
  ...tool("get /v2/monitor/{id}/checks", "checks"),
  ...tool("get /v2/monitor/{id}/checks/{checkId}", "check"),
];

const CLIENT_ONLY = "client only";
const IN_FORMATS = "honoured, as an entry of `formats` or its options";
const IN_SCRAPES = "honoured, in the scrapes of the pages";
const IN_PATH = "honoured, in the path";
const IN_TARGETS = "honoured, in `targets`";
const FIND_TOOLS = "honoured, among the options of the capability `find-tools`";
const UPLOADED = "client only: the program reads the file and uploads it";
const LANGUAGE = "honoured, as `language`";
const AS_NUMBER = "honoured, as `k`";

const many = (tool: string, names: string, outcome: string): [name: string, outcome: string][] =>
  names.split(" ").map((name) => [`${tool}.${name}`, outcome]);

/** Outcomes of arguments that are not fields of the operation under the same name; `*` is every tool. */
export type ByHand = Readonly<Record<string, string>>;

/** Arguments of the tools of `firecrawl-mcp`. */
export const MCP_ARGUMENTS: ByHand = Object.fromEntries([
  ...many("*", "jsonOptions queryOptions screenshotOptions", IN_FORMATS),
  ...many("*", "pdfOptions", "honoured, as options of the PDF parser"),
  ["firecrawl_scrape.requestId", "honoured, as the header `x-request-id`"],
  ...many(
    "firecrawl_find_tools",
    "query urls providers categories groups capabilities level expand limit offset",
    FIND_TOOLS,
  ),
  ["firecrawl_search_feedback.searchId", IN_PATH],
  ...many(
    "firecrawl_feedback",
    "requestedWebsite rationale providerFeedback capabilityFeedback",
    "refused: 400 `INVALID_BODY`",
  ),
  ["firecrawl_crawl.webhookHeaders", "honoured, in `webhook`"],
  ...many("firecrawl_interact", "scrapeId", IN_PATH),
  ...many("firecrawl_interact", "url scrapeOptions", "honoured: the program scrapes the page first"),
  ["firecrawl_interact_stop.scrapeId", IN_PATH],
  ...many(
    "firecrawl_parse",
    "formats onlyMainContent includeTags excludeTags parsers redactPII removeBase64Images skipTlsVerification storeInCache zeroDataRetention maxAge proxy",
    "as in `options` of `POST /v2/parse`",
  ),
  ...many("firecrawl_parse", "filePath contentType", UPLOADED),
  ...many(
    "firecrawl_monitor_create",
    "page pages queries searchWindow maxResults includeDomains excludeDomains",
    IN_TARGETS,
  ),
  ["firecrawl_monitor_create.body", "honoured: the whole request"],
  ["firecrawl_monitor_create.scheduleText", "honoured, in `schedule`"],
  ["firecrawl_monitor_create.timezone", "honoured, in `schedule`"],
  ["firecrawl_monitor_create.email", "refused: 400 `BAD_REQUEST`"],
  ["firecrawl_monitor_create.includeDiffs", "refused: 400 `BAD_REQUEST`"],
  ["firecrawl_monitor_create.webhookUrl", "honoured, in `webhook`"],
  ["firecrawl_monitor_update.body", "honoured: the whole request"],
  ["firecrawl_monitor_check.pageStatus", "honoured, as `status`"],
  ...many("firecrawl_research_inspect_paper", "paperId", IN_PATH),
  ...many("firecrawl_research_read_paper", "paperId", IN_PATH),
  ["firecrawl_research_read_paper.question", "honoured, as `query`"],
  ["firecrawl_research_related_papers.seed_ids", "honoured, in the path and as `anchor`"],
  ["firecrawl_credit_usage.view", "honoured: `historical` reads `GET /v2/team/credit-usage/historical`"],
  ["firecrawl_credit_usage.byApiKey", "honoured, by `GET /v2/team/credit-usage/historical`"],
]);

/** Flags of the commands of `firecrawl-cli monitor`. */
export const CLI_MONITOR_FLAGS: ByHand = Object.fromEntries([
  ...many("*", "cron schedule timezone", "honoured, in `schedule`"),
  ["create.schedule", "honoured, in `schedule`"],
  ["update.schedule", "honoured, in `schedule`"],
  ...many(
    "create",
    "page scrapeUrls crawlUrl queries searchWindow maxResults includeDomains excludeDomains",
    IN_TARGETS,
  ),
  ...many("create", "webhookUrl webhookEvents", "honoured, in `webhook`"),
  ["create.email", "refused: 400 `BAD_REQUEST`"],
  ["update.state", "honoured, as `status`"],
  ["check.pageStatus", "honoured, as `status`"],
]);

/** Flags of the commands of `firecrawl-cli`. */
export const CLI_FLAGS: ByHand = Object.fromEntries([
  ...many(
    "*",
    "apiKey apiUrl output json pretty timing wait pollInterval progress silent yes status cancel",
    CLIENT_ONLY,
  ),
  ...many("*", "html summary screenshot fullPageScreenshot format schemaFile", IN_FORMATS),
  ...many("*", "country languages", "honoured, in `location`"),
  ...many("*", "noSaveChanges saveChanges", "honoured, in `profile`"),
  ...many("*", "noHighlights", "honoured, as `highlights`"),
  ...many("*", "actionsFile scrapeOptionsFile metadataFile", "honoured, as the field whose value the file has"),
  ...many("scrape", "query schema", IN_FORMATS),
  ["scrape.redactPii", "honoured, as `redactPII`"],
  ...many("download", "onlyMainContent waitFor includeTags excludeTags maxAge lockdown", IN_SCRAPES),
  ...many("crawl", "timeout", CLIENT_ONLY),
  ...many("agent", "timeout", CLIENT_ONLY),
  ...many("parse", "onlyMainContent includeTags excludeTags timeout", "as in `options` of `POST /v2/parse`"),
  ["parse.query", IN_FORMATS],
  ["search.ignoreInvalidUrls", "honoured, as `ignoreInvalidURLs`"],
  ...many("search", "scrape scrapeFormats onlyMainContent", "honoured, in `scrapeOptions`"),
  ["developer.limit", AS_NUMBER],
  ["search-papers.limit", AS_NUMBER],
  ["related-papers.limit", AS_NUMBER],
  ["read-paper.limit", AS_NUMBER],
  ["search-github.limit", AS_NUMBER],
  ["agent.schemaFile", "honoured, as `schema`"],
  ["read-paper.question", "honoured, as `query`"],
  ["launch-session.ttlInactivity", "honoured, as `activityTtl`"],
  ...many("execute", "node bash", LANGUAGE),
  ["execute.python", "refused: 400 `BAD_REQUEST`"],
  ["execute.session", IN_PATH],
  ["close.session", IN_PATH],
  ["interact.scrapeId", IN_PATH],
  ...many("interact", "node bash", LANGUAGE),
  ["interact.python", "refused: 400 `BAD_REQUEST`"],
]);
