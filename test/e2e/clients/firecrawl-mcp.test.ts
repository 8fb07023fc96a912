import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fresh, scraped, sitePage } from "../client.ts";
import { connectToMcp } from "./programs.ts";

let mcp: Client;
let folder: string;
beforeAll(async () => {
  mcp = await connectToMcp();
  folder = await mkdtemp(join(tmpdir(), "orbweaver-mcp-"));
});
afterAll(async () => {
  await mcp.close();
  await rm(folder, { recursive: true, force: true });
});

interface Said {
  isError: boolean;
  text: string;
  structured: Record<string, unknown>;
}

/** Calls a tool. The SDK's client validates what is structured against the tool's schema, and throws otherwise. */
async function say(name: string, input: Record<string, unknown> = {}): Promise<Said> {
  const { content, isError, structuredContent } = (await mcp.callTool({ name, arguments: input })) as CallToolResult;
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return { isError: isError === true, text, structured: structuredContent ?? {} };
}

/** What a tool structured, when it must succeed. */
async function use(name: string, input?: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { isError, text, structured } = await say(name, input);
  expect(isError, text).toBe(false);
  return structured;
}

describe("the published MCP server", () => {
  test("offers its tools, schemas and all", async () => {
    const { tools } = await mcp.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["firecrawl_scrape", "firecrawl_crawl", "firecrawl_agent", "firecrawl_parse"]),
    );
    expect(tools.filter(({ outputSchema }) => outputSchema !== undefined).length).toBeGreaterThan(20);
  });

  test("scrapes a page as markdown and links", async () => {
    const page = await use("firecrawl_scrape", { url: sitePage("/final"), formats: ["markdown", "links"] });
    expect(page).toMatchObject({
      markdown: expect.stringContaining("# You have arrived"),
      links: expect.any(Array),
      metadata: { scrapeId: expect.any(String), statusCode: 200 },
    });
  });

  test("scrapes fields of a schema", async () => {
    const schema = { type: "object", properties: { title: { type: "string" } }, required: ["title"] };
    const page = await use("firecrawl_scrape", {
      url: sitePage("/articles/seagrass"),
      formats: ["json"],
      jsonOptions: { schema },
    });
    expect(page["json"]).toEqual({ title: expect.stringContaining("Sowing a meadow") });
  });

  test("asks a page a question", async () => {
    const page = await use("firecrawl_scrape", {
      url: sitePage("/articles/seagrass"),
      formats: ["query"],
      queryOptions: { prompt: "How many seeds are lying on the flats south of the mole?" },
    });
    expect(page["answer"]).toContain("two hundred thousand");
  });

  test("maps the site", async () => {
    const { links } = await use("firecrawl_map", { url: sitePage("/"), limit: 5 });
    expect(links).toHaveLength(5);
  });

  test("searches with all that it adds to the query", async () => {
    await scraped("/articles/seagrass");
    const found = async () => (await say("firecrawl_search", { query: "seagrass meadow", limit: 2 })).text;
    await expect.poll(found, { timeout: 10_000 }).toContain("/articles/seagrass");
    await use("firecrawl_search", { query: "seagrass", sources: [{ type: "web" }, { type: "news" }], limit: 1 });
  });

  test("crawls to the end, and reads the crawl again", async () => {
    const crawl = await use("firecrawl_crawl", { url: sitePage("/"), limit: 3, sitemap: "skip" });
    expect(crawl).toMatchObject({ status: "completed", completed: 3, total: 3 });
    const id = crawl["id"];
    const again = await use("firecrawl_check_crawl_status", { id });
    expect(again).toMatchObject({ status: "completed", data: expect.any(Array) });
  });

  test("starts the agent and follows it", async () => {
    const { id } = await use("firecrawl_agent", {
      prompt: "How many seeds of the seagrass are lying on the flats south of the mole?",
      urls: [sitePage("/articles/seagrass")],
    });
    const status = async () => (await use("firecrawl_agent_status", { id }))["status"];
    await expect.poll(status, { timeout: 20_000, interval: 500 }).toBe("completed");
    const { data } = await use("firecrawl_agent_status", { id });
    expect(data).toMatchObject({ result: expect.stringContaining("two hundred thousand") });
  });

  test("interacts with a page by its URL, goes on with it, and stops", async () => {
    const first = await say("firecrawl_interact", { url: sitePage("/final"), code: "await page.title()" });
    expect(first.isError, first.text).toBe(false);
    expect(first.text).toContain("The end of the road");
    const scrapeId = /"scrapeId": *"([^"]+)"/.exec(first.text)?.[1];
    expect(scrapeId, first.text).toBeDefined();
    const second = await use("firecrawl_interact", { scrapeId, code: "page.url()", language: "node" });
    expect(second).toMatchObject({ success: true, result: sitePage("/final") });
    expect(await use("firecrawl_interact_stop", { scrapeId })).toMatchObject({ success: true });
  });

  test("parses a file of this machine", async () => {
    const filePath = join(folder, "log.html");
    await writeFile(filePath, "<title>Log</title><article><h1>Log</h1><p>The bell rang at six.</p></article>");
    const document = await use("firecrawl_parse", { filePath, formats: ["markdown"] });
    expect(document).toMatchObject({ data: { markdown: expect.stringContaining("The bell rang at six.") } });
  });

  test("reads the credits, now and by period", async () => {
    expect(await use("firecrawl_credit_usage")).toMatchObject({ remainingCredits: expect.any(Number) });
    expect(await use("firecrawl_credit_usage", { view: "historical" })).toMatchObject({ periods: expect.any(Array) });
  });

  test("takes feedback on a scrape", async () => {
    const { metadata } = await scraped(fresh("/final"));
    const { isError, text } = await say("firecrawl_feedback", {
      endpoint: "scrape",
      jobId: metadata.scrapeId,
      rating: "good",
      note: "All of it was there.",
    });
    expect(isError, text).toBe(false);
  });

  /** Where the server reads through its HTTP library, that library's words are all that comes through. */
  test.each([
    { why: "an address that is none", tool: "firecrawl_scrape", input: { url: "nonsense:" }, says: /url/i },
    {
      why: "a site that is away",
      tool: "firecrawl_scrape",
      input: { url: "http://127.0.0.1:9/" },
      says: /could not be loaded[\s\S]*agent_hints[\s\S]*Send it again at most twice/,
    },
    { why: "an unknown crawl", tool: "firecrawl_check_crawl_status", input: { id: "nonsense" }, says: /code 400/ },
    { why: "an unknown agent", tool: "firecrawl_agent_status", input: { id: crypto.randomUUID() }, says: /code 404/ },
    { why: "a pattern that is none", tool: "firecrawl_crawl", input: { includePaths: ["("] }, says: /code 400/ },
  ])("passes on that the service refuses $why", async ({ tool, input, says }) => {
    const address = tool === "firecrawl_crawl" ? { url: sitePage("/") } : {};
    const { text, isError } = await say(tool, { ...address, ...input });
    expect(text).toMatch(says);
    expect(isError).toBe(true);
  });
});
