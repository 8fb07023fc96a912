import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect, test } from "vitest";
import type { Engine } from "../../../src/engines/engine.ts";
import { mountMcp } from "../../../src/mcp/mount.ts";
import { TOOLS } from "../../../src/mcp/tools.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { emptyPageCache, memoryFiles, memoryScrapes } from "../../fakes/memory-scrapes.ts";
import { testApp } from "../../fakes/test-app.ts";
import { FIRST_KEY, testDeps } from "../../fakes/test-deps.ts";

const NIGHTS = Array.from(
  { length: 40 },
  (_, night) => `On night ${night} the orb-weaver takes its web down and eats it.`,
);
const LONG = NIGHTS.map(
  (sentence) => `<p>${sentence} Then it builds a new one, which takes about half an hour.</p>`,
).join("");
const PAGE = `<title>Webs</title><main><h1>Webs</h1>${LONG}</main>`;

const clients: Client[] = [];
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

/** A client of the real SDK that speaks to the service in-process; its pages all hold the same article. */
async function connect(key = FIRST_KEY): Promise<Client> {
  const engine: Engine = {
    engine: "fetch",
    provides: new Set(),
    load: async ({ url }) => ({
      kind: "loaded",
      page: { engine: "fetch", url, statusCode: 200, headers: {}, contentType: "text/html", body: PAGE, warnings: [] },
    }),
  };
  const { app } = testApp(
    testDeps({
      clock: fixedClock(),
      engines: [engine],
      scrapes: memoryScrapes(),
      pageCache: emptyPageCache(),
      files: memoryFiles(),
    }),
  );
  mountMcp(app);
  const transport = new StreamableHTTPClientTransport(new URL("https://api.example/mcp"), {
    fetch: async (url, init) => await app.request(String(url), init),
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  });
  const client = new Client({ name: "test", version: "1" });
  clients.push(client);
  // The SDK's transport declares optional fields in a way that exact optional types refuse.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return client;
}

async function callTool(client: Client, name: string, input: Record<string, unknown>): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: input })) as CallToolResult;
}

function texts(result: CallToolResult): string[] {
  return result.content.map((part) => (part.type === "text" ? part.text : ""));
}

test("a client without a key is refused before any tool is listed", async () => {
  await expect(connect("fc-wrong")).rejects.toThrow(/Unauthorized/);
});

test("tools are listed with schemas that stand by themselves", async () => {
  const client = await connect();
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(TOOLS.map(({ name }) => name).filter((name) => names.includes(name)));
  expect(names).toEqual(expect.arrayContaining(["scrape", "read_page", "search", "map", "crawl", "batch_scrape"]));
  const scrape = tools.find(({ name }) => name === "scrape");
  expect(scrape?.inputSchema.required).toEqual(["url"]);
  expect(Object.keys(scrape?.inputSchema.properties ?? {})).toEqual(
    expect.arrayContaining(["formats", "maxCharacters"]),
  );
  const text = JSON.stringify(tools);
  expect(text).not.toContain("#/components/");
  for (const tool of tools) {
    const schema = tool.inputSchema as { $defs?: object };
    const referred = [...JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, name]) => name);
    expect(Object.keys(schema.$defs ?? {})).toEqual(expect.arrayContaining(referred));
  }
});

test("scrape answers the page's markdown, then its metadata", async () => {
  const client = await connect();
  const result = await callTool(client, "scrape", { url: "https://a.example/webs" });
  const [markdown, rest] = texts(result);
  expect(markdown).toMatch(/^# Webs\n/);
  expect(JSON.parse(rest ?? "")).toMatchObject({ metadata: { title: "Webs", sourceURL: "https://a.example/webs" } });
});

test("a long page is cut, and read_page reads on from there", async () => {
  const client = await connect();
  const [whole = ""] = texts(await callTool(client, "scrape", { url: "https://a.example/webs" }));
  const [start = "", rest = ""] = texts(
    await callTool(client, "scrape", { url: "https://a.example/webs", maxCharacters: 1000 }),
  );
  const { scrapeId } = (JSON.parse(rest) as { metadata: { scrapeId: string } }).metadata;
  expect(start).toContain(`read on with read_page, id ${scrapeId}, offset 1000`);
  const [end = ""] = texts(await callTool(client, "read_page", { id: scrapeId, offset: 1000 }));
  expect(start.slice(0, 1000) + end).toBe(whole);
});

test("a page that was scraped is a resource", async () => {
  const client = await connect();
  const [, rest = ""] = texts(await callTool(client, "scrape", { url: "https://a.example/webs" }));
  const { scrapeId } = (JSON.parse(rest) as { metadata: { scrapeId: string } }).metadata;
  const { contents } = await client.readResource({ uri: `orbweaver://scrapes/${scrapeId}` });
  expect(contents[0]).toMatchObject({ mimeType: "text/markdown", text: expect.stringMatching(/^# Webs/) });
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates).toMatchObject([{ uriTemplate: "orbweaver://scrapes/{id}" }]);
});

test("a resource that is not there is an error, not an empty page", async () => {
  const client = await connect();
  await expect(
    client.readResource({ uri: "orbweaver://scrapes/00000000-0000-4000-8000-000000000000" }),
  ).rejects.toThrow(/no resource/);
});

test.each([
  { why: "an unknown field", name: "scrape", input: { url: "https://a.example", foo: 1 }, says: /BAD_REQUEST/ },
  { why: "no url", name: "scrape", input: {}, says: /url/ },
  { why: "an id that is none", name: "read_page", input: { id: "7" }, says: /valid UUID/ },
  { why: "a limit out of bounds", name: "scrape", input: { url: "https://a.example", maxCharacters: 1 }, says: /1000/ },
])("$why comes back as the tool's error, in words", async ({ name, input, says }) => {
  const client = await connect();
  const result = await callTool(client, name, input);
  expect(result.isError).toBe(true);
  expect(texts(result).join("\n")).toMatch(says);
});

test("a tool that is not there is refused", async () => {
  const client = await connect();
  await expect(client.callTool({ name: "rm" })).rejects.toThrow(/no tool named rm/);
});

test.each(["GET", "DELETE"])("%s is answered 405: there are no sessions", async (method) => {
  const { app, ask } = testApp();
  mountMcp(app);
  const response = await ask("/mcp", { method });
  expect(response.status).toBe(405);
  expect(response.headers.get("Allow")).toBe("POST");
});
