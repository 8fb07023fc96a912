import { describe, expect, test } from "vitest";
import { DEFAULT_TEAM_ID } from "../../../../src/services/account/bootstrap-keys.ts";
import { parseProviderOrder } from "../../../../src/search/provider-order.ts";
import { researchService } from "../../../fakes/services/research-service.ts";

const GOV = "/v2/search/gov";
const down = { status: 500 };
const page = { description: "", language: "", fileType: "html", datedAtMs: 0, scrapeId: "a", title: "Bell" };

describe("a search of the pages of governments", () => {
  test.each([
    { how: "GET", ask: (service: ReturnType<typeof researchService>) => service.get(`${GOV}?query=bell&k=5`) },
    { how: "POST", ask: (service: ReturnType<typeof researchService>) => service.post(GOV, { query: "bell", k: 5 }) },
  ])("by $how returns pages on hosts of governments and no others", async ({ ask }) => {
    const service = researchService();
    const urls = [
      "https://nasa.gov/bell",
      "https://www.nasa.gov/bells",
      "https://blog.example/bell",
      "https://gov.example/",
    ];
    const pages = urls.map((url) => ({ ...page, url, body: "The bell rings." }));
    await service.pages.put(DEFAULT_TEAM_ID, pages, { nowMs: service.clock.now(), retentionMs: 1 });
    const { status, body } = await ask(service);
    expect(status).toBe(200);
    expect(body.warning).toBeUndefined();
    expect(body.results.map(({ url, provider }) => [url, provider])).toEqual([
      ["https://nasa.gov/bell", "own-index"],
      ["https://www.gov.uk/guidance/harbour-bells", "gov-uk"],
      ["https://www.federalregister.gov/documents/2025/03/04/1/bell", "federal-register"],
      ["https://www.whitehouse.gov/bell", "hacker-news"],
      ["https://www.nasa.gov/bells", "own-index"],
    ]);
    expect(body.results[0]).toMatchObject({ position: 1, category: "gov", title: "Bell" });
    expect(body).toMatchObject({ success: true, creditsUsed: 2, id: expect.any(String) });
  });

  test("without a result says who was asked", async () => {
    const empty = { status: 200, body: '{"count":0,"results":[],"hits":[]}' };
    const odd = { "gov-uk": empty, "federal-register": empty, "hacker-news": empty };
    const { status, body } = await researchService({ odd }).get(`${GOV}?query=bell`);
    expect([status, body.results, body.creditsUsed]).toEqual([200, [], 0]);
    const [, names = ""] =
      /^gov: no page on the host of a government was found by (.+)\.$/.exec(body.warning ?? "") ?? [];
    // They are named in the order of their responses.
    expect(names.split(", ").toSorted()).toEqual(["federal-register", "gov-uk", "hacker-news", "own-index"]);
  });

  test("names the providers that failed beside those that answered", async () => {
    const { body } = await researchService({ odd: { "gov-uk": down } }).get(`${GOV}?query=bell`);
    expect(body.results.map(({ provider }) => provider)).toEqual(["federal-register", "hacker-news"]);
    expect(body.warning).toBe("web: not all providers answered (gov-uk: It answered 500).");
  });

  test("is an error in words when every provider failed", async () => {
    const odd = { "gov-uk": down, "federal-register": down, "hacker-news": down };
    const { status, body } = await researchService({ odd }).get(`${GOV}?query=bell`);
    expect(status).toBe(500);
    expect(body.code).toBe("SEARCH_FAILED");
    expect(body.error).toContain("gov-uk: It answered 500");
  });

  test("asks the providers that the settings name", async () => {
    const { get, asked } = researchService({ settings: { searchOrder: parseProviderOrder("gov=gov-uk") } });
    await get(`${GOV}?query=bell`);
    expect(asked).toEqual([expect.stringContaining("gov-uk /api/search.json?q=bell&count=10")]);
  });

  test("is a category of the search as well, and stands alone", async () => {
    const service = researchService();
    const { body } = await service.post("/v2/search", { query: "bell", categories: ["gov"] });
    const { web } = body["data"] as { web: { url: string; category: string }[] };
    expect(web.map(({ url, category }) => [new URL(url).hostname, category])).toEqual([
      ["www.gov.uk", "gov"],
      ["www.federalregister.gov", "gov"],
      ["www.whitehouse.gov", "gov"],
    ]);
    const mixed = await service.post("/v2/search", { query: "bell", categories: ["gov", "pdf"] });
    expect(mixed.status).toBe(400);
    expect(mixed.body.error).toContain("The gov category cannot be combined with others");
  });

  test.each([
    { body: {}, words: "query" },
    { body: { query: "bell", k: 0 }, words: "k" },
    { body: { query: "bell", k: 101 }, words: "k" },
    { body: { query: "bell", limit: 3 }, words: "limit" },
  ])("refuses $body", async ({ body, words }) => {
    const { status, body: answer } = await researchService().post(GOV, body);
    expect(status).toBe(400);
    expect(answer.error).toContain(words);
  });
});
