import { describe, expect, test } from "vitest";
import { NO_COUNTS } from "../../../src/core/account/meter.ts";
import { Receipt, combineReceipts, sessionReceipt, toReceipt } from "../../../src/core/account/receipt.ts";
import { agentService } from "../../fakes/services/agent-service.ts";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

/** What was deferred is waited for, as the platform would. */
function appWithMemory() {
  const deferred: Promise<unknown>[] = [];
  const deps = testDeps({ defer: (work) => deferred.push(work) });
  return { ...testApp(deps), deps, settled: () => Promise.all(deferred) };
}

describe("work", () => {
  test("has the receipt in its response that is recorded", async () => {
    const { post, ask, settled } = appWithMemory();
    const response = await post("/v2/crawl/params-preview", { url: "https://example.com", prompt: "only the blog" });
    expect(response.status).toBe(200);
    const { receipt, success } = (await response.json()) as { receipt: unknown; success: boolean };
    expect(success).toBe(true);
    await settled();
    const usage = (await (await ask("/v2/team/usage")).json()) as { totals: unknown };
    expect(Receipt.parse(usage.totals)).toEqual(Receipt.parse(receipt));
  });

  test("that fails has its receipt beside the error, and counts as an error", async () => {
    const { post, ask, settled } = appWithMemory();
    const response = await post("/v2/scrape", { url: "https://example.com" });
    expect(response.ok).toBe(false);
    const { receipt } = (await response.json()) as { receipt: Receipt };
    expect(receipt.credits).toBe(0);
    await settled();
    const usage = (await (await ask("/v2/team/usage?groupBy=endpoint")).json()) as { data: object[] };
    expect(usage.data).toMatchObject([{ endpoint: "scrape", requests: 1, errors: 1, credits: 0 }]);
  });

  test("that fails is listed with its error, and counted by its host, hour and code", async () => {
    const { post, ask, settled } = appWithMemory();
    await post("/v2/scrape", { url: "https://example.com/page" });
    await settled();
    const { data } = (await (await ask("/v2/team/activity")).json()) as { data: Record<string, unknown>[] };
    expect(data[0]).toMatchObject({
      succeeded: false,
      code: expect.stringMatching(/^[A-Z_]+$/),
      error: expect.any(String),
    });
    const parts = async (by: string) => (await (await ask(`/v2/team/usage/breakdown?by=${by}`)).json()) as object;
    expect(await parts("host")).toMatchObject({ data: [{ name: "example.com", requests: 1, errors: 1, credits: 0 }] });
    expect(await parts("failure")).toMatchObject({ data: [{ name: data[0]?.["code"], requests: 1 }] });
    expect(await parts("hour")).toMatchObject({ by: "hour", data: [{ name: expect.stringMatching(/T\d\d$/) }] });
    expect((await ask("/v2/team/usage/breakdown?by=colour")).status).toBe(400);
    const budgets = (await (await ask("/v2/team/budgets")).json()) as { data: object[] };
    expect(budgets.data).toMatchObject([{ creditsUsed: 0, monthlyCredits: null }]);
  });

  test("that was refused before it began is no work", async () => {
    const { post, ask, settled } = appWithMemory();
    const response = await post("/v2/scrape", { url: "https://example.com", unknown: true });
    expect(await response.json()).not.toHaveProperty("receipt");
    await settled();
    expect(await (await ask("/v2/team/usage")).json()).toMatchObject({ data: [], totals: { requests: 0 } });
  });
});

const PAGE = "https://a.example/page";
const WORK = [
  { path: "/v2/scrape", body: { url: PAGE }, target: PAGE },
  { path: "/v1/scrape", body: { url: PAGE }, target: PAGE },
  { path: "/v2/search", body: { query: "ferries" }, target: "ferries" },
  { path: "/v1/search", body: { query: "ferries" }, target: "ferries" },
  { path: "/v2/crawl/params-preview", body: { url: PAGE, prompt: "only the blog" }, target: PAGE },
  { path: "/v2/extract", body: { urls: [PAGE], prompt: "The name" }, target: PAGE },
  { path: "/v1/extract", body: { prompt: "The name" }, target: null },
  { path: "/v2/agent", body: { urls: [PAGE], prompt: "Which ferries?" }, target: PAGE },
  { path: "/v1/llmstxt", body: { url: PAGE }, target: PAGE, listedAs: "llmstxt" },
  { path: "/v1/deep-research", body: { query: "ferries" }, target: "ferries", listedAs: "deep_research" },
];
const JOBS = WORK.filter(({ path }) => /extract|agent|llmstxt|deep-research/.test(path));

