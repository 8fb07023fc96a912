import { describe, expect, test } from "vitest";
import type { ServiceSettings } from "../../../../src/services/deps.ts";
import { hit, searchService } from "../../../fakes/services/search-service.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe("feedback", () => {
  const good = { rating: "good", valuableSources: [{ url: "https://a.example/1", reason: "It said when." }] };

  async function searched(settings: Partial<ServiceSettings> = {}) {
    const made = searchService([hit("https://a.example/1")], { settings });
    const { answer } = await made.search({});
    const give = async (body: object, path = `/v2/search/${answer.id}/feedback`) => {
      const response = await made.post(path, body);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    return { ...made, id: String(answer.id), give };
  }

  test("is stored as it was sent, without the caller", async () => {
    const { give, deps, id } = await searched();
    const { add } = deps.feedback;
    const stored: string[] = [];
    deps.feedback.add = async (feedback, cap) => {
      stored.push(feedback.bodyJson);
      return await add(feedback, cap);
    };
    const missingContent = [{ topic: "Fares", description: "No fares were named." }];
    const more = { issues: ["missing-table"], tags: ["ferries"], note: "Fine", url: "https://a.example/1" };
    const whole = { ...good, ...more, missingContent, querySuggestions: "fares", pageNumbers: [2], metadata: { a: 1 } };
    const { status } = await give({ endpoint: "search", jobId: id, origin: "sdk", ...whole }, "/v2/feedback");
    expect(status).toBe(200);
    expect(JSON.parse(stored[0] ?? "")).toMatchObject(whole);
    expect(stored[0]).not.toContain("sdk");
  });

  test("of more than 16 kB is stored without its longest fields; in a nearly full database, of more than 1 kB", async () => {
    const { give, deps, id, scrapes, search } = await searched();
    await search({ scrapeOptions: { formats: ["markdown"] } });
    const { add } = deps.feedback;
    const stored: string[] = [];
    deps.feedback.add = async (feedback, cap) => {
      stored.push(feedback.bodyJson);
      return await add(feedback, cap);
    };
    const source = { url: `https://a.example/${"字".repeat(1900)}`, reason: "字".repeat(1000) };
    const long = {
      rating: "good",
      note: "é".repeat(1000),
      issues: ["a"],
      valuableSources: Array.from({ length: 50 }, () => source),
    };
    const first = await give({ endpoint: "search", jobId: id, ...long }, "/v2/feedback");
    expect(first).toMatchObject({ status: 200, body: { warning: expect.stringContaining("16384 bytes") } });
    expect(JSON.parse(stored[0] ?? "")).toEqual({
      endpoint: "search",
      jobId: id,
      rating: "good",
      note: long.note,
      issues: ["a"],
    });
    deps.databaseRoom = { usedShare: 0.9, isNearlyFull: true, warning: "" };
    const [jobId] = [...scrapes.records.keys()];
    const second = await give({ endpoint: "scrape", jobId, ...long }, "/v2/feedback");
    expect(second.body["warning"]).toContain("1024 bytes");
    expect(JSON.parse(stored[1] ?? "")).toEqual({ endpoint: "scrape", jobId, rating: "good", issues: ["a"] });
  });

  test("beyond what a team may give in a day is refused until the next day", async () => {
    const { give, clock, deps } = await searched();
    const caps: unknown[] = [];
    deps.feedback.add = async (_, cap) => void caps.push(cap);
    const nowMs = clock.now();
    const response = await give(good);
    expect(response).toMatchObject({ status: 429, body: { success: false } });
    expect(response.body["error"]).toContain("1000 times a day");
    expect(caps).toEqual([{ credits: 100, items: 1_000, bytes: 2_000_000, sinceMs: nowMs - (nowMs % 86_400_000) }]);
  });

  test("on a search is kept once, and gives a credit back once", async () => {
    const { give, deps } = await searched();
    const first = await give(good);
    expect(first).toEqual({
      status: 200,
      body: {
        success: true,
        feedbackId: expect.stringMatching(UUID),
        creditsRefunded: 1,
        creditsRefundedToday: 1,
        dailyRefundCap: 100,
        dailyCapReached: false,
        alreadySubmitted: false,
      },
    });
    const again = await give({ rating: "bad", querySuggestions: "No" });
    expect(again.body).toMatchObject({
      feedbackId: first.body["feedbackId"],
      creditsRefunded: 0,
      creditsRefundedToday: 1,
      alreadySubmitted: true,
    });
    expect(deps).toBeDefined();
  });

  test.each([
    { why: "a good rating without sources", body: { rating: "good" } },
    { why: "a bad rating without what was missing", body: { rating: "bad", valuableSources: good.valuableSources } },
    { why: "a partial rating without anything", body: { rating: "partial", querySuggestions: "x" } },
    { why: "an unknown rating", body: { rating: "fine" } },
    { why: "a source that is no address", body: { rating: "good", valuableSources: [{ url: "ftp://a" }] } },
    { why: "an unknown key", body: { ...good, stars: 5 } },
  ])("refuses $why", async ({ body }) => {
    const { give } = await searched();
    expect(await give(body)).toMatchObject({
      status: 400,
      body: {
        success: false,
        error: expect.stringMatching(/^Invalid request body: .+/),
        feedbackErrorCode: "INVALID_BODY",
      },
    });
  });

  test("on a search that there is none of", async () => {
    const { give } = await searched();
    expect(await give(good, `/v2/search/${crypto.randomUUID()}/feedback`)).toMatchObject({
      status: 404,
      body: { success: false, feedbackErrorCode: "SEARCH_NOT_FOUND" },
    });
  });

  test("on an id that is no UUID is refused as any other invalid body", async () => {
    const { give } = await searched();
    const refused = { status: 400, body: { success: false, feedbackErrorCode: "INVALID_BODY" } };
    expect(await give(good, "/v2/search/not-an-id/feedback")).toMatchObject(refused);
    expect(await give({ endpoint: "scrape", jobId: "not-an-id", ...good }, "/v2/feedback")).toMatchObject(refused);
  });

  test("that comes too late is refused", async () => {
    const { give, clock } = await searched();
    clock.advance(86_400_001);
    expect(await give(good)).toMatchObject({ status: 409, body: { feedbackErrorCode: "FEEDBACK_WINDOW_EXPIRED" } });
  });

  test("on other answers names them", async () => {
    const { give, id, scrapes, search } = await searched();
    expect(await give({ endpoint: "search", jobId: id, rating: "good", note: "Fine" }, "/v2/feedback")).toMatchObject({
      status: 200,
      body: { creditsRefunded: 1 },
    });
    await search({ scrapeOptions: { formats: ["markdown"] } });
    const [scrapeId] = [...scrapes.records.keys()];
    const onScrape = { endpoint: "scrape", jobId: scrapeId, rating: "bad", issues: ["missing-table"] };
    expect(await give(onScrape, "/v2/feedback")).toMatchObject({ status: 200, body: { creditsRefunded: 0 } });
    expect(await give({ ...onScrape, jobId: crypto.randomUUID() }, "/v2/feedback")).toMatchObject({
      status: 404,
      body: { feedbackErrorCode: "JOB_NOT_FOUND" },
    });
    expect(await give({ endpoint: "scrape", jobId: scrapeId, rating: "bad" }, "/v2/feedback")).toMatchObject({
      status: 400,
      body: { feedbackErrorCode: "INVALID_BODY" },
    });
  });
});
