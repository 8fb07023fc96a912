import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Firecrawl, SdkError, type Document } from "firecrawl";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { call, sitePage } from "../client.ts";
import { startProviderServer, type ProviderServer } from "./provider-server.ts";
import { searxMissing, startSearx, type Searx } from "./searx-server.ts";
import { startService, type TestService } from "../service.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Nothing listens there: what is sent to it fails as if there were no network. */
const NOWHERE = "http://127.0.0.1:9";

let providers: ProviderServer;
let service: TestService;
let client: Firecrawl;
let searx: Searx | undefined;

beforeAll(async () => {
  providers = await startProviderServer(inject("siteUrl"));
  const at = (name: string): string => `${name}=${providers.url}/${name}`;
  if (searxMissing === undefined) {
    searx = await startSearx([
      { url: "https://harrow.example/bell.pdf", title: "The bell", content: "Of <b>Harrow</b>" },
    ]);
  } else console.log(`The tests with searx are skipped: ${searxMissing}`);
  service = await startService({
    settings: {
      AUTH_DISABLED: "true",
      SEARCH_PROVIDERS:
        "web=merge(own-index,wikipedia); images=openverse; news=gdelt,hacker-news; github=github; research=arxiv,own-index; pdf=searxng",
      SEARXNG_URL: searx?.url ?? NOWHERE,
      SEARCH_PROVIDER_URLS: [
        ...["openverse", "hacker-news", "github", "arxiv"].map(at),
        `wikipedia=${NOWHERE}`,
        `gdelt=${NOWHERE}`,
      ].join(";"),
    },
  });
  client = new Firecrawl({ apiKey: service.key, apiUrl: service.url });
  for (const page of ["/articles/ferry-timetable", "/articles/seagrass", "/articles/bell-foundry"])
    await client.scrape(sitePage(page));
  await found("seagrass", "/articles/seagrass");
  await found("ferry", "/articles/ferry-timetable");
  await found("foundry", "/articles/bell-foundry");
});

afterAll(async () => {
  await service?.stop();
  await searx?.stop();
  await providers?.close();
});

async function search(body: object, path = "/v2/search") {
  const answer = await call(path, { service, body });
  return { ...answer, body: answer.body as unknown as SearchBody };
}

interface SearchBody {
  success: boolean;
  data: { web?: { url: string; provider: string; description: string; markdown?: string }[] };
  id: string;
  error?: string;
  warning?: string;
  scrapeIds?: { web: string[] };
}

/** Waits until a page is found: it is written into the index after the answer. */
async function found(query: string, page: string): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    if (urlsOf(await search({ query, limit: 50 })).includes(sitePage(page))) return;
    await sleep(250);
  }
  throw new Error(`${page} is not found by ${query}`);
}

const urlsOf = ({ body }: { body: SearchBody }): string[] => (body.data.web ?? []).map(({ url }) => url);

describe("a first start without any network", () => {
  test("search finds what was scraped, and names who found it", async () => {
    const { status, body } = await search({ query: "sowing seagrass under water" });
    expect(status).toBe(200);
    const [first] = body.data.web ?? [];
    expect(first).toMatchObject({ url: sitePage("/articles/seagrass"), provider: "own-index", position: 1 });
    expect(first?.description.toLowerCase()).toContain("seagrass");
  });

  test.each([
    { query: '"bell foundry"', page: "/articles/bell-foundry" },
    { query: "site:127.0.0.1 ferry", page: "/articles/ferry-timetable" },
  ])("it understands $query", async ({ query, page }) => {
    expect(urlsOf(await search({ query }))[0]).toBe(sitePage(page));
  });

  test("what nobody has is an empty answer, and what nobody could be asked for is an error", async () => {
    const none = await search({ query: "xylophonist", providers: ["own-index"] });
    expect(none.status).toBe(200);
    expect(none.body.data).toEqual({});
    const unreachable = await search({ query: "xylophonist" });
    expect(unreachable.status).toBe(500);
    expect(unreachable.body).toMatchObject({
      code: "SEARCH_FAILED",
      error: expect.stringContaining("wikipedia: It could not be reached"),
    });
    const failed = await search({
      query: "ferry",
      sources: ["images"],
      includeDomains: ["nowhere.example"],
      timeout: 5000,
    });
    expect(failed.body.data).toEqual({});
  });
});

