import { describe, expect, test } from "vitest";
import type { Engine } from "../../../../src/engines/engine.ts";
import { emptyPageCache, memoryFiles, memoryScrapes } from "../../../fakes/memory/memory-scrapes.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { researchService } from "../../../fakes/services/research-service.ts";

const down = { status: 500 };
const arxiv = { provider: "arxiv", capability: "papers/search", options: { query: "bell", limit: 3 } };
const github = { provider: "github", capability: "repositories/search", options: { query: "bell" } };

interface Called {
  data: { alexandria: Record<string, unknown>[]; creditsCost: number };
  scrape_id: string;
}

async function run(alexandria: unknown, service = researchService(), more: object = {}) {
  const { status, body } = await service.post("/v2/scrape", { alexandria, ...more });
  return { status, body: body as typeof body & Called };
}

describe("calls of capabilities", () => {
  test("return the records of their providers, in the order of the calls", async () => {
    const { status, body } = await run([arxiv, github]);
    expect(status).toBe(200);
    expect(body.data.alexandria).toEqual([
      {
        provider: "arxiv",
        capability: "papers/search",
        creditsCost: 2,
        data: { results: [expect.objectContaining({ paperId: "arxiv:2503.01234" })] },
        records: 1,
      },
      {
        provider: "github",
        capability: "repositories/search",
        creditsCost: 2,
        data: {
          results: [{ url: "https://github.com/harrow/bell", title: "harrow/bell", description: expect.any(String) }],
        },
        records: 1,
      },
    ]);
    expect(body.data.creditsCost).toBe(4);
    expect(body.receipt).toMatchObject({ credits: 4 });
    expect(body.scrape_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(body).not.toHaveProperty("warning");
  });

  test("name a version, which has no effect, in a warning", async () => {
    const { body } = await run({ ...arxiv, version: "2" });
    expect(body).toMatchObject({ success: true, warning: expect.stringContaining("alexandria.version") });
  });

  test("name a timeout that is lowered in a warning", async () => {
    const { body } = await run(arxiv, researchService(), { timeout: 120_000 });
    expect(body).toMatchObject({ success: true, warning: expect.stringMatching(/^timeout: .* 50000 ms/) });
    const { body: usual } = await run(arxiv, researchService(), { timeout: 50_000 });
    expect(usual).not.toHaveProperty("warning");
  });

  test("a single call needs no list", async () => {
    const { body } = await run({ ...github });
    expect(body.data.alexandria).toHaveLength(1);
  });

  test("one that fails has its reason, and costs nothing", async () => {
    const unknown = { provider: "benzinga", capability: "calendar/ratings" };
    const wrong = { ...arxiv, options: { query: "bell", limit: 51 } };
    const noDay = { ...arxiv, options: { query: "bell", from: "2024-13-01" } };
    const service = researchService({ odd: { arxiv: down } });
    const { status, body } = await run([github, unknown, wrong, noDay, arxiv], service);
    expect(status).toBe(200);
    expect(body.data.creditsCost).toBe(2);
    expect(body.data.alexandria.map(({ error }) => error)).toEqual([
      undefined,
      { code: "NOT_AVAILABLE", message: expect.stringContaining("benzinga/calendar/ratings"), status: 501 },
      { code: "BAD_REQUEST", message: expect.stringContaining("options.limit"), status: 400 },
      { code: "BAD_REQUEST", message: expect.stringContaining("options.from: A date is a day"), status: 400 },
      { code: "SEARCH_FAILED", message: "No source answered: arxiv: It answered 500", status: 500 },
    ]);
  });

  test("one that ends with an unexpected error fails alone", async () => {
    const service = researchService();
    const broken = { name: "arxiv", search: () => Promise.reject(new RangeError("Invalid time value")) };
    service.deps.paperSources = [broken as unknown as (typeof service.deps.paperSources)[0]];
    const { status, body } = await run([github, arxiv], service);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ creditsCost: 2, alexandria: [{ records: 1 }, { error: { status: 500 } }] });
    const alone = await run([arxiv], service);
    expect(alone).toMatchObject({ status: 500, body: { code: "SEARCH_FAILED" } });
  });

  test.each([
    { why: "an unknown provider", call: { provider: "benzinga", capability: "x" }, status: 501, code: "NOT_AVAILABLE" },
    { why: "options that are wrong", call: { ...arxiv, options: {} }, status: 400, code: "BAD_REQUEST" },
    { why: "a provider that is away", call: arxiv, status: 500, code: "SEARCH_FAILED" },
  ])("$why alone is an error of the request", async ({ call, status, code }) => {
    const service = researchService({ odd: { arxiv: down } });
    const answer = await run([call], service);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ success: false, code });
    expect(service.deps.meter.counts.credits).toBe(0);
  });

  test.each([
    { why: "no call", alexandria: [], more: {} },
    { why: "eleven calls", alexandria: Array.from({ length: 11 }, () => arxiv), more: {} },
    { why: "options of a scrape", alexandria: arxiv, more: { formats: ["markdown"] } },
    { why: "a call without a capability", alexandria: { provider: "arxiv" }, more: {} },
  ])("$why is refused", async ({ alexandria, more }) => {
    const { status, body } = await run(alexandria, researchService(), more);
    expect(status).toBe(400);
    expect(body.success).toBe(false);
  });

  test("an x-request-id of another form is refused", async () => {
    const service = researchService();
    const bad = await service.post("/v2/scrape", { alexandria: arxiv }, { "x-request-id": "not a name" });
    expect(bad.status).toBe(400);
    expect(bad.body.error).toContain("x-request-id");
    expect(service.asked).toEqual([]);
  });
});

