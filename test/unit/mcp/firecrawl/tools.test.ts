import { expect, test } from "vitest";
import type { ApiResponse, Caller } from "../../../../src/mcp/api.ts";
import { callFirecrawlTool } from "../../../../src/mcp/firecrawl/offered-tools.ts";
import { FIRECRAWL_TOOLS } from "../../../../src/mcp/firecrawl/tools.ts";

const ID = "0199aaaa-0000-7000-8000-000000000000";
const PAGE = "https://a.example/";

/** Calls a tool of an API that sends these responses in order. @returns its requests and its result. */
async function use(name: string, input: Record<string, unknown>, answers: readonly Record<string, unknown>[] = [{}]) {
  const requests: string[] = [];
  const bodies: unknown[] = [];
  const headers: unknown[] = [];
  const caller: Caller = {
    async call(method, path, body, more): Promise<ApiResponse> {
      requests.push(`${method} ${path}`);
      bodies.push(body);
      headers.push(more);
      const answer = { success: true, ...answers[requests.length - 1] };
      return { isSuccess: answer.success, body: answer };
    },
  };
  const tool = FIRECRAWL_TOOLS[name];
  if (tool === undefined) throw new Error(`No tool ${name}`);
  const context = {
    caller,
    signal: new AbortController().signal,
    isCancelled: () => false,
    job: { started: async () => false, ended: async () => undefined },
    waiting: { calls: 0 },
    sleep: async () => {},
    report: async () => {},
  };
  const result = await callFirecrawlTool(context, tool, input);
  return { requests, bodies, headers, result };
}

test.each([
  {
    name: "firecrawl_scrape",
    input: { url: PAGE, formats: ["markdown", "json"], jsonOptions: { prompt: "Prices" }, includeTags: [] },
    request: "POST /v2/scrape",
    body: { url: PAGE, formats: ["markdown", { type: "json", prompt: "Prices" }] },
  },
  {
    name: "firecrawl_scrape",
    input: { url: PAGE, parsers: ["pdf"], pdfOptions: { maxPages: 2 } },
    request: "POST /v2/scrape",
    body: { url: PAGE, parsers: [{ type: "pdf", maxPages: 2 }] },
  },
  {
    name: "firecrawl_search",
    input: { query: "cod", scrapeOptions: { formats: ["query"], queryOptions: { prompt: "How much?" } } },
    request: "POST /v2/search",
    body: { query: "cod", sources: ["web"], scrapeOptions: { formats: [{ type: "query", prompt: "How much?" }] } },
  },
  {
    name: "firecrawl_monitor_create",
    input: { page: PAGE, goal: "Prices", webhookUrl: "https://hook.example/" },
    request: "POST /v2/monitor",
    body: {
      name: `Monitor ${PAGE}`,
      schedule: { text: "every 30 minutes", timezone: "UTC" },
      goal: "Prices",
      targets: [{ type: "scrape", urls: [PAGE] }],
      webhook: { url: "https://hook.example/", events: ["monitor.page", "monitor.check.completed"] },
    },
  },
  {
    name: "firecrawl_monitor_check",
    input: { id: ID, checkId: ID, limit: 5, pageStatus: "changed" },
    request: `GET /v2/monitor/${ID}/checks/${ID}?limit=5&status=changed`,
    body: undefined,
  },
  {
    name: "firecrawl_research_related_papers",
    input: { seed_ids: ["arxiv:1", "doi:2", "doi:3"], intent: "seeds", k: 4 },
    request: "GET /v2/search/research/papers/arxiv%3A1/similar?intent=seeds&k=4&anchor=doi%3A2&anchor=doi%3A3",
    body: undefined,
  },
  {
    name: "firecrawl_credit_usage",
    input: { byApiKey: true },
    request: "GET /v2/team/credit-usage/historical?byApiKey=true",
    body: undefined,
  },
])("$name with $input sends $request", async ({ name, input, request, body }) => {
  const { requests, bodies } = await use(name, input);
  expect(requests).toEqual([request]);
  expect(bodies[0]).toEqual(body);
});

test("a call of a data provider is named, so that a repeat returns its first response", async () => {
  const alexandria = { provider: "papers", capability: "search" };
  const called = await use("firecrawl_scrape", { alexandria, requestId: "a1" }, [{ data: {} }]);
  expect(called.headers).toEqual([{ "x-request-id": "a1" }]);
  expect(called.bodies).toEqual([{ alexandria }]);
});

test("a scrape answers the document as text and as structured content", async () => {
  const document = { markdown: "# One", metadata: { scrapeId: ID } };
  const { result } = await use("firecrawl_scrape", { url: PAGE }, [{ data: document }]);
  expect(result.structuredContent).toEqual(document);
  expect(result.content).toEqual([{ type: "text", text: JSON.stringify(document, undefined, 2) }]);
});

