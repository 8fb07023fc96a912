import { describe, expect, test } from "vitest";
import { createOwnIndex } from "../../../../src/search/providers/web/own-index.ts";
import { parseProviderOrder } from "../../../../src/search/provider-order.ts";
import { DEFAULT_TEAM_ID } from "../../../../src/services/account/bootstrap-keys.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { memoryFeedback } from "../../../fakes/memory/memory-feedback.ts";
import { memoryPageIndex } from "../../../fakes/memory/memory-page-index.ts";
import { hit, searchService } from "../../../fakes/services/search-service.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe("POST /v2/search", () => {
  test("finds what the caller's team has read and nothing of other teams", async () => {
    const clock = fixedClock();
    const pages = memoryPageIndex();
    const fields = { description: "", language: "en", fileType: "html", datedAtMs: 1_700_000_000_000, scrapeId: "a" };
    const options = { nowMs: clock.now(), retentionMs: 1 };
    const own = { ...fields, url: "https://a.example/ferry", title: "Ferry", body: "The ferry sails at nine." };
    await pages.put(DEFAULT_TEAM_ID, [own], options);
    await pages.put("another-team", [{ ...own, url: "https://c.example/" }], options);
    const searchProviders = [createOwnIndex({ pages, clock, retentionMs: 86_400_000 })];
    const { post } = testApp(testDeps({ clock, pageIndex: pages, searchProviders, feedback: memoryFeedback() }));
    const response = await post("/v2/search", { query: "ferry" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      success: true,
      data: {
        web: [
          {
            url: "https://a.example/ferry",
            title: "Ferry",
            description: "The ferry sails at nine.",
            date: "2023-11-14T22:13:20.000Z",
            position: 1,
            provider: "own-index",
            scrapeId: "a",
          },
        ],
      },
      creditsUsed: 2,
      id: expect.stringMatching(UUID),
    });
  });

  test.each([
    { fields: { asyncScraping: true }, warning: "asyncScraping: it has no effect without formats in scrapeOptions." },
    { fields: { sources: [] }, warning: "sources: the list is empty, so neither web, images nor news were searched." },
    { fields: { asyncScraping: false, scrapeOptions: { formats: [] } }, warning: undefined },
    {
      fields: {
        sources: [
          { type: "web", tbs: "qdr:d" },
          { type: "web", tbs: "qdr:y" },
        ],
      },
      warning: "sources: web is listed more than once; the options of its first entry apply.",
    },
    { fields: { sources: ["web", "web"] }, warning: undefined },
  ])("names in the warning what has no effect of $fields", async ({ fields, warning }) => {
    const { search } = searchService([hit("https://a.example/")]);
    const { status, answer } = await search(fields);
    expect(status).toBe(200);
    expect(answer.warning).toBe(warning);
  });

  test("leaves empty groups out, and costs nothing when nothing was found", async () => {
    const { search } = searchService([]);
    const { status, answer } = await search({ sources: ["web", "news"] });
    expect(status).toBe(200);
    expect(answer).toMatchObject({ success: true, data: {}, creditsUsed: 0 });
  });

  test("is an error that says so when nobody can be asked", async () => {
    const { search } = searchService([], { settings: { searchOrder: parseProviderOrder("serper") } });
    const { status, answer } = await search({});
    expect(status).toBe(500);
    expect(answer).toMatchObject({ success: false, code: "SEARCH_FAILED" });
  });

  test.each(["/v1/search", "/v2/search"])("lowers a timeout that is too long, at %s", async (path) => {
    const { search } = searchService([hit("https://a.example/1")]);
    const { answer } = await search({ timeout: 300_001 }, path);
    expect(answer.warning).toBe("timeout: it was lowered to 300000 ms, the longest that a search may take.");
    expect((await search({ timeout: 300_000 }, path)).answer).not.toHaveProperty("warning");
  });

  test("costs two credits for every ten results", async () => {
    const { search } = searchService(Array.from({ length: 11 }, (_, index) => hit(`https://a.example/${index}`)));
    const { answer } = await search({ limit: 20 });
    expect(answer.creditsUsed).toBe(4);
    expect(answer.receipt).toMatchObject({ credits: 4 });
  });

  test.each([
    { why: "no query", body: { query: undefined } },
    { why: "an empty query", body: { query: "  " } },
    { why: "a key that is unknown", body: { querry: "x" } },
    { why: "a limit of none", body: { limit: 0 } },
    { why: "a limit over the maximum", body: { limit: 101 } },
    { why: "a source that is unknown", body: { sources: ["videos"] } },
    { why: "sources of both forms", body: { sources: ["web", { type: "news" }] } },
    { why: "a category that is unknown", body: { categories: ["gossip"] } },
    { why: "developer beside another category", body: { categories: ["developer", "github"] } },
    { why: "domains both ways", body: { includeDomains: ["a.example"], excludeDomains: ["b.example"] } },
    { why: "a domain that is an address", body: { includeDomains: ["https://a.example/path"] } },
    { why: "no time", body: { timeout: 0 } },
    {
      why: "an option of a scrape that is unknown",
      body: { scrapeOptions: { formats: ["markdown"], waitForever: true } },
    },
    { why: "an integration that is unknown", body: { integration: "nobody" } },
  ])("refuses $why in its own words", async ({ body }) => {
    const { search } = searchService([]);
    const { status, answer } = await search(body);
    expect(status).toBe(400);
    expect(answer).toMatchObject({
      success: false,
      error: expect.stringMatching(/^Invalid request body: .+/),
      details: expect.any(Array),
    });
    expect(answer).not.toHaveProperty("code");
  });

  test("refuses a provider that the deployment does not have, and names those that it has", async () => {
    const { search, deps } = searchService([hit("https://a.example/")]);
    const { status, answer } = await search({ providers: ["brave", "altavista"] });
    expect(status).toBe(400);
    expect(answer).toMatchObject({ error: "providers: this deployment has no altavista; it has brave" });
    expect(deps.meter.counts.credits).toBe(0);
  });

  test.each([true, false])("refuses an unknown proxy before anything is charged (asyncScraping: %s)", async (later) => {
    const { search, deps } = searchService([hit("https://a.example/")]);
    const scrapeOptions = { formats: ["markdown"], proxy: "atlantis" };
    const { status, answer } = await search({ asyncScraping: later, scrapeOptions });
    expect(status).toBe(400);
    expect(answer).toMatchObject({ code: "BAD_REQUEST", error: expect.stringContaining("atlantis") });
    expect(deps.meter.counts.credits).toBe(0);
    expect(await search({ scrapeOptions: { proxy: "atlantis" } })).toMatchObject({ status: 200 });
  });

  test.each([
    { why: "what MCP sends", body: { sources: ["web", "alexandria"], domainTools: true, toolDetail: "compact" } },
    { why: "what the command line sends", body: { integration: "cli", ignoreInvalidURLs: false } },
    { why: "empty texts", body: { tbs: "", location: "", lang: "", country: "" } },
    {
      why: "wishes of pictures and news",
      body: { sources: [{ type: "web" }, { type: "images", tbs: "qdr:d" }, { type: "news", location: "x" }] },
    },
    { why: "objects for categories, and other names for them", body: { categories: [{ type: "github" }, "research"] } },
    { why: "names of developer tools", body: { categories: ["docs"] } },
    { why: "scrape options without formats", body: { scrapeOptions: { onlyMainContent: true } } },
    { why: "domains with space and capitals", body: { excludeDomains: [" Example.COM "] } },
  ])("takes $why", async ({ body }) => {
    const { search, engine } = searchService([hit("https://a.example/")]);
    const { status, answer } = await search(body);
    expect(status).toBe(200);
    expect(answer.success).toBe(true);
    expect(engine.loaded).toEqual([]);
  });

  test("asks nobody when the only source is one that others have", async () => {
    const { search } = searchService([hit("https://a.example/")]);
    const { status, answer } = await search({ sources: ["alexandria"] });
    expect(status).toBe(200);
    expect(answer.data).toEqual({});
  });

  test("answers for developers stand in a group of their own", async () => {
    const { search } = searchService([hit("https://github.com/a/b")]);
    const { answer } = await search({ categories: ["developer"] });
    expect(answer.data).toEqual({
      developer: [expect.objectContaining({ url: "https://github.com/a/b", category: "developer" })],
    });
  });

  test("leaves out what could not be scraped here, when asked to", async () => {
    const { search } = searchService([hit("https://a.example/"), hit("http://intranet/")]);
    const { answer } = await search({ ignoreInvalidURLs: true });
    expect(answer.data.web).toHaveLength(1);
  });

  test("zero data retention needs to be switched on, costs more and leaves no trace", async () => {
    expect((await searchService([]).search({ enterprise: ["zdr"] })).status).toBe(403);
    const { search, post } = searchService([hit("https://a.example/")], { settings: { zeroDataRetention: true } });
    const { answer } = await search({ enterprise: ["zdr"] });
    expect(answer.creditsUsed).toBe(10);
    const feedback = await post(`/v2/search/${answer.id}/feedback`, { rating: "bad", querySuggestions: "x" });
    expect(feedback.status).toBe(404);
  });
});