describe("the catalogue", () => {
  const find = async (options: object) => {
    const { status, body } = await run({ provider: "firecrawl", capability: "find-tools", options });
    expect(status).toBe(200);
    const [item] = body.data.alexandria;
    expect(item).toMatchObject({ provider: "firecrawl", capability: "find-tools", creditsCost: 0 });
    return item?.["data"] as { level: string; items: Record<string, unknown>[]; total: number; next: unknown };
  };

  const optionsOfNext = (item: Record<string, unknown> | undefined): object =>
    (item?.["next"] as { options: object } | undefined)?.options ?? {};

  test("is browsed from categories to providers to tools by following next", async () => {
    const top = await find({});
    expect(top.level).toBe("categories");
    expect(top.items.map(({ id }) => id)).toEqual(["research", "developer", "knowledge", "news", "own-pages"]);
    const providers = await find(optionsOfNext(top.items[0]));
    expect(providers.items.map(({ id }) => id)).toEqual(["openalex", "arxiv", "crossref", "pubmed"]);
    const tools = await find(optionsOfNext(providers.items[1]));
    expect(tools.items).toMatchObject([
      { id: "arxiv/papers/search", execute: { provider: "arxiv", capability: "papers/search" }, creditsCost: 2 },
    ]);
  });

  test("has its categories at GET /exchange/discover", async () => {
    const service = researchService();
    const { status, body } = await service.get("/exchange/discover");
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      cohorts: (await find({})).items.map(({ id, description }) => ({ cohort: id, about: description })),
    });
    expect(service.deps.meter.counts.credits).toBe(0);
    const searched = await service.get("/exchange/discover?query=bell");
    expect([searched.status, searched.body.code]).toEqual([501, "NOT_AVAILABLE"]);
    expect(searched.body.error).toContain("find-tools");
    expect((await testApp(service.deps).app.request("/exchange/discover")).status).toBe(401);
  });

  test("finds tools by words, by addresses and page by page, with their contracts", async () => {
    const clinical = await find({ query: "clinical trials", limit: 1, expand: ["options", "response"] });
    expect(clinical.items).toMatchObject([
      {
        id: "pubmed/papers/search",
        options: [{ name: "query", required: true }, {}, {}, {}],
        response: { key: "results" },
      },
    ]);
    expect((await find({ urls: ["https://arxiv.org/abs/1"] })).items.map(({ id }) => id)).toEqual([
      "arxiv/papers/search",
    ]);
    const page = await find({ level: "tools", limit: 3 });
    expect(page).toMatchObject({ total: 8, next: { capability: "find-tools", options: { offset: 3, limit: 3 } } });
  });
});

