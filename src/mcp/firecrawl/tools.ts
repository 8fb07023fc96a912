import type { ApiResponse, Caller } from "../api.ts";
import { isObject, toSegment } from "../api.ts";
import {
  crawlBody,
  monitorBody,
  scrapeOptions,
  searchBody,
  withoutEmpty,
  withQuery,
  withScrapeOptions,
  type Input,
} from "./requests.ts";
import { withoutPrototype } from "../../core/without-prototype.ts";

/** Calls of a tool, with the wait for a job that it starts. */
export interface ToolCalls extends Caller {
  /** Returns the job's status with all of its results when it has ended, or its current status when the time is up. */
  waitForJob(started: ApiResponse, statusPath: string): Promise<ApiResponse>;
}

/** A tool of the official server: its description, and its calls of this API. */
export interface FirecrawlTool {
  description: string;
  run(api: ToolCalls, input: Input): Promise<ApiResponse>;
}

const failed = (error: string, more: object = {}): ApiResponse => ({ isSuccess: false, body: { error, ...more } });
const done = (body: Record<string, unknown>): ApiResponse => ({ isSuccess: true, body });

/** Returns the document of a response on its own, as the official server does. */
function documentOf(response: ApiResponse): ApiResponse {
  return response.isSuccess && isObject(response.body["data"]) ? done(response.body["data"]) : response;
}

/** Keeps the named fields of a successful response; missing lists are empty. */
function only(response: ApiResponse, lists: readonly string[], fields: readonly string[] = []): ApiResponse {
  if (!response.isSuccess) return response;
  const given = Object.fromEntries(
    fields.flatMap((name) => (name in response.body ? [[name, response.body[name]]] : [])),
  );
  return done({ ...Object.fromEntries(lists.map((name) => [name, response.body[name] ?? []])), ...given });
}

/** Rejected feedback is a result that the model can read, not a failure of the tool. */
function feedback({ isSuccess, body }: ApiResponse): ApiResponse {
  return done(isSuccess ? body : { ...body, success: false, retryable: false });
}

function deprecated(name: string, instead: string): FirecrawlTool {
  const message = `${name} is deprecated. ${instead}`;
  return {
    description: `Deprecated. ${instead}`,
    run: async () => failed(message, { code: "DEPRECATED_TOOL", message }),
  };
}

const get = (path: (input: Input) => string): FirecrawlTool["run"] => {
  return async (api, input) => await api.call("GET", path(input));
};

const PAPERS = "/v2/search/research/papers";
const MONITOR = "/v2/monitor";

