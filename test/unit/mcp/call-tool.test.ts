import { expect, test } from "vitest";
import type { ApiResponse, Caller } from "../../../src/mcp/api.ts";
import type { Progress } from "../../../src/mcp/call-context.ts";
import { callTool } from "../../../src/mcp/call-tool.ts";
import { TOOLS, type Tool } from "../../../src/mcp/tools.ts";

const ID = "0199aaaa-0000-7000-8000-000000000000";

function toolNamed(name: string): Tool {
  const tool = TOOLS.find((entry) => entry.name === name);
  if (tool === undefined) throw new Error(`No tool ${name}`);
  return tool;
}

/** An API that answers as told, one answer after the other, and remembers what it was asked. */
function scripted(answers: readonly Record<string, unknown>[], statuses: readonly number[] = []) {
  const asked: { method: string; path: string; body?: unknown }[] = [];
  const reports: Progress[] = [];
  const caller: Caller = {
    async call(method, path, body): Promise<ApiResponse> {
      asked.push({ method, path, ...(body === undefined ? {} : { body }) });
      const answer = answers[asked.length - 1] ?? { success: false, error: "asked too often" };
      const status = statuses[asked.length - 1];
      return { isSuccess: answer.success !== false, ...(status === undefined ? {} : { status }), body: answer };
    },
  };
  const run = (name: string, input: Record<string, unknown>) =>
    callTool(
      {
        caller,
        signal: new AbortController().signal,
        isCancelled: () => false,
        job: { started: async () => false, ended: async () => undefined },
        waiting: { calls: 0 },
        sleep: async () => {},
        report: async (progress) => void reports.push(progress),
      },
      toolNamed(name),
      input,
    );
  return { asked, reports, run };
}

test("a job is waited for, with progress, until it has ended", async () => {
  const page = { markdown: "# One", metadata: { title: "One", sourceURL: "https://a.example/1", scrapeId: "s1" } };
  const { asked, reports, run } = scripted([
    { success: true, id: ID },
    { success: true, status: "scraping", completed: 1, total: 3, data: [] },
    { success: true, status: "completed", completed: 3, total: 3, data: [page] },
  ]);
  const result = await run("crawl", { url: "https://a.example", limit: 3, waitSeconds: 30 });
  expect(asked).toEqual([
    { method: "POST", path: "/v2/crawl", body: { url: "https://a.example", limit: 3 } },
    { method: "GET", path: `/v2/crawl/${ID}` },
    { method: "GET", path: `/v2/crawl/${ID}` },
  ]);
  expect(reports).toEqual([
    { progress: 0, message: `Job ${ID} has started` },
    { progress: 1, total: 3, message: "1 of 3 pages" },
  ]);
  expect(result.content[0]).toMatchObject({ text: expect.stringContaining('"status": "completed"') });
  expect(result.content[1]).toMatchObject({
    text: expect.stringMatching(/^## One\nhttps:\/\/a.example\/1 \(scrapeId s1\)\n\n# One$/),
  });
});

test("the evidence of an answer is cut to the size that was asked for", async () => {
  const evidence = Array.from({ length: 3_000 }, (_, item) => ({ item, quote: "q".repeat(100) }));
  const { run } = scripted([
    { success: true, id: ID },
    { success: true, status: "completed", data: { price: 1 }, evidence },
  ]);
  const input = { urls: ["https://a.example"], prompt: "price", waitSeconds: 30, maxCharacters: 1_000 };
  const { content } = await run("extract", input);
  expect(content[0]).toMatchObject({ text: expect.stringMatching(/"status": "completed"[^]*of the status\]$/) });
  expect(JSON.stringify(content).length).toBeLessThan(2_500);
});

test("a job that takes longer is answered as it stands, with its id", async () => {
  const { asked, run } = scripted([
    { success: true, id: ID },
    ...Array.from({ length: 3 }, () => ({ success: true, status: "scraping", completed: 0, total: 9 })),
  ]);
  const result = await run("batch_scrape", { urls: ["https://a.example"], waitSeconds: 3 });
  expect(asked).toHaveLength(4);
  expect(result.content[0]).toMatchObject({ text: expect.stringContaining(ID) });
});

test("a job whose status cannot be read at the moment is waited for", async () => {
  const away = { success: false, error: "The service is busy" };
  const { asked, run } = scripted(
    [{ success: true, id: ID }, away, away, away, { success: true, status: "completed", data: [] }],
    [200, 500, 503, 429, 200],
  );
  const result = await run("crawl", { url: "https://a.example", waitSeconds: 30 });
  expect(asked).toHaveLength(5);
  expect(result.content[0]).toMatchObject({ text: expect.stringContaining('"status": "completed"') });
});