test("a crawl is waited for, and all pages of its results are read", async () => {
  const { requests, result } = await use("firecrawl_crawl", { url: PAGE, webhook: PAGE, webhookHeaders: { a: "b" } }, [
    { id: ID },
    { status: "scraping", completed: 1, total: 2, data: [] },
    { status: "completed", completed: 2, total: 2, data: [1], next: `https://api.example/v2/crawl/${ID}?skip=1` },
    { status: "completed", data: [2] },
  ]);
  expect(requests).toEqual([
    "POST /v2/crawl",
    `GET /v2/crawl/${ID}`,
    `GET /v2/crawl/${ID}`,
    `GET /v2/crawl/${ID}?skip=1`,
  ]);
  expect(result.structuredContent).toEqual({
    success: true,
    id: ID,
    status: "completed",
    completed: 2,
    total: 2,
    data: [1, 2],
  });
});

test("a page is interacted with by its URL, which is scraped first", async () => {
  const { requests, bodies, result } = await use("firecrawl_interact", { url: PAGE, code: "1" }, [
    { data: { metadata: { scrapeId: ID } } },
    { result: "1" },
  ]);
  expect(requests).toEqual(["POST /v2/scrape", `POST /v2/scrape/${ID}/interact`]);
  expect(bodies[1]).toEqual({ code: "1" });
  expect(result.structuredContent).toMatchObject({ result: "1", scrapeId: ID });
});

test("a file is uploaded by a command, whose words are quoted, and parsed by its reference", async () => {
  const upload = {
    uploadUrl: "https://api.example/u?x=1&y=2",
    uploadRef: "ref",
    headers: { "Content-Type": "text/html" },
  };
  const first = await use("firecrawl_parse", { filePath: "/tmp/it's.html", formats: ["markdown"] }, [{ data: upload }]);
  expect(first.bodies).toEqual([{ filename: "it's.html" }]);
  expect(first.result.structuredContent).toMatchObject({
    upload: {
      command: `curl -X PUT -H 'Content-Type: text/html' --data-binary '@/tmp/it'\\''s.html' 'https://api.example/u?x=1&y=2'`,
    },
    nextToolCall: { name: "firecrawl_parse", arguments: { uploadRef: "ref", formats: ["markdown"] } },
  });
  const second = await use("firecrawl_parse", { uploadRef: "ref", formats: ["markdown"] });
  expect(second.bodies).toEqual([{ uploadRef: "ref", formats: ["markdown"] }]);
});

test.each([
  { name: "firecrawl_extract", input: { urls: [PAGE] }, says: /deprecated.*firecrawl_scrape/ },
  { name: "firecrawl_research_search_github", input: { query: "x" }, says: /firecrawl_developer_search/ },
  { name: "firecrawl_monitor_create", input: { goal: "x" }, says: /page or pages, or queries/ },
  { name: "firecrawl_interact", input: { code: "1" }, says: /either url or scrapeId/ },
  { name: "firecrawl_parse", input: {}, says: /filePath/ },
])("$name with $input is refused in words, without a request", async ({ name, input, says }) => {
  const { requests, result } = await use(name, input);
  expect(requests).toEqual([]);
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(says) }] });
});

test("rejected feedback is a result, and another failure is the tool's error", async () => {
  const refusal = { success: false, error: "Search not found", feedbackErrorCode: "SEARCH_NOT_FOUND" };
  const rejected = await use("firecrawl_search_feedback", { searchId: ID, rating: "good" }, [refusal]);
  expect(rejected.result).not.toHaveProperty("isError");
  expect(rejected.result.structuredContent).toMatchObject({ ...refusal, retryable: false });
  expect((await use("firecrawl_map", { url: PAGE }, [refusal])).result).toMatchObject({ isError: true });
});

test("long texts of an answer are cut, with a warning", async () => {
  const document = { markdown: "m".repeat(9_000_000), rawHtml: "<p>short</p>", warning: "Slow." };
  const { result } = await use("firecrawl_scrape", { url: PAGE }, [{ data: document }]);
  const shown = result.structuredContent as typeof document;
  expect(shown.markdown.slice(-2)).toBe("m…");
  expect(shown.markdown.length).toBeGreaterThan(900_000);
  expect(shown.markdown.length).toBeLessThan(1_000_001);
  expect(shown.rawHtml).toBe(document.rawHtml);
  expect(shown.warning).toMatch(/^Slow\. Long texts were cut, .* up to 1000000 characters/);
  expect(JSON.parse((result.content[0] as { text: string }).text)).toEqual(shown);
});

test("a crawl's pages are read on up to the characters of an answer, and then its `next` is kept", async () => {
  const page = (at: number): Record<string, unknown> => ({
    status: "completed",
    data: [{ markdown: "m".repeat(400_000) }],
    next: `https://api.example/v2/crawl/${ID}?skip=${at}`,
  });
  const started = { id: ID, url: `https://api.example/v2/crawl/${ID}` };
  const { requests, result } = await use("firecrawl_crawl", { url: PAGE }, [started, ...[1, 2, 3, 4, 5].map(page)]);
  expect(requests).toHaveLength(4);
  const shown = result.structuredContent as { data: { markdown: string }[]; next: string; warning: string };
  expect(shown.data).toHaveLength(3);
  expect(shown.next).toContain("skip=3");
  expect(shown.warning).toContain("Long texts were cut");
});
