import { createRoute, defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { UrlValue } from "../../core/url.ts";
import { ScrapeOptions } from "../../formats/scrape-options.ts";
import { SHARED_CRAWL_FIELDS, SITEMAP_MODE } from "../../jobs/crawl-body.ts";
import { readCrawlPrompt } from "../../jobs/crawl-prompt.ts";
import { V2_DEFAULTS } from "../../services/scrape-plan.ts";
import type { AppEnv } from "../context.ts";
import { answerCrawl } from "../crawl-answer.ts";
import { StartAnswer } from "../job-answers.ts";
import { jobRoutes } from "../job-routes.ts";
import { admit } from "../rate-limit.ts";
import { BEARER, COMMON_FAILURES, failures, json, jsonBody } from "../route.ts";
import { ActiveAnswer, listActive } from "../active-jobs.ts";

const NOT_UNDERSTOOD =
  "The prompt was not understood: this service reads phrases such as “only the blog”, “skip the shop”, “2 levels deep”, “limit 50”.";

const CrawlBody = z
  .strictObject({
    ...SHARED_CRAWL_FIELDS,
    prompt: z.string().max(10_000).optional(),
    sitemap: SITEMAP_MODE.optional(),
    ignoreSitemap: z.boolean().optional(),
    robotsUserAgent: z.string().min(1).optional(),
    scrapeOptions: ScrapeOptions.optional(),
  })
  .openapi("CrawlRequest", { example: { url: "https://example.com", limit: 100 } });

export const startCrawlRoute = createRoute({
  method: "post",
  path: "/v2/crawl",
  tags: ["Crawling"],
  summary: "Scrape the pages of a site",
  security: BEARER,
  request: jsonBody(CrawlBody),
  responses: {
    200: json(StartAnswer, "The crawl has begun"),
    ...failures("BAD_REQUEST", "IDEMPOTENCY_KEY_USED", "CONCURRENCY_LIMITED", ...COMMON_FAILURES),
  },
});

export const startCrawl = defineOpenAPIRoute<typeof startCrawlRoute, AppEnv>({
  route: startCrawlRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const { prompt = "" } = body;
    const prompted = prompt === "" ? undefined : readCrawlPrompt(prompt);
    const wishes = { ...prompted?.options, ...withoutUndefined(body) };
    const started = await answerCrawl(c, {
      version: "v2",
      defaults: V2_DEFAULTS,
      url: body.url,
      scope: wishes,
      sitemap: wishes.sitemap ?? (body.ignoreSitemap === true ? "skip" : "include"),
      limit: wishes.limit,
      delaySeconds: wishes.delay,
      maxConcurrency: body.maxConcurrency,
      ignoreRobotsTxt: body.ignoreRobotsTxt ?? false,
      robotsUserAgent: body.robotsUserAgent,
      scrapeOptions: body.scrapeOptions ?? {},
      webhook: body.webhook,
      zeroDataRetention: body.zeroDataRetention,
    });
    if (prompted === undefined) return c.json(started, 200);
    const { url: _, prompt: __, webhook: ___, ...finalCrawlerOptions } = wishes;
    return c.json(
      {
        ...started,
        promptGeneratedOptions: prompted.options,
        finalCrawlerOptions,
        ...(prompted.isUnderstood ? {} : { warning: NOT_UNDERSTOOD }),
      },
      200,
    );
  },
});

export const {
  status: crawlStatus,
  errors: crawlErrors,
  cancel: cancelCrawl,
} = jobRoutes({ path: "/v2/crawl", tag: "Crawling", noun: "crawl", job: { version: "v2", kinds: ["crawl"] } });

export const activeCrawlsRoute = createRoute({
  method: "get",
  path: "/v2/crawl/active",
  tags: ["Crawling"],
  summary: "List the crawls that run",
  security: BEARER,
  responses: { 200: json(ActiveAnswer, "The running crawls"), ...failures(...COMMON_FAILURES) },
});

export const activeCrawls = defineOpenAPIRoute<typeof activeCrawlsRoute, AppEnv>({
  route: activeCrawlsRoute,
  handler: async (c) => c.json(await listActive(c), 200),
});

export const ongoingCrawlsRoute = createRoute({ ...activeCrawlsRoute, path: "/v2/crawl/ongoing" });

export const ongoingCrawls = defineOpenAPIRoute<typeof ongoingCrawlsRoute, AppEnv>({
  route: ongoingCrawlsRoute,
  handler: async (c) => c.json(await listActive(c), 200),
});

const PreviewBody = z.strictObject({
  url: UrlValue,
  prompt: z.string().min(1).max(10_000),
  origin: z.string().optional(),
  integration: z.unknown().optional(),
});
const PreviewAnswer = z.object({
  success: z.literal(true),
  data: z.looseObject({ url: z.string(), warning: z.string().optional() }),
});

const previewRoute = createRoute({
  method: "post",
  path: "/v2/crawl/params-preview",
  tags: ["Crawling"],
  summary: "Show the options that a prompt comes to",
  security: BEARER,
  request: jsonBody(PreviewBody),
  responses: { 200: json(PreviewAnswer, "The options"), ...failures("BAD_REQUEST", ...COMMON_FAILURES) },
});

export const previewCrawl = defineOpenAPIRoute<typeof previewRoute, AppEnv>({
  route: previewRoute,
  handler: async (c) => {
    await admit(c, { mode: "crawl", endpoint: "crawl", credits: 0 });
    const { url, prompt } = c.req.valid("json");
    const { options, isUnderstood } = readCrawlPrompt(prompt);
    const warning = isUnderstood ? {} : { warning: NOT_UNDERSTOOD };
    return c.json({ success: true as const, data: { url, ...options, ...warning } }, 200);
  },
});

/** What a caller says himself goes before what a prompt says for him. */
function withoutUndefined<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
