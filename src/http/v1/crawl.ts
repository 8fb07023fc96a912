import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { SHARED_CRAWL_FIELDS } from "../../jobs/crawl/crawl-body.ts";
import { listActive } from "../jobs/active-jobs.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { respondWithCrawl } from "../crawl/crawl-response.ts";
import { jobRoutes } from "../jobs/job-routes.ts";
import { jsonBody } from "../route.ts";
import { activeCrawlsRoute, startCrawlRoute } from "../v2/crawl/crawl.ts";
import { V1ScrapeOptions, V1_DEFAULTS, translateOptions } from "./translate.ts";

const DEFAULT_MAX_DEPTH = 10;
const V1 = { tags: ["Version 1"] };

const CrawlBody = z
  .strictObject({
    ...SHARED_CRAWL_FIELDS,
    maxDepth: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe("Maximum number of segments in the path of a URL. A start URL with more is refused. Default: 10."),
    allowBackwardLinks: z.boolean().optional().describe("Older name of `crawlEntireDomain`, which takes precedence."),
    ignoreSitemap: z.boolean().optional().describe("Does not read sitemaps. Default: false."),
    scrapeOptions: V1ScrapeOptions.optional().describe("How the pages are scraped, with the options of version 1."),
  })
  .openapi("V1CrawlRequest", { example: { url: "https://example.com", limit: 100 } });

const startRoute = createRoute({ ...startCrawlRoute, ...V1, path: "/v1/crawl", request: jsonBody(CrawlBody) });

export const startCrawl = defineOpenAPIRoute<typeof startRoute, AppEnv>({
  route: startRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const crawlEntireDomain = body.crawlEntireDomain ?? body.allowBackwardLinks;
    const { started } = await respondWithCrawl(c, {
      apiVersion: "v1",
      defaults: V1_DEFAULTS,
      url: body.url,
      options: {
        ...body,
        crawlEntireDomain,
        maxDepth: body.maxDepth ?? DEFAULT_MAX_DEPTH,
        sitemap: body.ignoreSitemap === true ? "skip" : "include",
      },
      prompt: "",
      maxConcurrency: body.maxConcurrency,
      ignoreRobotsTxt: body.ignoreRobotsTxt ?? false,
      robotsUserAgent: undefined,
      scrapeOptions: translateOptions(body.scrapeOptions ?? {}),
      webhook: body.webhook,
      zeroDataRetention: body.zeroDataRetention ?? false,
    });
    return c.json(started, 200);
  },
});

/** The JavaScript client of version 1 polls batches at the crawls' path. */
export const {
  status: crawlStatus,
  errors: crawlErrors,
  errorsByDelete: crawlErrorsByDelete,
  cancel: cancelCrawl,
} = jobRoutes({
  path: "/v1/crawl",
  tag: "Version 1",
  noun: "crawl",
  job: { version: "v1", kinds: ["crawl", "batch_scrape"] },
  keyScope: ["crawl", "batch_scrape"],
});

const activeRoute = createRoute({ ...activeCrawlsRoute, ...V1, path: "/v1/crawl/active" });

export const activeCrawls = defineOpenAPIRoute<typeof activeRoute, AppEnv>({
  route: activeRoute,
  handler: async (c) => c.json(await listActive(c), 200),
});

const ongoingRoute = createRoute({ ...activeRoute, path: "/v1/crawl/ongoing" });

export const ongoingCrawls = defineOpenAPIRoute<typeof ongoingRoute, AppEnv>({
  route: ongoingRoute,
  handler: async (c) => c.json(await listActive(c), 200),
});
