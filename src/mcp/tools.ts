import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";

/** How a tool's answer is shown: a page, a job that runs on, or whatever the route says. */
export type Shape = "document" | "job" | "plain";

/** A tool: a route of this API under a name and with a description that a model understands. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  method: "GET" | "POST" | "DELETE";
  path: string;
  /** Fields of the route that the tool accepts. Options for programs only (webhooks, origins) are left out. */
  fields: readonly string[];
  /** Fields of the body that the tool always sends. A route that does not know them cannot serve the tool. */
  fixed?: Readonly<Record<string, unknown>>;
  shape: Shape;
  /** The path of the status endpoint of jobs that this tool starts; `{id}` is replaced by the job's id. */
  statusPath?: string;
  annotations: ToolAnnotations;
}

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: true };
const READS_OWN: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const STARTS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: true,
};
const ENDS: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

const PAGE_FIELDS = [
  "formats",
  "onlyMainContent",
  "includeTags",
  "excludeTags",
  "waitFor",
  "timeout",
  "mobile",
  "headers",
  "actions",
  "location",
  "maxAge",
  "parsers",
  "proxy",
  "blockAds",
  "storeInCache",
] as const;

const STATUS_FIELDS = ["id", "skip", "limit"] as const;

/** Every tool, in the order in which a client lists them. A tool whose route this deployment lacks is not offered. */
export const TOOLS: readonly Tool[] = [
  {
    name: "scrape",
    title: "Scrape a page",
    description:
      "Load one URL (web page, PDF or office document) and answer it as markdown, or in other formats. Use it when you know the URL.",
    method: "POST",
    path: "/v2/scrape",
    fields: ["url", ...PAGE_FIELDS],
    shape: "document",
    annotations: READS,
  },
  {
    name: "read_page",
    title: "Read a stored page",
    description:
      "Read a page that was scraped before, by the scrapeId in its metadata. Use it to read on where a long answer was cut.",
    method: "GET",
    path: "/v2/scrape/{id}",
    fields: ["id"],
    shape: "document",
    annotations: READS_OWN,
  },
  {
    name: "search",
    title: "Search",
    description:
      "Search the web, and everything that this service has read, for a query. With scrapeOptions.formats the found pages come along.",
    method: "POST",
    path: "/v2/search",
    fields: [
      "query",
      "limit",
      "sources",
      "categories",
      "includeDomains",
      "excludeDomains",
      "tbs",
      "country",
      "lang",
      "location",
      "highlights",
      "scrapeOptions",
      "timeout",
    ],
    shape: "plain",
    annotations: READS,
  },
  {
    name: "search_own_index",
    title: "Search what was scraped",
    description:
      "Search the pages that this account has scraped or crawled before. Needs no network and costs little. read_page reads a found page by its scrapeId while that is kept.",
    method: "POST",
    path: "/v2/search",
    fields: ["query", "limit", "includeDomains", "excludeDomains", "tbs", "lang", "highlights"],
    fixed: { providers: ["own-index"] },
    shape: "plain",
    annotations: READS_OWN,
  },
  {
    name: "map",
    title: "List a site's URLs",
    description:
      "List the URLs of a site, the best matches for `search` first. Use it to find the right page before scraping.",
    method: "POST",
    path: "/v2/map",
    fields: ["url", "search", "limit", "sitemap", "includeSubdomains", "ignoreQueryParameters", "timeout"],
    shape: "plain",
    annotations: READS,
  },
  {
    name: "crawl",
    title: "Crawl a site",
    description:
      "Scrape the pages of a site. Answers the job's id at once, or with waitSeconds the pages as soon as it is done. Set a limit.",
    method: "POST",
    path: "/v2/crawl",
    fields: [
      "url",
      "prompt",
      "limit",
      "includePaths",
      "excludePaths",
      "maxDiscoveryDepth",
      "crawlEntireDomain",
      "allowSubdomains",
      "allowExternalLinks",
      "sitemap",
      "ignoreQueryParameters",
      "delay",
      "maxConcurrency",
      "scrapeOptions",
    ],
    shape: "job",
    statusPath: "/v2/crawl/{id}",
    annotations: STARTS,
  },
  {
    name: "crawl_status",
    title: "Read a crawl",
    description: "Get the status of a crawl and its pages, starting at `skip`.",
    method: "GET",
    path: "/v2/crawl/{id}",
    fields: STATUS_FIELDS,
    shape: "job",
    annotations: READS_OWN,
  },
  {
    name: "crawl_urls",
    title: "List a crawl's URLs",
    description:
      "List every URL that a crawl found, each with what became of it and why. Where the list goes on, `next` names the cursor.",
    method: "GET",
    path: "/v2/crawl/{id}/urls",
    fields: ["id", "cursor", "limit"],
    shape: "plain",
    annotations: READS_OWN,
  },
  {
    name: "crawl_cancel",
    title: "Cancel a crawl",
    description: "End a crawl. Pages that it has scraped stay.",
    method: "DELETE",
    path: "/v2/crawl/{id}",
    fields: ["id"],
    shape: "plain",
    annotations: ENDS,
  },
  {
    name: "batch_scrape",
    title: "Scrape many pages",
    description:
      "Scrape a list of URLs. Answers the job's id at once, or with waitSeconds the pages as soon as it is done.",
    method: "POST",
    path: "/v2/batch/scrape",
    fields: ["urls", "ignoreInvalidURLs", "maxConcurrency", ...PAGE_FIELDS],
    shape: "job",
    statusPath: "/v2/batch/scrape/{id}",
    annotations: STARTS,
  },
  {
    name: "batch_scrape_status",
    title: "Read a batch",
    description: "Get the status of a batch scrape and its pages, starting at `skip`.",
    method: "GET",
    path: "/v2/batch/scrape/{id}",
    fields: STATUS_FIELDS,
    shape: "job",
    annotations: READS_OWN,
  },
  {
    name: "extract",
    title: "Extract structured data",
    description: "Fill a JSON schema from pages; every value comes with the passage that it was read from.",
    method: "POST",
    path: "/v2/extract",
    fields: ["urls", "prompt", "schema", "enableWebSearch", "showSources", "scrapeOptions"],
    fixed: { evidence: true },
    shape: "job",
    statusPath: "/v2/extract/{id}",
    annotations: STARTS,
  },
  {
    name: "extract_status",
    title: "Read an extraction",
    description: "Get the status of an extract job and its data.",
    method: "GET",
    path: "/v2/extract/{id}",
    fields: ["id"],
    shape: "plain",
    annotations: READS_OWN,
  },
  {
    name: "agent",
    title: "Research with an agent",
    description:
      "Let the service search, read and follow pages by itself until it can answer a prompt, with sources. Use it for questions that one page does not answer.",
    method: "POST",
    path: "/v2/agent",
    fields: ["prompt", "urls", "schema", "maxCredits", "strictConstrainToURLs", "evidence"],
    shape: "job",
    statusPath: "/v2/agent/{id}",
    annotations: STARTS,
  },
  {
    name: "agent_status",
    title: "Read an agent's work",
    description: "Get the status of an agent job and its result.",
    method: "GET",
    path: "/v2/agent/{id}",
    fields: ["id"],
    shape: "plain",
    annotations: READS_OWN,
  },
  {
    name: "browser_open",
    title: "Open a browser session",
    description: "Lend a browser that keeps its tabs, cookies and state until it is closed or its time is up.",
    method: "POST",
    path: "/v2/browser",
    fields: ["ttl", "activityTtl", "profile", "recordSession"],
    shape: "plain",
    annotations: STARTS,
  },
  {
    name: "browser_execute",
    title: "Run code in a browser session",
    description:
      "Run code in a session: JavaScript with Playwright's `page`, `context` and `browser` (language node), or a shell with the command agent-browser (language bash).",
    method: "POST",
    path: "/v2/browser/{id}/execute",
    fields: ["id", "code", "language", "timeout"],
    shape: "plain",
    annotations: STARTS,
  },
  {
    name: "browser_list",
    title: "List browser sessions",
    description: "List the browser sessions of this account.",
    method: "GET",
    path: "/v2/browser",
    fields: ["status"],
    shape: "plain",
    annotations: READS_OWN,
  },
  {
    name: "browser_close",
    title: "Close a browser session",
    description: "End a browser session.",
    method: "DELETE",
    path: "/v2/browser/{id}",
    fields: ["id"],
    shape: "plain",
    annotations: ENDS,
  },
  {
    name: "monitor_create",
    title: "Watch pages for changes",
    description:
      "Look at pages, a site or searches again on a schedule, and keep what has changed. Takes a name, a schedule (cron or text, such as `hourly`) and targets.",
    method: "POST",
    path: "/v2/monitor",
    fields: ["name", "schedule", "targets", "retentionDays", "goal", "judgeEnabled"],
    shape: "plain",
    annotations: STARTS,
  },
  {
    name: "monitor_list",
    title: "List monitors",
    description: "List this account's monitors, each with its next run and what its last check found.",
    method: "GET",
    path: "/v2/monitor",
    fields: ["limit", "offset"],
    shape: "plain",
    annotations: READS_OWN,
  },
  {
    name: "monitor_run",
    title: "Check a monitor now",
    description: "Begin a check of a monitor without waiting for its schedule. Answers the check's id at once.",
    method: "POST",
    path: "/v2/monitor/{id}/run",
    fields: ["id"],
    shape: "plain",
    annotations: STARTS,
  },
  {
    name: "monitor_checks",
    title: "List a monitor's checks",
    description:
      "List the checks of a monitor, newest first, with how many pages were new, changed, removed or failed.",
    method: "GET",
    path: "/v2/monitor/{id}/checks",
    fields: ["id", "status", "limit", "offset"],
    shape: "plain",
    annotations: READS_OWN,
  },
  {
    name: "monitor_check",
    title: "Read a monitor's check",
    description: "Read what a check found of each page, with the diff of those that have changed.",
    method: "GET",
    path: "/v2/monitor/{id}/checks/{checkId}",
    fields: ["id", "checkId", "status", "skip", "limit"],
    shape: "plain",
    annotations: READS_OWN,
  },
  {
    name: "monitor_delete",
    title: "Delete a monitor",
    description: "Delete a monitor with everything that it has found.",
    method: "DELETE",
    path: "/v2/monitor/{id}",
    fields: ["id"],
    shape: "plain",
    annotations: ENDS,
  },
  {
    name: "capabilities",
    title: "Tell what this service can do",
    description: "List formats, engines, search providers, languages and limits of this deployment.",
    method: "GET",
    path: "/v2/capabilities",
    fields: [],
    shape: "plain",
    annotations: READS_OWN,
  },
];

/** Reports whether `offset` is a field of the tool's route, and not the first character of text to answer. */
export function hasRouteOffset({ fields }: Tool): boolean {
  return fields.includes("offset");
}

/** Schemas of the tools' arguments besides the fields of their route. */
export const MAX_WAIT_SECONDS = 600;
export const DEFAULT_CHARACTERS = 60_000;
/** The most that a call may ask for: a longer answer is read on with `offset`. */
export const MAX_CHARACTERS = 1_000_000;