/** The tools of firecrawl-mcp 3.26 by name, in its order. */
export const FIRECRAWL_TOOLS: Readonly<Record<string, FirecrawlTool>> = withoutPrototype({
  firecrawl_scrape: {
    description:
      "Scrape one URL (web page, PDF or office document) as Markdown, other formats, data by a JSON schema, or the answer to a question. Use it when the page is known.",
    run: scrape,
  },
  firecrawl_map: {
    description:
      "List the URLs of a site from its sitemaps and links; pages are loaded only for links, where the sitemaps list few. Use it to find a page before scraping it.",
    run: async (api, input) => await api.call("POST", "/v2/map", withoutEmpty(input)),
  },
  firecrawl_search: {
    description:
      "Search the web, news or images. Returns titles, URLs and descriptions; with scrapeOptions also the pages. Use it when no page is known.",
    run: async (api, input) => await api.call("POST", "/v2/search", searchBody(input)),
  },
  firecrawl_find_tools: {
    description: "Browse the data providers that firecrawl_scrape can call with `alexandria`, and their options.",
    run: async (api, options) =>
      await api.call("POST", "/v2/scrape", {
        alexandria: { provider: "firecrawl", capability: "find-tools", options },
      }),
  },
  firecrawl_search_feedback: {
    description: "Rate the results of a search, by the id that it returned.",
    run: async (api, { searchId, ...body }) =>
      feedback(await api.call("POST", `/v2/search/${toSegment(searchId)}/feedback`, withoutEmpty(body))),
  },
  firecrawl_feedback: {
    description: "Rate the result of a search, scrape, parse or map, by the id that it returned.",
    run: async (api, input) => feedback(await api.call("POST", "/v2/feedback", withoutEmpty(input))),
  },
  firecrawl_crawl: {
    description: "Scrape the pages of a site, wait for the end, and return them. Set a limit.",
    run: async (api, input) =>
      await api.waitForJob(await api.call("POST", "/v2/crawl", crawlBody(input)), "/v2/crawl/{id}"),
  },
  firecrawl_check_crawl_status: {
    description: "Get the status of a crawl and its pages.",
    run: get(({ id }) => `/v2/crawl/${toSegment(id)}`),
  },
  firecrawl_extract: deprecated(
    "firecrawl_extract",
    'Use firecrawl_scrape with formats ["json"] and jsonOptions once per known URL, or firecrawl_agent.',
  ),
  firecrawl_agent: {
    description:
      "Let the service search and read pages until it can answer a prompt, with data by a schema. Returns the id of the job at once; read it with firecrawl_agent_status.",
    run: async (api, input) => await api.call("POST", "/v2/agent", withoutEmpty(input)),
  },
  firecrawl_agent_status: {
    description: "Get the status of an agent job, and its result when it has completed.",
    run: get(({ id }) => `/v2/agent/${toSegment(id)}`),
  },
  firecrawl_interact: {
    description:
      "Work with a page in a live browser: with code (node or bash) or a prompt. Give the url, or the scrapeId of an earlier scrape or call.",
    run: interact,
  },
  firecrawl_interact_stop: {
    description: "End the browser session of a scrapeId.",
    run: async (api, { scrapeId }) => await api.call("DELETE", `/v2/scrape/${toSegment(scrapeId)}/interact`),
  },
  firecrawl_parse: {
    description:
      "Read a file as Markdown, other formats or data. First call with filePath: it returns how to upload the file. Then call with the uploadRef.",
    run: parseFile,
  },
  firecrawl_monitor_create: {
    description:
      "Check pages or searches on a schedule and report changes. Short form: page, pages or queries, with a goal; or the whole request in body.",
    run: async (api, input) => {
      const body = monitorBody(input);
      return typeof body === "string" ? failed(body) : await api.call("POST", MONITOR, body);
    },
  },
  firecrawl_monitor_list: {
    description: "List the monitors of the account.",
    run: get((input) => withQuery(MONITOR, input)),
  },
  firecrawl_monitor_get: { description: "Get a monitor.", run: get(({ id }) => `${MONITOR}/${toSegment(id)}`) },
  firecrawl_monitor_update: {
    description: "Change, pause or resume a monitor.",
    run: async (api, { id, body }) => await api.call("PATCH", `${MONITOR}/${toSegment(id)}`, body),
  },
  firecrawl_monitor_delete: {
    description: "Delete a monitor and its checks.",
    run: async (api, { id }) => await api.call("DELETE", `${MONITOR}/${toSegment(id)}`),
  },
  firecrawl_monitor_run: {
    description: "Check a monitor now.",
    run: async (api, { id }) => await api.call("POST", `${MONITOR}/${toSegment(id)}/run`, {}),
  },
  firecrawl_monitor_checks: {
    description: "List the checks of a monitor, newest first.",
    run: get(({ id, ...query }) => withQuery(`${MONITOR}/${toSegment(id)}/checks`, query)),
  },
  firecrawl_monitor_check: {
    description: "Get a check of a monitor: each page with its status, its differences and the judgment by the goal.",
    run: get(({ id, checkId, pageStatus, ...query }) =>
      withQuery(`${MONITOR}/${toSegment(id)}/checks/${toSegment(checkId)}`, { ...query, status: pageStatus }),
    ),
  },
  firecrawl_research_search_papers: {
    description: "Search scientific papers by their abstracts.",
    run: async (api, input) => only(await api.call("GET", withQuery(PAPERS, input)), ["results"]),
  },
  firecrawl_research_inspect_paper: {
    description: "Get the metadata of a paper.",
    run: async (api, { paperId }) => only(await api.call("GET", `${PAPERS}/${toSegment(paperId)}`), [], ["paper"]),
  },
  firecrawl_research_related_papers: {
    description: "Find papers that are related to one to ten others.",
    run: async (api, { seed_ids: seeds, ...query }) => {
      const [first, ...anchor]: unknown[] = Array.isArray(seeds) ? seeds : [];
      const path = withQuery(`${PAPERS}/${toSegment(first)}/similar`, { ...query, anchor });
      return only(await api.call("GET", path), ["results"], ["poolSize", "note"]);
    },
  },
  firecrawl_research_read_paper: {
    description: "Find the passages of a paper that answer a question.",
    run: async (api, { paperId, question, k }) =>
      only(await api.call("GET", withQuery(`${PAPERS}/${toSegment(paperId)}`, { query: question, k })), ["passages"]),
  },
  firecrawl_research_search_github: deprecated("firecrawl_research_search_github", "Use firecrawl_developer_search."),
  firecrawl_developer_search: {
    description: "Search repositories, issues and documentation for a programming question.",
    run: async (api, input) => only(await api.call("GET", withQuery("/v2/search/developer", input)), ["results"]),
  },
  firecrawl_credit_usage: {
    description: "Get the credits that are left, or with view historical those used by month.",
    run: async (api, { view, byApiKey }) => {
      if (view === "historical" || byApiKey === true)
        return await api.call(
          "GET",
          withQuery("/v2/team/credit-usage/historical", byApiKey === true ? { byApiKey } : {}),
        );
      return documentOf(await api.call("GET", "/v2/team/credit-usage"));
    },
  },
});

