/** What jobs say of the page cache, in which they store nothing. */
import { expect, test } from "vitest";
import type { Deps } from "../../../../src/services/deps.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const PAGE = "https://harbour.example/";

async function start(path: string, body: object): Promise<{ success: boolean; warning?: string }> {
  const deps = testDeps({
    jobs: { insert: async () => undefined } as unknown as Deps["jobs"],
    frontiers: { start: async () => true } as unknown as Deps["frontiers"],
  });
  const response = await testApp(deps).post(path, body);
  return (await response.json()) as { success: boolean; warning?: string };
}

test.each([
  { path: "/v1/crawl", bodyOf: (scrapeOptions: object) => ({ url: PAGE, scrapeOptions }) },
  { path: "/v2/crawl", bodyOf: (scrapeOptions: object) => ({ url: PAGE, scrapeOptions }) },
  { path: "/v1/batch/scrape", bodyOf: (options: object) => ({ urls: [PAGE], ...options }) },
  { path: "/v2/batch/scrape", bodyOf: (options: object) => ({ urls: [PAGE], ...options }) },
])("$path names storeInCache when it is requested", async ({ path, bodyOf }) => {
  expect(await start(path, bodyOf({ storeInCache: true }))).toMatchObject({
    success: true,
    warning: "storeInCache: crawls and batch scrapes store no pages in the page cache.",
  });
  for (const options of [{}, { storeInCache: false }]) {
    const started = await start(path, bodyOf(options));
    expect(started.success).toBe(true);
    expect(started).not.toHaveProperty("warning");
  }
});
