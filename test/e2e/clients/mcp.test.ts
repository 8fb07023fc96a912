import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult, Progress } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { fresh, sitePage } from "../client.ts";

let client: Client;
beforeAll(async () => {
  client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(`${inject("serviceUrl")}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${inject("apiKey")}` } },
  });
  // The SDK's transport declares optional fields in a way that exact optional types refuse.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  // From here on the client refuses an answer that does not fit its tool's output schema.
  const { tools } = await client.listTools();
  expect(tools.filter(({ outputSchema }) => outputSchema === undefined)).toEqual([]);
});
afterAll(() => client.close());

async function text(name: string, input: Record<string, unknown>): Promise<string> {
  const result = (await client.callTool({ name, arguments: input })) as CallToolResult;
  const lines = result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  if (result.isError === true) throw new Error(lines);
  return lines;
}

test("the SDK's client scrapes, and reads the page back", async () => {
  const page = await text("scrape", {
    url: sitePage(fresh("/articles/ferry-timetable")),
    formats: ["markdown", "links"],
  });
  expect(page).toMatch(/^# /);
  const scrapeId = /"scrapeId": "([^"]+)"/.exec(page)?.[1] ?? "";
  expect(await text("read_page", { id: scrapeId, maxCharacters: 1000 })).toContain(page.slice(0, 200));
});

test("a crawl that is waited for tells its progress and answers its pages", async () => {
  const seen: Progress[] = [];
  const result = (await client.callTool(
    { name: "crawl", arguments: { url: sitePage("/"), limit: 12, delay: 0.3, waitSeconds: 60, maxCharacters: 20_000 } },
    undefined,
    { onprogress: (progress) => void seen.push(progress), resetTimeoutOnProgress: true },
  )) as CallToolResult;
  const [head] = result.content;
  expect(head).toMatchObject({ text: expect.stringContaining('"status": "completed"') });
  expect(result.content).toHaveLength(13);
  expect(result.structuredContent).toMatchObject({ status: "completed", data: { length: 12 } });
  expect(seen[0]).toMatchObject({ message: expect.stringMatching(/^Job \S+ has started$/) });
  expect(seen[1]).toMatchObject({ total: expect.any(Number), message: expect.stringContaining("pages") });
}, 90_000);

test("the SDK's client reads every tool's schema and calls one with it", { tags: ["long"] }, async () => {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["scrape", "map", "crawl", "search"]));
  for (const { name, description, inputSchema } of tools) {
    expect(description, name).toBeTruthy();
    expect(inputSchema, name).toMatchObject({ type: "object", properties: expect.any(Object) });
  }
  expect(JSON.parse(await text("map", { url: sitePage("/"), limit: 3 }))).toMatchObject({
    links: [expect.anything(), expect.anything(), expect.anything()],
  });
});

test("a client that speaks an unknown version of the protocol, or sends no JSON, is answered by the specification", async () => {
  const ask = (body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${inject("serviceUrl")}/mcp`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${inject("apiKey")}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...headers,
      },
      body,
    });
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  expect((await ask(ping, { "MCP-Protocol-Version": "1999-01-01" })).status).toBe(400);
  const broken = await ask("{");
  expect(broken.status).toBe(400);
  expect(await broken.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32_700 } });
});