describe("tools of a search", () => {
  const search = async (body: object) => {
    const answer = await researchService().post("/v2/search", { query: "source code", providers: ["github"], ...body });
    return (answer.body["data"] as { tools?: Record<string, unknown>[] }).tools;
  };

  test("fit its words with the source alexandria, in as much detail as toolDetail says", async () => {
    expect(await search({ categories: ["github"] })).toBeUndefined();
    const compact = await search({ sources: ["alexandria"] });
    expect(compact?.[0]).toEqual({
      provider: "github",
      capability: "repositories/search",
      description: expect.stringContaining("source code"),
    });
    const [summary] = (await search({ sources: [{ type: "alexandria" }], toolDetail: "summary" })) ?? [];
    expect(summary).toMatchObject({ id: "github/repositories/search", creditsCost: 2, matchedBy: ["semantic"] });
    expect(summary).not.toHaveProperty("options");
    const [full] = (await search({ sources: ["alexandria"], toolDetail: "full" })) ?? [];
    expect(full).toMatchObject({ options: expect.any(Array), response: { fields: expect.any(Array) } });
  });

  test("fit the hosts of its results with domainTools", async () => {
    const tools = await search({ categories: ["github"], domainTools: true, toolDetail: "summary" });
    expect(tools).toMatchObject([
      { id: "github/repositories/search", matchedBy: ["domain"], matchedUrls: ["https://github.com/harrow/bell"] },
    ]);
  });

  test("fit the host of a scraped page with domainTools", async () => {
    const url = "https://github.com/harrow/bell";
    const body = "<main><h1>Bell</h1><p>A bell that rings.</p></main>";
    const page = {
      engine: "fetch" as const,
      statusCode: 200,
      headers: {},
      contentType: "text/html",
      body,
      warnings: [],
    };
    const engine: Engine = {
      engine: "fetch",
      provides: new Set(),
      load: async (request) => ({ kind: "loaded", page: { ...page, url: request.url } }),
    };
    const stores = { scrapes: memoryScrapes(), pageCache: emptyPageCache(), files: memoryFiles() };
    const service = researchService({ engines: [engine], ...stores });
    const scrape = async (more: object) => {
      const answer = await service.post("/v2/scrape", { url, ...more });
      return answer.body as {
        data?: { tools?: object[]; warning?: string; markdown?: string; metadata?: { scrapeId?: string } };
      };
    };
    const { data } = await scrape({ domainTools: true });
    const id = data?.metadata?.scrapeId;
    expect((await service.get(`/v2/scrape/${id}`)).body).toMatchObject({ data });
    expect(data?.tools).toMatchObject([
      { id: "github/repositories/search", creditsCost: 2, matchedBy: ["domain"], matchedUrls: [url] },
    ]);
    expect([data?.warning, data?.markdown]).toEqual([undefined, expect.stringContaining("rings")]);
    expect((await scrape({ domainTools: true, toolDetail: "compact" })).data?.tools).toEqual([
      { provider: "github", capability: "repositories/search", description: expect.any(String) },
    ]);
    expect((await scrape({})).data).not.toHaveProperty("tools");
    expect((await scrape({ url: "https://bell.example/", domainTools: true })).data).not.toHaveProperty("tools");
    expect(await scrape({ toolDetail: "everything" })).toMatchObject({ success: false });
  });
});
