import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { expect, test, vi } from "vitest";
import type { Engine } from "../../../src/engines/engine.ts";
import { mountMcp } from "../../../src/mcp/mount.ts";
import type { Caller } from "../../../src/mcp/api.ts";
import { OneAtATime } from "../../../src/mcp/one-at-a-time.ts";
import { listScrapes, readScrapeResource } from "../../../src/mcp/resources.ts";
import { TOOLS } from "../../../src/mcp/tools.ts";
import { given } from "../../fakes/given.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { callTool, mcpClient, texts } from "../../fakes/services/mcp-client.ts";
import { emptyPageCache, memoryFiles, memoryScrapes } from "../../fakes/memory/memory-scrapes.ts";
import { testApp } from "../../fakes/services/test-app.ts";
import { ADMIN_KEY, FIRST_KEY, testDeps } from "../../fakes/services/test-deps.ts";

const NIGHTS = Array.from(
  { length: 40 },
  (_, night) => `On night ${night} the orb-weaver takes its web down and eats it.`,
);
const LONG = NIGHTS.map(
  (sentence) => `<p>${sentence} Then it builds a new one, which takes about half an hour.</p>`,
).join("");
const PAGE = `<title>Webs</title><main><h1>Webs</h1>${LONG}</main>`;

/** A client of the service whose pages all hold the same article. */
async function connect({
  key = FIRST_KEY,
  creditsPerMonth,
}: { key?: string; creditsPerMonth?: number } = {}): Promise<Client> {
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
      settings: { creditsPerMonth },
    }),
  );
  return await mcpClient(app, key);
}

let listed: ReturnType<Client["listTools"]> | undefined;

/** The tools that a key without restrictions is shown. */
const allTools = (): ReturnType<Client["listTools"]> => (listed ??= connect().then((client) => client.listTools()));

test("a client without a key is refused before any tool is listed", async () => {
  await expect(connect({ key: "fc-wrong" })).rejects.toThrow(/Unauthorized/);
});

test("tools are listed with schemas that stand by themselves", async () => {
  const { tools } = await allTools();
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

test("a key that is restricted to some endpoints is shown the tools that it may call", async () => {
  const deps = testDeps();
  const body = { name: "maps", scopes: { endpoints: ["map", "crawl"] } };
  const made = (await (await testApp(deps).post("/v2/team/keys", body, { key: ADMIN_KEY })).json()) as {
    data: { key: string };
  };
  const { tools } = await (await mcpClient(testApp(deps).app, made.data.key)).listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    "read_page",
    "map",
    "crawl",
    "crawl_status",
    "crawl_urls",
    "crawl_cancel",
    "capabilities",
  ]);
});