describe("indexing", () => {
  test("takes the pages of crawls and batches along", async () => {
    await client.crawl(sitePage("/docs/"), { limit: 10, pollInterval: 1 });
    await found("configuration", "/docs/configuration");
    await client.batchScrape([sitePage("/lists"), sitePage("/forum/leaking-skylight")], { pollInterval: 1 });
    await found("site:127.0.0.1", "/forum/leaking-skylight");
  });

  test("leaves out what is not to be kept, and what is not there", async () => {
    await client.scrape(sitePage("/tables"), { storeInCache: false });
    await client.scrape(sitePage("/status/404"));
    await client.scrape(sitePage("/images"));
    await found("site:127.0.0.1", "/images");
    const urls = urlsOf(await search({ query: "site:127.0.0.1", limit: 50 }));
    expect(urls).not.toContain(sitePage("/tables"));
    expect(urls).not.toContain(sitePage("/status/404"));
  });
});

describe("the JavaScript SDK", () => {
  test("searches the web, news and images", async () => {
    const answer = await client.search("ferry", { sources: ["web", "news", "images"], limit: 3 });
    expect(answer.web?.[0]).toMatchObject({ url: sitePage("/articles/ferry-timetable"), position: 1 });
    expect(answer.news?.[0]).toMatchObject({
      title: "The ferry",
      url: sitePage("/articles/ferry-timetable"),
      date: expect.stringMatching(/^\d+ \w+ ago$/),
      publishedDate: "2026-11-01T00:00:00Z",
    });
    expect(answer.images?.[0]).toMatchObject({
      imageUrl: sitePage("/img/640x480/ferry.png"),
      imageWidth: 640,
      imageHeight: 480,
      url: sitePage("/articles/ferry-timetable"),
    });
  });

  test("scrapes what it finds", async () => {
    const { web } = await client.search("ferry", { limit: 1, scrapeOptions: { formats: ["markdown", "links"] } });
    expect(web?.[0]).toMatchObject({ markdown: expect.stringContaining("ferry"), links: expect.any(Array) });
    expect((web?.[0] as Document | undefined)?.metadata).toMatchObject({
      statusCode: 200,
      scrapeId: expect.stringMatching(UUID),
    });
  });

  test("keeps what fails and says what was not ready", { tags: ["long"] }, async () => {
    const options = {
      categories: ["github" as const],
      timeout: 8000,
      scrapeOptions: { formats: ["markdown" as const] },
    };
    const { web } = await client.search("bells", options);
    const metadata = web?.map((item) => ("metadata" in item ? item.metadata : undefined));
    expect(metadata?.[0]).toMatchObject({ statusCode: 200 });
    expect(metadata?.[1]).toMatchObject({ statusCode: 500 });
    expect(metadata?.[2]).toMatchObject({ statusCode: 408, error: expect.stringContaining("not ready") });
  });

  test("sends what other services know and this one does not", async () => {
    const extra = { toolDetail: "compact", domainTools: true, sources: ["web", "alexandria"] } as const;
    const { web } = await client.search("ferry", { ...extra, sources: [...extra.sources], limit: 1 });
    expect(web).toHaveLength(1);
  });

  test("is told what is wrong", async () => {
    const error: unknown = await client.search("ferry", { limit: 1000 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SdkError);
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining("Invalid request body") });
  });
});

