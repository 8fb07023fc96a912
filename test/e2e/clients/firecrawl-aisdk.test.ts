import { FirecrawlTools } from "firecrawl-aisdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { scraped, sitePage } from "../client.ts";

/** The tools that follow a job are made without an address, and read it from the environment. */
let tools: ReturnType<typeof allTools>;
beforeAll(() => {
  process.env["FIRECRAWL_API_URL"] = inject("serviceUrl");
  process.env["FIRECRAWL_API_KEY"] = inject("apiKey");
  tools = allTools();
});
afterAll(() => {
  delete process.env["FIRECRAWL_API_URL"];
  delete process.env["FIRECRAWL_API_KEY"];
});

const allTools = () =>
  FirecrawlTools({ apiKey: inject("apiKey"), apiUrl: inject("serviceUrl"), all: true, browser: {} });

/** What a tool answers to a model that calls it so. */
async function use(name: string, input: object): Promise<Record<string, unknown>> {
  const tool = (tools as unknown as Record<string, { execute: (input: object, context: object) => unknown }>)[name];
  return (await tool?.execute(input, { toolCallId: "call", messages: [] })) as Record<string, unknown>;
}

describe("the published tools for the AI SDK", () => {
  test("are all there", () => {
    const names = ["agent", "batchScrape", "browser", "cancel", "crawl", "interact", "map", "poll", "scrape", "search"];
    expect(Object.keys(tools)).toEqual(expect.arrayContaining([...names, "status"]));
  });

  test("scrape reads a page, and asks it", async () => {
    const page = await use("scrape", { url: sitePage("/final"), proxy: "auto", location: { country: "US" } });
    expect(page["markdown"]).toContain("# You have arrived");
    const prompt = "How many seeds are lying on the flats south of the mole?";
    const asked = await use("scrape", { url: sitePage("/articles/seagrass"), formats: [{ type: "query", prompt }] });
    expect(asked["answer"]).toContain("two hundred thousand");
  });

  test("search finds, with options on a source and formats that need more than a page", async () => {
    await scraped("/articles/seagrass");
    await expect
      .poll(async () => JSON.stringify(await use("search", { query: "seagrass" })), { timeout: 10_000 })
      .toContain("/articles/seagrass");
    const found = await use("search", {
      query: "seagrass",
      limit: 1,
      sources: [{ type: "web" }, { type: "news", tbs: "qdr:y", location: "Germany" }],
      scrapeOptions: { formats: ["markdown", "changeTracking"] },
    });
    expect(found["web"]).toEqual([expect.objectContaining({ markdown: expect.any(String) })]);
  });

  test("map lists URLs", async () => {
    const { links } = await use("map", { url: sitePage("/"), limit: 4 });
    expect(links).toHaveLength(4);
  });

  test("batchScrape waits for its pages", async () => {
    const batch = await use("batchScrape", { urls: [sitePage("/final"), sitePage("/images")] });
    expect(batch).toMatchObject({ status: "completed", completed: 2, total: 2 });
    expect(batch["data"]).toHaveLength(2);
  });

  test("crawl starts, and its state is read, followed and cancelled", async () => {
    const { id } = await use("crawl", { url: sitePage("/"), limit: 2, sitemap: "skip" });
    expect(await use("poll", { jobId: id, jobType: "crawl" })).toMatchObject({ status: "completed", total: 2 });
    expect(await use("status", { id, jobType: "crawl" })).toMatchObject({ status: "completed" });
    const slow = await use("crawl", { url: sitePage("/tree/"), limit: 50, sitemap: "skip", delay: 1 });
    await use("cancel", { jobId: slow["id"], jobType: "crawl" });
    expect(await use("status", { id: slow["id"], jobType: "crawl" })).toMatchObject({ status: "cancelled" });
  });

  test("agent starts", async () => {
    const started = await use("agent", { prompt: "Where does the road end?", urls: [sitePage("/final")] });
    expect(JSON.stringify(started)).toMatch(/"(?:id|jobId)":"[0-9a-f-]{36}"/);
  });

  test("interact opens a page and goes on with it without its address", { tags: ["long"] }, async () => {
    const first = await use("interact", { url: sitePage("/final"), code: "await page.title()", language: "node" });
    expect(JSON.stringify(first)).toContain("The end of the road");
    const second = await use("interact", { code: "page.url()", language: "node" });
    expect(JSON.stringify(second)).toContain("/final");
    await (tools.interact as unknown as { close?: () => Promise<unknown> }).close?.();
  });

  test("browser opens a page by command", { tags: ["long"] }, async () => {
    const opened = await use("browser", { command: `agent-browser open ${sitePage("/final")}` });
    expect(JSON.stringify(opened)).toContain("The end of the road");
    await (tools.browser as unknown as { close?: () => Promise<unknown> }).close?.();
  });
});
