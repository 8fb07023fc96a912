import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult, Progress } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { PROJECT_ROOT } from "../../src/tools/wrangler.ts";
import { fresh, sitePage } from "./client.ts";

const run = promisify(execFile);
const INSPECTOR = join(PROJECT_ROOT, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");

let client: Client;
beforeAll(async () => {
  client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(`${inject("serviceUrl")}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${inject("apiKey")}` } },
  });
  // The SDK's transport declares optional fields in a way that exact optional types refuse.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
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
  expect(seen.length).toBeGreaterThan(0);
  expect(seen[0]).toMatchObject({ total: expect.any(Number), message: expect.stringContaining("pages") });
}, 90_000);

test("the inspector's command line lists the tools and calls one", async () => {
  const ask = async (...words: string[]): Promise<unknown> => {
    const server = ["--cli", `${inject("serviceUrl")}/mcp`, "--transport", "http"];
    const header = ["--header", `Authorization: Bearer ${inject("apiKey")}`];
    // A home of its own: the inspector keeps a catalogue of servers there.
    const env = { ...process.env, HOME: await mkdtemp(join(tmpdir(), "inspector-")) };
    const command = [INSPECTOR, ...server, ...words, ...header];
    const { stdout } = await run(process.execPath, command, { timeout: 30_000, env });
    return JSON.parse(stdout);
  };
  const listed = (await ask("--method", "tools/list")) as { tools: { name: string }[] };
  expect(listed.tools.map(({ name }) => name)).toContain("scrape");
  const map = ["--tool-name", "map", "--tool-arg", `url=${sitePage("/")}`, "limit=3"];
  const called = await ask("--method", "tools/call", ...map);
  expect(called).toMatchObject({ content: [{ type: "text", text: expect.stringContaining('"links"') }] });
}, 60_000);