describe.skipIf(searxMissing !== undefined)("a real searx", () => {
  const pdfs = (query: string) => search({ query, categories: ["pdf"] });

  test("answers, and is named", async () => {
    const { body } = await pdfs("bell");
    expect(body.data.web).toEqual([
      expect.objectContaining({ url: "https://harrow.example/bell.pdf", title: "The bell", provider: "searxng" }),
    ]);
  });

  test("may have nothing", async () => {
    const { status, body } = await pdfs("nothing");
    expect(status).toBe(200);
    expect(body.data).toEqual({});
  });

  test("that is gone is an error in words", async () => {
    await searx?.stop();
    searx = undefined;
    const { status, body } = await pdfs("bell");
    expect(status).toBe(500);
    expect(body.error).toContain("searxng: It could not be reached");
  });
});

test("a provider that is rate-limited is left alone", async () => {
  const asked = () => providers.seen.filter((path) => path.startsWith("/arxiv/")).length;
  await search({ query: "ferry", categories: ["research"] });
  expect(asked()).toBe(1);
  await search({ query: "ferry", categories: ["research"] });
  expect(asked()).toBe(1);
});

test("scrapes that are asked for later can be read under their ids, and do not wait for one that takes long", async () => {
  const later = async (query: string, options: object = {}) => {
    const scrapeOptions = { formats: ["markdown"], ...options };
    const { body } = await search({ query, limit: 1, asyncScraping: true, scrapeOptions });
    expect(body.data.web?.[0]).not.toHaveProperty("markdown");
    const [id = ""] = body.scrapeIds?.web ?? [];
    return async (): Promise<string> => (await call(`/v2/scrape/${id}`, { service })).body.data.markdown ?? "";
  };
  const slow = await later("seagrass", { waitFor: 10_000, maxAge: 0 });
  const quick = await later("ferry");
  await expect.poll(quick, { timeout: 8_000 }).toContain("ferry");
  expect(await slow()).toBe("");
  await expect.poll(slow, { timeout: 30_000 }).toContain("seagrass");
});

test("feedback on a search is taken", async () => {
  const { body } = await search({ query: "ferry" });
  const feedback = { rating: "good", valuableSources: [{ url: sitePage("/articles/ferry-timetable") }] };
  const { status, body: answer } = await search(feedback, `/v2/search/${body.id}/feedback`);
  expect(status).toBe(200);
  expect(answer).toMatchObject({ success: true, alreadySubmitted: false });
});

test("version 1 answers one list", async () => {
  const { status, body } = await search({ query: "ferry" }, "/v1/search");
  expect(status).toBe(200);
  expect((body.data as unknown as { url: string }[])[0]?.url).toBe(sitePage("/articles/ferry-timetable"));
});

describe("the MCP server's search", () => {
  const program = join(import.meta.dirname, "../../../node_modules/firecrawl-mcp/dist/index.js");

  async function searchByMcp(env: Record<string, string>): Promise<{ isError: boolean; text: string }> {
    const mcp = new Client({ name: "orbweaver-test", version: "1.0.0" });
    const path = { PATH: process.env["PATH"] ?? "" };
    await mcp.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [program],
        env: { ...path, ...env },
        stderr: "ignore",
      }),
    );
    try {
      const result = await mcp.callTool({ name: "firecrawl_search", arguments: { query: "seagrass", limit: 2 } });
      const content = result.content as { type: string; text?: string }[];
      return { isError: result.isError === true, text: content.map(({ text = "" }) => text).join("\n") };
    } finally {
      await mcp.close();
    }
  }

  test.each([
    { who: "with a key", env: () => ({ FIRECRAWL_API_KEY: service.key }) },
    { who: "without a key", env: () => ({}) },
  ])("works $who", async ({ env }) => {
    const { isError, text } = await searchByMcp({ FIRECRAWL_API_URL: service.url, ...env() });
    expect(isError, text).toBe(false);
    expect(text).toContain(sitePage("/articles/seagrass"));
  });
});
