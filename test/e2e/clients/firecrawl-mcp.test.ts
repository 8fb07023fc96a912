import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { fresh, scraped, sitePage } from "../client.ts";
import { shortAndLong } from "../../sample.ts";
import { connectToMcp } from "./programs.ts";

let published: Client;
let own: Client;
let folder: string;
/** The client that the test at hand uses. */
let mcp: Client;
beforeAll(async () => {
  published = await connectToMcp();
  own = await connectTo("firecrawl");
  folder = await mkdtemp(join(tmpdir(), "orbweaver-mcp-"));
});
afterAll(async () => {
  await published.close();
  await own.close();
  await rm(folder, { recursive: true, force: true });
});

/** A client of this service's own server with a set of tools. */
async function connectTo(tools: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(`${inject("serviceUrl")}/mcp?tools=${tools}`), {
    requestInit: { headers: { Authorization: `Bearer ${inject("apiKey")}` } },
  });
  // The SDK's transport declares optional fields in a way that exact optional types refuse.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return client;
}

/** Schemas without descriptions, which each server words itself. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => key !== "$schema" && (key !== "description" || typeof value !== "string"),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, plain(value)]));
}

describe("the tools of /mcp?tools=firecrawl", () => {
  test("have the names, input schemas and annotations of the published server, in its order", async () => {
    const theirs = (await published.listTools()).tools;
    const { tools } = await own.listTools();
    expect(tools.map(({ name }) => name)).toEqual(theirs.map(({ name }) => name));
    for (const { name, inputSchema, annotations } of theirs) {
      const tool = tools.find((each) => each.name === name);
      expect(tool?.description, name).toBeTruthy();
      expect(tool?.annotations, name).toEqual(annotations);
      // Files are uploaded to a server that is not on the caller's machine.
      if (name !== "firecrawl_parse") expect(plain(tool?.inputSchema), name).toEqual(plain(inputSchema));
    }
  });

  test("are those of its profile for searches on request", async () => {
    const client = await connectTo("firecrawl-search");
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(8);
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["firecrawl_search", "firecrawl_find_tools"]));
    await client.close();
  });
});

interface ToolText {
  isError: boolean;
  text: string;
  structured: Record<string, unknown>;
}

/** Calls a tool. The SDK's client validates what is structured against the tool's schema, and throws otherwise. */
async function say(name: string, input: Record<string, unknown> = {}): Promise<ToolText> {
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

test("the published server lists the schemas of its results", async () => {
  const { tools } = await published.listTools();
  expect(tools.filter(({ outputSchema }) => outputSchema !== undefined).length).toBeGreaterThan(20);
});

test("the published server parses a file of this machine", async () => {
  mcp = published;
  const filePath = join(folder, "log.html");
  await writeFile(filePath, "<title>Log</title><article><h1>Log</h1><p>The bell rang at six.</p></article>");
  const document = await use("firecrawl_parse", { filePath, formats: ["markdown"] });
  expect(document).toMatchObject({ data: { markdown: expect.stringContaining("The bell rang at six.") } });
});

test("the service's own server has a file uploaded, and parses it", async () => {
  mcp = own;
  const opened = await use("firecrawl_parse", { filePath: "/home/ada/log.html", contentType: "text/html" });
  const { uploadUrl, headers, command } = opened["upload"] as {
    uploadUrl: string;
    headers: Record<string, string>;
    command: string;
  };
  expect(command).toContain("'@/home/ada/log.html'");
  const body = "<title>Log</title><article><h1>Log</h1><p>The bell rang at six.</p></article>";
  expect((await fetch(uploadUrl, { method: "PUT", headers, body })).status).toBe(200);
  const { arguments: next } = opened["nextToolCall"] as { arguments: Record<string, unknown> };
  const document = await use("firecrawl_parse", next);
  expect(document).toMatchObject({ data: { markdown: expect.stringContaining("The bell rang at six.") } });
});

// The own server's tools without a network: test/unit/mcp/firecrawl/tools.test.ts.
for (const { tags, entries } of shortAndLong(
  [
    { server: "the published MCP server", isPublished: true },
    { server: "the service's own server with its tools", isPublished: false },
  ],
  ({ isPublished }) => isPublished,
))
  describe.each(entries)("$server", { tags }, ({ isPublished }) => {
    beforeAll(() => {
      mcp = isPublished ? published : own;
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

    // The published server's: sessions/session-clients.test.ts.
    test(
      "interacts with a page by its URL, goes on with it, and stops",
      { tags: isPublished ? ["long"] : [] },
      async () => {
        const first = await say("firecrawl_interact", { url: sitePage("/final"), code: "await page.title()" });
        expect(first.isError, first.text).toBe(false);
        expect(first.text).toContain("The end of the road");
        const scrapeId = /"scrapeId": *"([^"]+)"/.exec(first.text)?.[1];
        expect(scrapeId, first.text).toBeDefined();
        const second = await use("firecrawl_interact", { scrapeId, code: "page.url()", language: "node" });
        expect(second).toMatchObject({ success: true, result: sitePage("/final") });
        expect(await use("firecrawl_interact_stop", { scrapeId })).toMatchObject({ success: true });
      },
    );

    test("creates, runs, reads and deletes a monitor", async () => {
      const created = await use("firecrawl_monitor_create", { page: sitePage("/final"), goal: "New arrivals" });
      const { id } = created["data"] as { id: string };
      const { data: queued } = await use("firecrawl_monitor_run", { id });
      const { id: checkId } = queued as { id: string };
      const check = async () => (await use("firecrawl_monitor_check", { id, checkId }))["data"];
      await expect.poll(check, { timeout: 30_000 }).toMatchObject({ status: "completed", pages: [{ status: "new" }] });
      expect(await use("firecrawl_monitor_update", { id, body: { status: "paused" } })).toMatchObject({
        data: { status: "paused" },
      });
      expect(await use("firecrawl_monitor_delete", { id })).toMatchObject({ success: true });
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

    /** Where the published server reads through its HTTP library, that library's words are all that comes through. */
    test.each([
      {
        why: "an address that is none",
        tool: "firecrawl_scrape",
        input: { url: "nonsense:" },
        says: /url/i,
        own: /url/i,
      },
      {
        why: "a site that is away",
        tool: "firecrawl_scrape",
        input: { url: "http://127.0.0.1:9/" },
        says: /could not be loaded[\s\S]*agent_hints[\s\S]*Send it again at most twice/,
        own: /could not be loaded/,
      },
      {
        why: "an unknown crawl",
        tool: "firecrawl_check_crawl_status",
        input: { id: "nonsense" },
        says: /code 400/,
        own: /Invalid job ID/,
      },
      {
        why: "an unknown agent",
        tool: "firecrawl_agent_status",
        input: { id: crypto.randomUUID() },
        says: /code 404/,
        own: /not found/,
      },
      {
        why: "a pattern that is none",
        tool: "firecrawl_crawl",
        input: { includePaths: ["("] },
        says: /code 400/,
        own: /includePaths/,
      },
    ])("passes on that the service refuses $why", async ({ tool, input, says, own: words }) => {
      const address = tool === "firecrawl_crawl" ? { url: sitePage("/") } : {};
      const { text, isError } = await say(tool, { ...address, ...input });
      expect(text).toMatch(isPublished ? says : words);
      expect(isError).toBe(true);
    });
  });
