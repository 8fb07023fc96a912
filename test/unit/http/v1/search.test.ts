import { describe, expect, test } from "vitest";
import type { EngineOutcome } from "../../../../src/core/scrape/page.ts";
import { hit, searchService, type FoundItem } from "../../../fakes/services/search-service.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe("POST /v1/search", () => {
  test("answers one list", async () => {
    const { search } = searchService(Array.from({ length: 7 }, (_, index) => hit(`https://a.example/${index}`)));
    const { status, answer } = await search({}, "/v1/search");
    expect(status).toBe(200);
    expect(answer.data).toHaveLength(5);
    expect((answer.data as unknown as FoundItem[])[0]).toMatchObject({
      url: "https://a.example/0",
      title: "https://a.example/0",
      description: "As found",
    });
    expect(answer.id).toMatch(UUID);
  });

  test("says so when there is nothing, and when nothing could be scraped", async () => {
    expect((await searchService([]).search({}, "/v1/search")).answer).toMatchObject({
      data: [],
      warning: "No search results found",
    });
    const failed: EngineOutcome = { kind: "failed", code: "SCRAPE_SSL_ERROR", message: "Expired" };
    const { search } = searchService([hit("https://bad.example/")], { pages: { "https://bad.example/": failed } });
    const { answer } = await search({ scrapeOptions: { formats: ["markdown"] } }, "/v1/search");
    expect(answer).toMatchObject({
      data: [{ metadata: { error: "Expired" } }],
      warning: "No content found in search results",
    });
  });

  test.each([{}, { formats: [] }])("does not miss content that was not asked for, with %o", async (scrapeOptions) => {
    const { search } = searchService([hit("https://a.example/1")]);
    const { answer } = await search({ scrapeOptions }, "/v1/search");
    expect(answer.data).toHaveLength(1);
    expect(answer).not.toHaveProperty("warning");
  });

  test("scrapes with the options of version 1", async () => {
    const { search } = searchService([hit("https://a.example/1")]);
    const { answer } = await search({ scrapeOptions: { formats: ["markdown"], parsePDF: false } }, "/v1/search");
    expect((answer.data as unknown as FoundItem[])[0]?.markdown).toContain("ferry");
  });

  test("knows no sources", async () => {
    const { search } = searchService([]);
    const { status, answer } = await search({ sources: ["web"] }, "/v1/search");
    expect(status).toBe(400);
    expect(answer).toMatchObject({ code: "BAD_REQUEST", error: expect.stringContaining("Unrecognized key") });
  });
});