test("every tool has an output schema that stands by itself, and the client finds that answers fit it", async () => {
  const client = await connect();
  const { tools } = await client.listTools();
  for (const { name, outputSchema } of tools) {
    expect(outputSchema, name).toMatchObject({ type: "object" });
    // A route whose response is described: any object would fit otherwise.
    expect(Object.keys(outputSchema ?? {}).length, name).toBeGreaterThan(1);
    const referred = [...JSON.stringify(outputSchema).matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, each]) => each);
    expect(Object.keys((outputSchema as { $defs?: object }).$defs ?? {}), name).toEqual(
      expect.arrayContaining(referred),
    );
  }
  // From here on the SDK refuses an answer that does not fit its tool's schema.
  const { structuredContent: page } = await callTool(client, "scrape", { url: "https://a.example/webs" });
  expect(page).toMatchObject({ success: true, data: { metadata: { title: "Webs" } } });
  const { structuredContent: cut } = await callTool(client, "scrape", {
    url: "https://a.example/webs",
    maxCharacters: 1000,
  });
  expect(JSON.stringify(cut).length).toBeLessThan(4000);
  expect(cut).toMatchObject({ data: { markdown: expect.stringMatching(/^# Webs[^]{900,1000}…$/) } });
  const failed = await callTool(client, "scrape", { url: "no address" });
  expect(failed).toMatchObject({ isError: true });
  expect(failed.structuredContent).toBeUndefined();
  expect(await callTool(client, "capabilities", {})).toMatchObject({ structuredContent: { success: true } });
});

test("a tool offers every field that it names: its route knows them all", async () => {
  const { tools } = await allTools();
  for (const { name, inputSchema } of tools) {
    const fields = TOOLS.find((tool) => tool.name === name)?.fields ?? [];
    expect(Object.keys(inputSchema.properties ?? {}), name).toEqual(expect.arrayContaining([...fields]));
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

async function post(body: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${FIRST_KEY}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const { app } = testApp(testDeps());
  mountMcp(app);
  return await app.request("/mcp", { method: "POST", headers, body });
}

test("the texts of a large page are cut to a million characters together", async () => {
  const texts = { markdown: "m".repeat(900_000), html: "h".repeat(900_000), metadata: { title: "Large" } };
  const caller = { call: async () => ({ isSuccess: true, status: 200, body: { success: true, data: texts } }) };
  const read = await readScrapeResource(caller as unknown as Caller, "orbweaver://scrapes/1");
  const [markdown = "", rest = ""] = given(read).contents.map((content) => ("text" in content ? content.text : ""));
  expect(markdown).toMatch(/^m+…$/);
  expect(JSON.parse(rest)).toMatchObject({ html: expect.stringMatching(/^h+…$/), metadata: { title: "Large" } });
  expect(markdown.length + rest.length).toBeLessThan(1_001_000);
});

test("scrapes that cannot be listed are an error, and not an empty list", async () => {
  const caller = { call: async () => ({ isSuccess: false, status: 429, body: { error: "Too many requests" } }) };
  await expect(listScrapes(caller, undefined)).rejects.toThrow("Too many requests");
});

test("scrapes that failed are not listed: nothing of them can be read", async () => {
  const data = [
    { id: "1", target: "https://a.example/", created_at: "2026-11-30T00:00:00.000Z", succeeded: true },
    { id: "2", target: "https://b.example/", created_at: "2026-11-30T00:00:00.000Z", succeeded: false },
  ];
  const caller = { call: async () => ({ isSuccess: true, status: 200, body: { success: true, data } }) };
  const { resources } = await listScrapes(caller, undefined);
  expect(resources.map(({ uri }) => uri)).toEqual(["orbweaver://scrapes/1"]);
});

test("a scrape that cannot be read now is an error, and one that is unknown is not there", async () => {
  const callerWith = (status: number) => ({
    call: async () => ({ isSuccess: false, status, body: { error: "Too many requests" } }),
  });
  const uri = "orbweaver://scrapes/1";
  await expect(readScrapeResource(callerWith(429), uri)).rejects.toThrow("Too many requests");
  expect(await readScrapeResource(callerWith(404), uri)).toBeUndefined();
});

test("a request of more than twenty messages is refused, one of twenty is answered", async () => {
  const answer = async (count: number) => {
    const messages = Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
    return await post(JSON.stringify(messages));
  };
  const refused = await answer(21);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    error: { code: -32_600, message: expect.stringContaining("20 messages") },
  });
  expect((await answer(20)).status).toBe(200);
  const broken = await post("{");
  expect([broken.status, await broken.json()]).toMatchObject([400, { error: { code: -32_700 } }]);
});

test("the work of one owner runs one after another, that of another owner beside it", async () => {
  const turns = new OneAtATime();
  const seen: string[] = [];
  const work = (owner: string, name: string, fails = false) =>
    turns.run(owner, async () => {
      seen.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
    });
  const all = await Promise.allSettled([work("a", "1", true), work("a", "2"), work("b", "3")]);
  expect(all.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(seen.indexOf("2 begins")).toBeGreaterThan(seen.indexOf("1 ends"));
  expect(seen.indexOf("3 begins")).toBeLessThan(seen.indexOf("1 ends"));
});

test("requests that were cancelled while they worked or waited do not stop the line of their owner", async () => {
  vi.useFakeTimers();
  try {
    const turns = new OneAtATime();
    void turns.run("a", () => new Promise(() => undefined));
    void turns.run("a", async () => expect.unreachable());
    await vi.advanceTimersByTimeAsync(0);
    // The runtime ends the timers of cancelled requests and never goes on with them.
    vi.clearAllTimers();
    let isDone = false;
    const live = turns.run("a", async () => (isDone = true));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(isDone).toBe(false);
    await vi.advanceTimersByTimeAsync(4_000);
    await live;
    expect(isDone).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test("a request whose client leaves does not wait for its turn, and its work is not begun", async () => {
  const turns = new OneAtATime();
  const first = Promise.withResolvers<void>();
  const running = turns.run("a", () => first.promise);
  const leaving = new AbortController();
  const waiting = turns.run("a", async () => expect.unreachable(), leaving.signal);
  leaving.abort();
  await expect(waiting).rejects.toMatchObject({ code: "SCRAPE_TIMEOUT" });
  first.resolve();
  await running;
  expect(await turns.run("a", async () => "next")).toBe("next");
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
  { why: "an id of half a character", name: "read_page", input: { id: "7\ud800" }, says: /valid UUID/ },
  { why: "a limit out of bounds", name: "scrape", input: { url: "https://a.example", maxCharacters: 1 }, says: /1000/ },
  {
    why: "too large a limit",
    name: "read_page",
    input: { id: "00000000-0000-4000-8000-000000000000", maxCharacters: 1_000_001 },
    says: /1000000/,
  },
])("$why comes back as the tool's error, in words", async ({ name, input, says }) => {
  const client = await connect();
  const result = await callTool(client, name, input);
  expect(result.isError).toBe(true);
  expect(texts(result).join("\n")).toMatch(says);
});

test.each([
  { name: "scrape", input: { url: "https://a.example/webs" } },
  { name: "crawl", input: { url: "https://a.example", limit: 3, waitSeconds: 5 } },
])("$name without the credits for it is the tool's error, with the code", async ({ name, input }) => {
  const client = await connect({ creditsPerMonth: 0 });
  const result = await callTool(client, name, input);
  expect(result.isError).toBe(true);
  expect(texts(result).join("\n")).toMatch(/^Insufficient credits.* \(INSUFFICIENT_CREDITS\)$/m);
});

test("a tool that is not there is refused", async () => {
  const client = await connect();
  await expect(client.callTool({ name: "rm" })).rejects.toThrow(/no tool named rm/);
});

test("a message counts against the key's limit, and costs no credits", async () => {
  const deps = testDeps();
  const { app } = testApp({ ...deps, settings: { ...deps.settings, rateLimitPerMinute: 2 } });
  mountMcp(app);
  const headers = {
    authorization: `Bearer ${FIRST_KEY}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
  const send = () => app.request("/mcp", { method: "POST", headers, body: JSON.stringify(cancelled) });
  const first = await send();
  expect(first.status).toBe(202);
  expect(first.headers.get("X-RateLimit-Remaining")).toBe("1");
  await send();
  const refused = await send();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  const usage = await app.request("/v2/team/credit-usage", { headers });
  expect(usage.status).toBe(429);
});

test("GET is answered 405: there is no stream to open", async () => {
  const { app, ask } = testApp();
  mountMcp(app);
  const response = await ask("/mcp");
  expect(response.status).toBe(405);
  expect(response.headers.get("Allow")).toBe("POST, DELETE");
});
