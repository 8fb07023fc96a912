import { expect, test } from "vitest";
import type { Deps } from "../../../src/services/deps.ts";
import { testApp } from "../../fakes/test-app.ts";
import { testDeps } from "../../fakes/test-deps.ts";

/** Jobs are recorded and not run: only their start is used. */
const deps = testDeps({
  jobs: { insert: async () => undefined } as unknown as Deps["jobs"],
  frontiers: { start: async () => true } as unknown as Deps["frontiers"],
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