test.each(JOBS)("a job started by $path is listed under its own name and id", async ({ path, body, listedAs }) => {
  const { post, ask } = agentService({ pages: {} });
  const { id } = (await (await post(path, body)).json()) as { id: string };
  const name = listedAs ?? path.slice("/v1/".length);
  const { data } = (await (await ask(`/v2/team/activity?endpoint=${name}`)).json()) as { data: object[] };
  expect(data).toMatchObject([{ id, endpoint: name, api_version: path.slice(1, 3) }]);
});

describe.each(WORK)("work by $path", ({ path, body, target }) => {
  test("returns a receipt, and is recorded with its target", async () => {
    const { post, ask } = agentService({
      pages: { [PAGE]: `<h1>Ferries</h1>${"<p>They sail at nine.</p>".repeat(40)}` },
    });
    const response = await post(path, body);
    expect(response.status).toBe(200);
    const { receipt } = (await response.json()) as { receipt: unknown };
    expect(() => Receipt.parse(receipt)).not.toThrow();
    const { data } = (await (await ask("/v2/team/activity")).json()) as { data: object[] };
    expect(data).toMatchObject([{ target, succeeded: true }]);
  });
});

describe("work that fails", () => {
  const FAILING = [
    { path: "/v2/crawl", body: { url: PAGE }, target: PAGE },
    { path: "/v1/crawl", body: { url: PAGE }, target: PAGE },
    { path: "/v2/batch/scrape", body: { urls: [PAGE] }, target: PAGE },
    { path: "/v2/parse/upload-url", body: { filename: "a.pdf" }, target: null },
  ];
  test.each(FAILING)("by $path returns a receipt, and is recorded with its target", async ({ path, body, target }) => {
    const { post, ask } = testApp(testDeps());
    const response = await post(path, body);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(await response.json()).toHaveProperty("receipt.credits", 0);
    const { data } = (await (await ask("/v2/team/activity")).json()) as { data: object[] };
    expect(data).toMatchObject([{ target, succeeded: false }]);
  });
});

test.each([
  { path: "/v2/scrape", body: { url: PAGE, zeroDataRetention: true } },
  { path: "/v2/search", body: { query: "ferries", enterprise: ["zdr"] } },
  { path: "/v2/crawl", body: { url: PAGE, zeroDataRetention: true } },
  { path: "/v2/batch/scrape", body: { urls: [PAGE], zeroDataRetention: true } },
])("work with zero data retention by $path is recorded without its target", async ({ path, body }) => {
  const { post, ask } = testApp(testDeps({ settings: { zeroDataRetention: true } }));
  await post(path, body);
  const { data } = (await (await ask("/v2/team/activity")).json()) as { data: object[] };
  expect(data).toMatchObject([{ target: null }]);
});

describe("receipts", () => {
  test("are whole numbers, at list prices", () => {
    const receipt = toReceipt({ ...NO_COUNTS, browserMs: 3_600_000, d1RowsWritten: 1_000_000, credits: 2 }, 0);
    expect(receipt).toMatchObject({ credits: 2, nanoDollars: 90_000_000 + 1_000_000_000, dollars: 1.09 });
    expect(Receipt.parse(receipt)).toEqual(receipt);
  });

  test("add up and come apart again", () => {
    const left = toReceipt({ bytesFetched: 1_234, pages: 3, modelNanoDollars: 17, r2Writes: 2 });
    const right = sessionReceipt({ durationMs: 61_000, credits: 3 });
    expect(combineReceipts(combineReceipts(left, right), right, -1)).toEqual(left);
  });
});
