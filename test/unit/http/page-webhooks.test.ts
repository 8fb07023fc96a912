import { expect, test } from "vitest";
import type { FrontierConfig } from "../../../src/core/crawl/frontier.ts";
import { warningsOfPageWebhook } from "../../../src/jobs/webhook.ts";
import type { Deps } from "../../../src/services/deps.ts";
import { DEFAULT_TEAM_ID } from "../../../src/services/account/bootstrap-keys.ts";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

/** Jobs are recorded and not run: only their start is used. */
const deps = testDeps({
  jobs: { insert: async () => undefined } as unknown as Deps["jobs"],
  frontiers: { start: async () => "started" } as unknown as Deps["frontiers"],
});

const HOOK = { url: "https://hook.example/", events: ["failed"] };

test.each([
  { path: "/v2/crawl", body: { url: "https://a.example/" } },
  { path: "/v2/batch/scrape", body: { urls: ["https://a.example/"] } },
  { path: "/v1/crawl", body: { url: "https://a.example/" } },
  { path: "/v1/batch/scrape", body: { urls: ["https://a.example/"] } },
])("$path warns that the event failed is never sent", async ({ path, body }) => {
  const { post } = testApp(deps);
  const warned = await post(path, { ...body, webhook: HOOK });
  expect(warned.status).toBe(200);
  expect(await warned.json()).toMatchObject({ warning: expect.stringMatching(/^webhook\.events: failed is not sent/) });
  const sent = await post(path, { ...body, webhook: { ...HOOK, events: ["page"] } });
  expect(await sent.json()).not.toHaveProperty("warning");
});

test("page.removed is warned about where pages are compared with no earlier crawl", async () => {
  const { post } = testApp(deps);
  const warningOf = async (path: string, body: object) =>
    ((await (await post(path, body)).json()) as { warning?: string }).warning;
  const webhook = { url: HOOK.url, events: ["page.removed"] };
  const warning = "webhook.events: page.removed is sent for crawls with since alone.";
  expect(await warningOf("/v2/crawl", { url: "https://a.example/", webhook })).toBe(warning);
  expect(await warningOf("/v2/batch/scrape", { urls: ["https://a.example/"], webhook })).toBe(warning);
  expect(warningsOfPageWebhook({ ...webhook, events: ["page.removed"] }, { isIncremental: true })).toEqual([]);
});

test.each([
  { events: undefined, sent: ["started", "page", "completed"] },
  { events: [], sent: ["started", "page", "completed"] },
  { events: ["page.failed", "completed"], sent: ["completed", "page.failed"] },
  { events: ["crawl.page.failed", "crawl.completed"], sent: ["completed", "page.failed"] },
])("a webhook with the events $events receives $sent", async ({ events, sent }) => {
  const configs: FrontierConfig[] = [];
  const start: Deps["frontiers"]["start"] = async (_id, { config }) => {
    configs.push(config);
    return "started";
  };
  const { post } = testApp({ ...deps, frontiers: { start } as Deps["frontiers"] });
  const webhook = { url: HOOK.url, ...(events === undefined ? {} : { events }) };
  expect((await post("/v2/crawl", { url: "https://a.example/", webhook })).status).toBe(200);
  expect(configs.map((config) => config.events)).toEqual([sent]);
});

test.each(["v1", "v2"])("/%s/batch/scrape names what an append ignores", async (version) => {
  const id = crypto.randomUUID();
  const job = {
    id,
    kind: "batch_scrape",
    teamId: DEFAULT_TEAM_ID,
    expiresAtMs: Number.MAX_SAFE_INTEGER,
    optionsJson: "{}",
  };
  const { post } = testApp(
    testDeps({
      jobs: {
        find: async () => job,
        setStatus: async () => undefined,
        wholeOptions: async () => "{}",
      } as unknown as Deps["jobs"],
      frontiers: { append: async () => "appended", progress: async () => undefined } as unknown as Deps["frontiers"],
    }),
  );
  const append = async (more: object) => {
    const response = await post(`/${version}/batch/scrape`, { urls: ["https://a.example/"], appendToId: id, ...more });
    expect(response.status).toBe(200);
    return ((await response.json()) as { warning?: string }).warning;
  };
  expect(await append({})).toBeUndefined();
  expect(await append({ webhook: HOOK, maxConcurrency: 3 })).toBe(
    "webhook: it has no effect with appendToId. The batch keeps its own. maxConcurrency: it has no effect with appendToId. The batch keeps its own.",
  );
  expect(await append({ origin: "tests", integration: "_tests", zeroDataRetention: false })).toBeUndefined();
  const samples: Record<string, unknown> = {
    formats: ["links"], headers: { a: "b" }, includeTags: ["p"], excludeTags: ["p"], onlyMainContent: false, timeout: 9000,
    waitFor: 1, mobile: true, skipTlsVerification: false, location: { country: "DE" }, removeBase64Images: false,
    blockAds: false, proxy: "basic", maxAge: 5, storeInCache: false, actions: [{ type: "wait", milliseconds: 1 }],
  }; // prettier-ignore
  for (const [name, value] of Object.entries(samples)) {
    expect(await append({ [name]: value })).toBe(`${name}: it has no effect with appendToId. The batch keeps its own.`);
  }
});
