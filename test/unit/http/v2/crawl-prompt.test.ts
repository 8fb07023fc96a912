import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JobSpecification } from "../../../../src/jobs/kind.ts";
import type { CrawlInput } from "../../../../src/jobs/crawl/crawl.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { startScriptedModel, type Script, type ScriptedModel } from "../../../fakes/upstream/scripted-model.ts";
import { createIdempotencyKeys } from "../../../../src/storage/jobs/idempotency-keys.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";
import { fixedClock } from "../../../fakes/fixed-clock.ts";
import { modelAt } from "../../formats/page.ts";

const URL = "https://harbour.example/en/";

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel(["ok"]);
});
afterAll(() => server.close());

/** A service that notes the crawls which it is asked to start. */
function service(script?: Script, settings: Partial<Deps["settings"]> = {}) {
  if (script !== undefined) server.script(script);
  server.requests.length = 0;
  const records = new Map<string, object>();
  const earlier = { count: 0 };
  const started: { input: CrawlInput; limit: number | undefined; delayMs: number }[] = [];
  const deps = testDeps({
    settings,
    clock: fixedClock(Date.now()),
    ...(script === undefined ? {} : { llm: modelAt(server) }),
    idempotencyKeys: createIdempotencyKeys(nodeD1()),
    // The rest of both ports is not used by the start of a crawl.
    jobs: {
      insert: async (job: { id: string }) => void records.set(job.id, { ...job, status: "completed" }),
      find: async (id: string) => records.get(id),
      listCompletedCrawls: async () => (earlier.count++, []),
    } as unknown as Deps["jobs"],
    frontiers: {
      async start(_id: string, job: { config: { limit: number; delayMs: number }; specification: string }) {
        const { input } = JSON.parse(job.specification) as JobSpecification<CrawlInput>;
        started.push({ input, limit: job.config.limit, delayMs: job.config.delayMs });
        return "started";
      },
      progress: async () => undefined,
    } as unknown as Deps["frontiers"],
  });
  const { post } = testApp(deps);
  const ask = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await post(path, { url: URL, ...body }, { headers });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { ask, started, earlier };
}

const WISHED = {
  json: { includePaths: ["^/en/ferries"], limit: 40, delay: 2, sitemap: "only", crawlEntireDomain: true },
};
const OPTIONS = { includePaths: ["^/en/ferries"], limit: 40, delay: 2, sitemap: "only", crawlEntireDomain: true };

describe("a crawl with a prompt and a model", () => {
  test("is what the prompt says", async () => {
    const { ask, started } = service([WISHED]);
    const { status, body } = await ask("/v2/crawl", { prompt: "Forty pages about ferries" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ promptGeneratedOptions: OPTIONS, finalCrawlerOptions: OPTIONS });
    expect(body).not.toHaveProperty("warning");
    expect(started).toMatchObject([
      { input: { rules: { includePaths: ["^/en/ferries"], folder: "" }, sitemap: "only" }, limit: 40, delayMs: 2000 },
    ]);
  });

  test("is what its caller says where both speak of the same", async () => {
    const { ask, started } = service([WISHED]);
    const { body } = await ask("/v2/crawl", { prompt: "Forty pages about ferries", limit: 7, ignoreSitemap: true });
    expect(body).toMatchObject({
      promptGeneratedOptions: OPTIONS,
      finalCrawlerOptions: { ...OPTIONS, limit: 7, sitemap: "skip" },
    });
    expect(started).toMatchObject([{ input: { sitemap: "skip" }, limit: 7 }]);
  });

  test("has its patterns looked for where its caller wants", async () => {
    const { ask, started } = service([WISHED]);
    await ask("/v2/crawl", { prompt: "Ferries", regexOnFullURL: true });
    expect(started[0]?.input.rules.includePaths).toEqual(["^https?://[^/]+/en/ferries"]);
  });

  test("asks no model for a caller who is not let in, or whose options are refused", async () => {
    const { ask } = service([WISHED], { rateLimitPerMinute: 0 });
    expect((await ask("/v2/crawl", { prompt: "Ferries" })).status).toBe(429);
    expect((await service([WISHED]).ask("/v2/crawl", { prompt: "Ferries", includePaths: ["("] })).status).toBe(400);
    expect(server.requests).toEqual([]);
  });

  test("asks neither the model nor for an earlier crawl when its request is repeated", async () => {
    const { ask, started, earlier } = service([WISHED]);
    const request = { prompt: "Forty pages about ferries", since: "last" };
    const headers = { "x-idempotency-key": crypto.randomUUID() };
    const first = await ask("/v2/crawl", request, headers);
    expect(first.status).toBe(200);
    const [asked, looked] = [server.requests.length, earlier.count];
    const repeated = await ask("/v2/crawl", request, headers);
    expect(repeated).toMatchObject({ status: 200, body: { success: true, id: first.body["id"] } });
    expect([server.requests.length, earlier.count, started.length]).toEqual([asked, looked, 1]);
    expect((await ask("/v2/crawl", { ...request, limit: 1 }, headers)).status).toBe(409);
  });

  test("is read by rules when the model fails, which the answer says", async () => {
    const { ask, started } = service([{ status: 500 }]);
    const { body } = await ask("/v2/crawl", { prompt: "Only the blog, limit 50" });
    expect(body["warning"]).toContain("it was read by rules");
    expect(started).toMatchObject([{ input: { rules: { includePaths: ["^/blog(/|$)"] } }, limit: 50 }]);
  });
});

describe("a preview of a prompt", () => {
  test.each([
    { fields: {}, problem: "prompt: is required (a string)" },
    { fields: { prompt: "" }, problem: "prompt: expected at least 1 characters" },
    { fields: { prompt: "x", limit: 1 }, problem: 'Unrecognized key: "limit"' },
  ])("is refused with the words of its own for $fields", async ({ fields, problem }) => {
    const { status, body } = await service().ask("/v2/crawl/params-preview", fields);
    expect({ status, body }).toMatchObject({ status: 400, body: { success: false, code: "BAD_REQUEST" } });
    expect(body["error"]).toContain(`Invalid request parameters: ${problem}`);
    expect(body["details"]).toHaveLength(1);
  });

  test("shows what a model makes of it", async () => {
    const { ask } = service([WISHED]);
    const { body } = await ask("/v2/crawl/params-preview", { prompt: "Forty pages about ferries" });
    expect(body).toEqual({ success: true, data: { url: URL, ...OPTIONS }, receipt: expect.anything() });
  });

  test("shows what rules make of it where there is no model, with a warning about the rest", async () => {
    const { ask } = service();
    const { body } = await ask("/v2/crawl/params-preview", { prompt: "Only the blog, limit 50, newest first" });
    const warning = "Not understood of the prompt: “newest first”.";
    expect(body["data"]).toEqual({ url: URL, includePaths: ["^/blog(/|$)"], limit: 50, warning });
  });
});

test("a crawl without a prompt asks no model", async () => {
  const { ask, started } = service([WISHED]);
  const { body } = await ask("/v2/crawl", { prompt: "", limit: 3 });
  expect(body).not.toHaveProperty("promptGeneratedOptions");
  expect(started).toMatchObject([{ limit: 3 }]);
  expect(server.requests).toEqual([]);
});
