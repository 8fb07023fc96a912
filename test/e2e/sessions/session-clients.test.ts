import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Firecrawl, SdkError } from "firecrawl";
import { browser as browserTool, interact as interactTool } from "firecrawl-aisdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";
import { startScriptedModel, type ScriptedModel, type SeenRequest } from "../../fakes/upstream/scripted-model.ts";
import { call, sitePage } from "../client.ts";
import { COMPILE_CACHE } from "../clients/programs.ts";
import { startService, type TestService } from "../service.ts";

/** A service of their own: prompts need a model, and what they do to a page is scripted. */
let service: TestService;
let model: ScriptedModel;
let home: string;
let client: Firecrawl;
beforeAll(async () => {
  model = await startScriptedModel(["Nothing to do."]);
  service = await startService({
    settings: { LLM_BASE_URL: model.url, LLM_MODEL: "scripted", LLM_API_KEY: "test", BROWSER_SESSIONS: "6" },
  });
  home = await mkdtemp(join(tmpdir(), "orbweaver-cli-"));
  client = new Firecrawl({ apiKey: service.key, apiUrl: service.url });
});
afterAll(async () => {
  await service.stop();
  await model.close();
  await rm(home, { recursive: true, force: true });
});

async function rejection(promise: Promise<unknown>): Promise<SdkError> {
  const error = await promise.then(
    (value) => new Error(`It resolved with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof SdkError) return error;
  throw error;
}

const scrapeIdOf = (metadata: Record<string, unknown> | undefined): string => String(metadata?.["scrapeId"]);

describe("the JavaScript SDK", () => {
  test("creates, runs in, lists and deletes sessions", async () => {
    const created = await client.browser({ ttl: 120 });
    const id = created.id ?? "";
    expect(created).toMatchObject({ success: true, cdpUrl: expect.stringMatching(/^ws:\/\/.*\/cdp\?token=/) });
    expect(created.interactiveLiveViewUrl).toContain("interactive=true");
    expect(Date.parse(created.expiresAt ?? "") - Date.now()).toBeGreaterThan(60_000);

    const node = await client.browserExecute(id, {
      code: `await page.goto(${JSON.stringify(sitePage("/final"))}); console.log("there"); await page.title()`,
      language: "node",
    });
    expect(node).toMatchObject({ success: true, stdout: "there\n", result: "The end of the road", exitCode: 0 });
    expect(node).not.toHaveProperty("error");
    const shell = await client.browserExecute(id, { code: "agent-browser get title" });
    expect(shell).toMatchObject({ success: true, stdout: "The end of the road\n", exitCode: 0 });
    const failing = await client.browserExecute(id, { code: "throw new Error('aground')", language: "node" });
    expect(failing).toMatchObject({ success: true, exitCode: 1, error: expect.stringContaining("aground") });

    const { sessions = [] } = await client.listBrowsers({ status: "active" });
    expect(sessions).toContainEqual(expect.objectContaining({ id, status: "active", cdpUrl: created.cdpUrl }));
    const deleted = await client.deleteBrowser(id);
    expect(deleted).toMatchObject({ success: true, sessionDurationMs: expect.any(Number), creditsBilled: 2 });
    const again = await client.deleteBrowser(id);
    expect(again.success).toBe(true);
    expect(again).not.toHaveProperty("creditsBilled");
    expect(await rejection(client.browserExecute(id, { code: "true" }))).toMatchObject({ status: 410 });
    const destroyed = await client.listBrowsers({ status: "destroyed" });
    expect(destroyed.sessions).toContainEqual(expect.objectContaining({ id, status: "destroyed" }));
  });

  test("goes on with a scrape's page, twice, and stops", { tags: ["long"] }, async () => {
    const { metadata } = await client.scrape(sitePage("/form"), {
      waitFor: 100,
      actions: [{ type: "executeJavascript", script: "window.marker = 'set by an action'; 1" }],
    });
    const id = scrapeIdOf(metadata);
    const first = await client.interact(id, { code: "await page.evaluate(() => window.marker)" });
    expect(first).toMatchObject({ success: true, result: "set by an action", exitCode: 0 });
    expect(first.liveViewUrl).toContain("/view/");
    await client.interact(id, { code: "await page.getByLabel('Your name').fill('Ada')" });
    const second = await client.interact(id, { code: "await page.getByLabel('Your name').inputValue()" });
    expect(second.result).toBe("Ada");
    const tabs = await client.interact(id, { code: "context.pages().length" });
    expect(tabs.result).toBe("1");
    expect(await client.stopInteraction(id)).toMatchObject({ success: true, sessionDurationMs: expect.any(Number) });
    expect(await rejection(client.stopInteraction(id))).toMatchObject({ status: 404 });
  });

  test("gives a prompt to the model, which works with the page", { tags: ["long"] }, async () => {
    const { metadata } = await client.scrape(sitePage("/login"));
    const id = scrapeIdOf(metadata);
    model.script(signIn());
    const answer = await client.interact(id, { prompt: "Sign in as halloran and say whose page it is" });
    expect(answer).toMatchObject({ success: true, output: "It is halloran's page.", exitCode: 0, killed: false });
    expect(answer).not.toHaveProperty("warning");
    expect(answer.stdout).toMatch(/fill @e\d+ halloran\n/);
    const where = await client.interact(id, { code: "page.url()", prompt: "Say where you are" });
    expect(where).toMatchObject({ warning: "prompt: it has no effect, since code takes precedence." });
    expect(where.result).toBe(sitePage("/account"));
    const { creditsBilled } = await client.stopInteraction(id);
    expect(creditsBilled).toBe(7);
  });

  test("is told when a scrape is not known or not its own", async () => {
    expect(await rejection(client.interact(crypto.randomUUID(), { code: "1" }))).toMatchObject({ status: 404 });
    expect(await rejection(client.interact("nonsense", { code: "1" }))).toMatchObject({ status: 400 });
    const { metadata } = await client.scrape(sitePage("/final"));
    const neither = await call(`/v2/scrape/${scrapeIdOf(metadata)}/interact`, { body: {}, service });
    expect(neither).toMatchObject({ status: 400, body: { error: "Either 'code' or 'prompt' must be provided." } });
  });
});

/** What a model would do to sign in: look for the fields in what it was shown, fill them, press the button, say so. */
function signIn() {
  let step = 0;
  return ({ said }: SeenRequest) => {
    const ref = (name: string): string => {
      const refs = said.replaceAll('\\"', '"').matchAll(new RegExp(`"${name}" \\[ref=(e\\d+)\\]`, "g"));
      return `@${[...refs].at(-1)?.[1]}`;
    };
    const steps = [
      () => ({ toolCalls: [{ name: "snapshot", input: {} }] }),
      () => ({ toolCalls: [{ name: "fill", input: { element: ref("Name"), text: "halloran" } }] }),
      () => ({ toolCalls: [{ name: "fill", input: { element: ref("Password"), text: "seven-fathoms" } }] }),
      () => ({ toolCalls: [{ name: "click", input: { element: ref("Sign in") } }] }),
    ];
    return steps[step++]?.() ?? "It is halloran's page.";
  };
}

describe("the command line program", () => {
  const CLI = join(PROJECT_ROOT, "node_modules/firecrawl-cli/dist/index.js");

  function cli(...words: string[]): Promise<{ stdout: string; stderr: string; code: number }> {
    const env = {
      ...COMPILE_CACHE,
      PATH: process.env["PATH"],
      HOME: home,
      FIRECRAWL_API_URL: service.url,
      FIRECRAWL_API_KEY: service.key,
      FIRECRAWL_NO_TELEMETRY: "1",
      NO_COLOR: "1",
    };
    return new Promise((resolve) => {
      execFile(process.execPath, [CLI, ...words], { env, timeout: 60_000 }, (error, stdout, stderr) => {
        resolve({ stdout, stderr, code: typeof error?.code === "number" ? error.code : error === null ? 0 : 1 });
      });
    });
  }

  const activeIds = async (): Promise<string[]> =>
    ((await client.listBrowsers({ status: "active" })).sessions ?? []).map(({ id }) => id);

  test("launches by itself, works on, and starts anew after the session is gone", { tags: ["long"] }, async () => {
    const before = await activeIds();
    const opened = await cli("browser", `open ${sitePage("/final")}`);
    expect(opened.stdout).toContain("The end of the road");
    const shown = await cli("browser", "snapshot -i");
    expect(shown.stdout).toMatch(/\[ref=e\d+\]/);
    const [id = "none", ...others] = (await activeIds()).filter((active) => !before.includes(active));
    expect(others).toEqual([]);
    await client.deleteBrowser(id);
    const anew = await cli("browser", `open ${sitePage("/code")}`);
    expect(anew.stdout).toContain(sitePage("/code"));
    const listed = await cli("browser", "list");
    const next = (await activeIds()).find((active) => !before.includes(active)) ?? "none";
    expect(listed.stdout).toContain(next);
  });

  test("runs agent-browser, Playwright and a shell, and closes", async () => {
    const launched = await cli("browser", "launch-session", "--ttl", "120");
    expect(launched.stdout).toMatch(/Session ID: +[0-9a-f-]{36}/);
    expect((await cli("browser", "execute", `open ${sitePage("/final")}`)).code).toBe(0);
    expect((await cli("browser", "execute", "--node", "await page.title()")).stdout).toContain("The end of the road");
    const python = await cli("browser", "execute", "--python", "print(1)");
    expect(`${python.stdout}${python.stderr}`).toContain("Use language node");
    const closed = await cli("browser", "close");
    expect(closed.code).toBe(0);
  });

  test("goes on with what it scraped", { tags: ["long"] }, async () => {
    expect((await cli("scrape", sitePage("/final"))).code).toBe(0);
    const ran = await cli("interact", "-c", "await page.title()");
    expect(ran.stdout).toContain("The end of the road");
    const stopped = await cli("interact", "stop");
    expect(stopped.code).toBe(0);
  });
});

describe("the MCP server of the clients", () => {
  test("interacts with a page by code and by prompt, and stops", async () => {
    const mcp = new Client({ name: "test", version: "1" });
    await mcp.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(PROJECT_ROOT, "node_modules/firecrawl-mcp/dist/index.js")],
        env: { PATH: process.env["PATH"] ?? "", FIRECRAWL_API_URL: service.url, FIRECRAWL_API_KEY: service.key },
        stderr: "ignore",
      }) as Parameters<Client["connect"]>[0],
    );
    try {
      const use = async (name: string, input: object): Promise<string> => {
        const { content, isError } = await mcp.callTool({ name, arguments: { ...input } });
        const text = (content as { text?: string }[]).map((part) => part.text ?? "").join("\n");
        expect(isError, text).not.toBe(true);
        return text;
      };
      model.script(["All is calm."]);
      const prompted = await use("firecrawl_interact", { url: sitePage("/final"), prompt: "Is all calm?" });
      expect(prompted).toContain("All is calm.");
      const scrapeId = /"scrapeId": *"([^"]+)"/.exec(prompted)?.[1] ?? (await newScrape());
      expect(await use("firecrawl_interact", { scrapeId, code: "await page.title()", language: "node" })).toContain(
        "The end of the road",
      );
      expect(await use("firecrawl_interact_stop", { scrapeId })).toContain("true");
    } finally {
      await mcp.close();
    }
  });

  async function newScrape(): Promise<string> {
    return scrapeIdOf((await client.scrape(sitePage("/final"))).metadata);
  }
});

describe("the AI SDK's tools", () => {
  const options = () => ({
    apiKey: service.key,
    apiUrl: service.url,
    firecrawlApiKey: service.key,
    firecrawlApiUrl: service.url,
  });
  const context = { toolCallId: "call", messages: [] };

  /** A tool's `execute` may answer in a stream, which these do not. */
  async function use(tool: object, input: object): Promise<unknown> {
    const { execute } = tool as { execute: (input: object, context: object) => Promise<unknown> };
    return execute(input, context);
  }

  test("browser runs commands of agent-browser", { tags: ["long"] }, async () => {
    const tool = browserTool(options());
    const started = await use(tool, { command: `agent-browser open ${sitePage("/final")}` });
    expect(JSON.stringify(started)).toContain("The end of the road");
    const ended = tool as unknown as { close?: () => Promise<unknown> };
    await ended.close?.();
  });

  test("interact opens a page and goes on with it", { tags: ["long"] }, async () => {
    process.env["FIRECRAWL_API_URL"] = service.url;
    const tool = interactTool(options());
    const first = await use(tool, { url: sitePage("/final"), code: "await page.title()", language: "node" });
    expect(JSON.stringify(first)).toContain("The end of the road");
    const second = await use(tool, { code: "page.url()", language: "node" });
    expect(JSON.stringify(second)).toContain("/final");
    delete process.env["FIRECRAWL_API_URL"];
  });
});

test(
  "a key may hold as many sessions as it may have jobs, and no more",
  { timeout: 60_000, tags: ["long"] },
  async () => {
    const { body } = await call("/v2/team/keys", {
      body: { name: "one at a time", maxConcurrency: 1, teamId: crypto.randomUUID() },
      service: { url: service.url, key: service.adminKey },
    });
    const own = { url: service.url, key: (body.data as unknown as { key: string }).key };
    const first = await call("/v2/browser", { body: {}, service: own });
    expect(first.status).toBe(200);
    const second = await call("/v2/browser", { body: {}, service: own });
    expect(second).toMatchObject({ status: 429, body: { error: expect.stringContaining("Queue limit reached") } });
    const { id } = JSON.parse(first.text) as { id: string };
    const foreign = await call(`/v2/browser/${id}`, { method: "DELETE", service });
    expect(foreign.status).toBe(404);
    await call(`/v2/browser/${id}`, { method: "DELETE", service: own });
    const third = await call("/v2/browser", { body: {}, service: own });
    expect(third.status).toBe(200);
    await call(`/v2/browser/${(JSON.parse(third.text) as { id: string }).id}`, { method: "DELETE", service: own });
  },
);