/** The tools of the official server's profile for searches. */
export const SEARCH_PROFILE: readonly string[] = [
  "firecrawl_scrape",
  "firecrawl_search",
  "firecrawl_find_tools",
  "firecrawl_research_search_papers",
  "firecrawl_research_inspect_paper",
  "firecrawl_research_related_papers",
  "firecrawl_research_read_paper",
  "firecrawl_developer_search",
];

/** Scrapes a page, or calls data providers. A repeated call with the same `requestId` returns the first response. */
async function scrape(api: ToolCalls, input: Input): Promise<ApiResponse> {
  const { url, alexandria, requestId, timeout, ...rest } = input;
  if (alexandria !== undefined) {
    const name: Record<string, string> = typeof requestId === "string" ? { "x-request-id": requestId } : {};
    return await api.call("POST", "/v2/scrape", withoutEmpty({ alexandria, timeout }), name);
  }
  return documentOf(await api.call("POST", "/v2/scrape", { url, ...scrapeOptions({ ...rest, timeout }) }));
}

/** Runs code or a prompt on a page; a page that is named by its URL is scraped first. */
async function interact(
  api: ToolCalls,
  { scrapeId, url, scrapeOptions: options, ...body }: Input,
): Promise<ApiResponse> {
  if ((scrapeId === undefined) === (url === undefined)) return failed("Give either url or scrapeId.");
  if (scrapeId !== undefined)
    return await api.call("POST", `/v2/scrape/${toSegment(scrapeId)}/interact`, withoutEmpty(body));
  const scraped = await api.call("POST", "/v2/scrape", { url, ...(isObject(options) ? scrapeOptions(options) : {}) });
  if (!scraped.isSuccess) return scraped;
  const { metadata } = documentOf(scraped).body;
  const id = isObject(metadata) ? metadata["scrapeId"] : undefined;
  const ran = await api.call("POST", `/v2/scrape/${toSegment(id)}/interact`, withoutEmpty(body));
  return { ...ran, body: { ...ran.body, scrapeId: id } };
}

/** Answers how a file is uploaded, or parses an uploaded one. This server has no access to the caller's files. */
async function parseFile(
  api: ToolCalls,
  { filePath, contentType, declaredSizeBytes, uploadRef, ...rest }: Input,
): Promise<ApiResponse> {
  if ((filePath === undefined) === (uploadRef === undefined))
    return failed("Give either filePath, to learn how to upload the file, or the uploadRef of an uploaded file.");
  const options = scrapeOptions(rest);
  if (uploadRef !== undefined) return await api.call("POST", "/v2/parse", { uploadRef, ...options });
  const filename = String(filePath).split(/[\\/]/).at(-1) ?? "";
  const request = withoutEmpty({ filename, contentType, declaredSizeBytes });
  const opened = documentOf(await api.call("POST", "/v2/parse/upload-url", request));
  if (!opened.isSuccess) return opened;
  const { uploadUrl, headers } = opened.body;
  const shown = Object.entries(isObject(headers) ? headers : {}).map(
    ([name, value]) => `-H ${quoted(`${name}: ${String(value)}`)} `,
  );
  const command = `curl -X PUT ${shown.join("")}--data-binary ${quoted(`@${String(filePath)}`)} ${quoted(String(uploadUrl))}`;
  return done({
    success: true,
    mode: "hosted-upload-ref-awaiting-upload",
    message: "Run the upload command where the file is, then call firecrawl_parse with the uploadRef.",
    upload: { command, ...opened.body },
    nextToolCall: {
      name: "firecrawl_parse",
      arguments: { uploadRef: opened.body["uploadRef"], ...withScrapeOptions(rest) },
    },
  });
}

/** Quotes a word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