test("a job that is gone ends the wait with an error that names it", async () => {
  const { asked, run } = scripted(
    [
      { success: true, id: ID },
      { success: false, error: "Job not found" },
    ],
    [200, 404],
  );
  const result = await run("crawl", { url: "https://a.example", waitSeconds: 30 });
  expect(asked).toHaveLength(2);
  expect(result).toMatchObject({ isError: true, content: [{ text: `Job not found\nid: ${ID}` }] });
});

test("an offset of the route goes there, and cuts nothing off the answer", async () => {
  const { asked, run } = scripted([{ success: true, data: ["monitor"] }]);
  const { content } = await run("monitor_list", { limit: 2, offset: 2 });
  expect(asked).toEqual([{ method: "GET", path: "/v2/monitor?limit=2&offset=2" }]);
  expect(content).toEqual([{ type: "text", text: JSON.stringify({ success: true, data: ["monitor"] }, undefined, 1) }]);
});

test("a list of many short texts ends early in the structured content, with a note", async () => {
  const links = Array.from({ length: 3_000 }, (_, index) => ({ url: `https://a.example/${index}/${"x".repeat(900)}` }));
  const { run } = scripted([{ success: true, links }]);
  const { content, structuredContent } = await run("map", { url: "https://a.example" });
  const { length } = (structuredContent as { links: unknown[] }).links;
  expect(length).toBeGreaterThan(1_000);
  expect(length).toBeLessThan(1_100);
  expect(content.at(-1)).toMatchObject({ text: expect.stringContaining(`the last ${3_000 - length} items`) });
});

test.each([
  { tool: "read_page", input: { url: "https://a.example" }, name: "id" },
  { tool: "crawl_urls", input: { id: "" }, name: "id" },
  { tool: "monitor_check", input: { id: "..", checkId: ID }, name: "id" },
  { tool: "monitor_check", input: { id: ID, checkId: "." }, name: "checkId" },
  { tool: "monitor_delete", input: { id: 7 }, name: "id" },
])("$tool with $input calls no other route, and names the argument", async ({ tool, input, name }) => {
  const { asked, run } = scripted([{ success: true }]);
  const { isError, content } = await run(tool, input);
  expect(asked).toEqual([]);
  expect([isError, content[0]]).toEqual([
    true,
    { type: "text", text: expect.stringContaining(`${name}: is required (a string)`) },
  ]);
});

test("a job that is not waited for answers its id alone", async () => {
  const { asked, run } = scripted([{ success: true, id: ID, url: "https://api.example/v2/crawl/1" }]);
  const result = await run("crawl", { url: "https://a.example" });
  expect(asked).toHaveLength(1);
  expect(result.content[0]).toMatchObject({ text: expect.stringContaining(ID) });
});

test("a job that cannot start is the tool's error", async () => {
  const { asked, run } = scripted([{ success: false, code: "INSUFFICIENT_CREDITS", error: "Insufficient credits" }]);
  const result = await run("crawl", { url: "https://a.example", waitSeconds: 5 });
  expect(asked).toHaveLength(1);
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: "Insufficient credits (INSUFFICIENT_CREDITS)" }],
  });
});

test("fields of the path go there, the rest into the query or the body", async () => {
  const status = scripted([{ success: true, data: [] }]);
  await status.run("crawl_status", { id: ID, skip: 10 });
  expect(status.asked).toEqual([{ method: "GET", path: `/v2/crawl/${ID}?skip=10` }]);
  const execute = scripted([{ success: true, stdout: "" }]);
  await execute.run("browser_execute", { id: "a/b", code: "1" });
  expect(execute.asked).toEqual([{ method: "POST", path: "/v2/browser/a%2Fb/execute", body: { code: "1" } }]);
});

test("the own index is searched alone", async () => {
  const { asked, run } = scripted([{ success: true, data: { web: [] } }]);
  await run("search_own_index", { query: "webs" });
  expect(asked[0]?.body).toEqual({ query: "webs", providers: ["own-index"] });
});

test("an extract asks for the evidence that its description promises", async () => {
  const { asked, run } = scripted([{ success: true, id: ID }]);
  await run("extract", { urls: ["https://a.example"], prompt: "The price" });
  expect(asked).toEqual([
    { method: "POST", path: "/v2/extract", body: { urls: ["https://a.example"], prompt: "The price", evidence: true } },
  ]);
});
