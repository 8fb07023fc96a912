import { describe, expect, test } from "vitest";
import type { CrawlInput } from "../../../../src/jobs/crawl/crawl.ts";
import type { JobSpecification } from "../../../../src/jobs/kind.ts";
import type { Deps } from "../../../../src/services/deps.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

/** Starts a crawl of a folder. @returns the response, and the crawl that was started. */
async function crawl(options: object) {
  const started: CrawlInput[] = [];
  const deps = testDeps({
    jobs: { insert: async () => undefined } as unknown as Deps["jobs"],
    frontiers: {
      async start(_id: string, job: { specification: string }) {
        started.push((JSON.parse(job.specification) as JobSpecification<CrawlInput>).input);
        return true;
      },
    } as unknown as Deps["frontiers"],
  });
  const response = await testApp(deps).post("/v2/crawl", { url: "https://harbour.example/en/", ...options });
  return { status: response.status, body: (await response.json()) as { warning?: string }, started: started[0] };
}

describe("options of version 1 sent to a version 2 crawl", () => {
  test.each([
    {
      older: { ignoreSitemap: true },
      warning: "ignoreSitemap: an option of version 1; it is applied as sitemap.",
      started: { sitemap: "skip" },
    },
    {
      older: { maxDepth: 2 },
      warning: "maxDepth: an option of version 1; it is applied as maxDiscoveryDepth.",
      started: { rules: { maxDiscoveryDepth: 2, maxDepth: null } },
    },
    {
      older: { allowBackwardLinks: true },
      warning: "allowBackwardLinks: an option of version 1; it is applied as crawlEntireDomain.",
      started: { rules: { folder: "" } },
    },
  ])("$older has its effect and a warning", async ({ older, warning, started }) => {
    const crawled = await crawl(older);
    expect(crawled).toMatchObject({ status: 200, body: { success: true, warning }, started });
  });

  test("give way to the options of version 2", async () => {
    const older = { ignoreSitemap: true, maxDepth: 2, allowBackwardLinks: true };
    const { body, started } = await crawl({
      ...older,
      sitemap: "only",
      maxDiscoveryDepth: 5,
      crawlEntireDomain: false,
    });
    expect(started).toMatchObject({ sitemap: "only", rules: { maxDiscoveryDepth: 5, folder: "/en" } });
    for (const name of ["sitemap", "maxDiscoveryDepth", "crawlEntireDomain"]) {
      expect(body.warning).toContain(`an option of version 1; ${name} takes precedence.`);
    }
  });

  test("that ask for the default need no warning", async () => {
    const { status, body } = await crawl({ ignoreSitemap: false, allowBackwardLinks: false });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty("warning");
  });
});
