import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { UrlValue } from "../../../core/url/url.ts";
import { ScrapeOptions } from "../../../formats/scrape-options.ts";
import { ArchiveField } from "../../../jobs/crawl/archive-field.ts";
import { SHARED_CRAWL_FIELDS, SITEMAP_MODE } from "../../../jobs/crawl/crawl-body.ts";
import { interpretPrompt } from "../../../services/crawl/interpret-prompt.ts";
import { V2_DEFAULTS } from "../../../services/scrape/scrape-plan.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { respondWithCrawl, respondWithCrawlEstimate } from "../../crawl/crawl-response.ts";
import { OLDER_CRAWL_FIELDS, translateOlderOptions } from "../../crawl/older-options.ts";
import { EstimateField, EstimateResponse } from "../../jobs/estimate-response.ts";
import { StartResponse } from "../../jobs/job-responses.ts";
import { fingerprintOf } from "../../../services/estimate/kept-estimates.ts";
import { jobRoutes } from "../../jobs/job-routes.ts";
import { admitWork } from "../../account/rate-limit.ts";
import { receiptOf } from "../../work.ts";
import { inputOf, parametersError } from "../../error-response.ts";
import { warningField } from "../../warning-field.ts";
import { BEARER, COMMON_FAILURES, PROFILE_FAILURES, ReceiptField, failures, json, jsonBody } from "../../route.ts";
import { ActiveResponse, listActive } from "../../jobs/active-jobs.ts";

const CrawlBody = z
  .strictObject({
    ...SHARED_CRAWL_FIELDS,
    prompt: z
      .string()
      .max(10_000)
      .optional()
      .describe("Description of the crawl in words, at most 10,000 characters. Options that you set take precedence."),
    sitemap: SITEMAP_MODE.optional().describe(
      "Use of the sitemap: not at all, in addition to links, or as the only source. Default: include.",
    ),
    ...OLDER_CRAWL_FIELDS,
    archive: ArchiveField,
    since: z
      .union([z.uuid(), z.literal("last")])
      .optional()
      .describe(
        "ID of an earlier crawl of the same URL with the same options, or `last` for the newest one that has completed. Pages that have not changed are not converted again. Default: every page is read.",
      ),
    sinceOutput: z
      .enum(["all", "changes"])
      .optional()
      .describe(
        "Documents among the results of a crawl with `since`: of all pages, or without unchanged ones. Default: all.",
      ),
    estimate: EstimateField,
    robotsUserAgent: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe(
        "User agent whose rules in robots.txt apply, at most 500 characters. Default: the user agent of the service.",
      ),
    scrapeOptions: ScrapeOptions.optional().describe("How the pages are scraped. Default: Markdown."),
  })
  .openapi("CrawlRequest", { example: { url: "https://example.com", limit: 100 } });

export const startCrawlRoute = createRoute({
  method: "post",
  path: "/v2/crawl",
  "x-key-scope": "crawl",
  tags: ["Crawling"],
  summary: "Start a crawl",
  security: BEARER,
  request: jsonBody(CrawlBody),
  responses: {
    200: json(z.union([StartResponse, EstimateResponse]), "The crawl has started; with `estimate`, its estimate"),
    ...failures("BAD_REQUEST", "INVALID_JOB_ID", "JOB_NOT_FOUND", "IDEMPOTENCY_KEY_USED", "CONCURRENCY_LIMITED", ...COMMON_FAILURES, ...PROFILE_FAILURES), // prettier-ignore
  },
});

export const startCrawl = defineOpenAPIRoute<typeof startCrawlRoute, AppEnv>({
  route: startCrawlRoute,
  handler: async (c) => {
    const { body, warnings } = translateOlderOptions(c.req.valid("json"));
    const { estimate, ...explicit } = withoutUndefined(body);
    const call = {
      apiVersion: "v2" as const,
      defaults: V2_DEFAULTS,
      url: body.url,
      options: explicit,
      prompt: body.prompt ?? "",
      maxConcurrency: body.maxConcurrency,
      ignoreRobotsTxt: body.ignoreRobotsTxt ?? false,
      robotsUserAgent: body.robotsUserAgent,
      scrapeOptions: body.scrapeOptions ?? {},
      webhook: body.webhook,
      zeroDataRetention: body.zeroDataRetention ?? false,
      archive: body.archive ?? false,
      since: body.since,
      sinceOutput: body.sinceOutput,
    };
    if (estimate === true) return c.json(await respondWithCrawlEstimate(c, call, body), 200);
    const fingerprint = await fingerprintOf("crawl", body);
    const { started, prompt } = await respondWithCrawl(c, { ...call, fingerprint });
    const noted = warningField([...warnings, started.warning]);
    if (prompt === undefined) return c.json({ ...started, ...noted }, 200);
    const { options: promptGeneratedOptions, applied } = prompt;
    const { url: _, prompt: __, webhook: ___, ...finalCrawlerOptions } = { ...applied, ...explicit };
    return c.json({ ...started, promptGeneratedOptions, finalCrawlerOptions, ...noted }, 200);
  },
});

export const {
  status: crawlStatus,
  errors: crawlErrors,
  cancel: cancelCrawl,
  retry: retryCrawl,
} = jobRoutes({
  path: "/v2/crawl",
  tag: "Crawling",
  noun: "crawl",
  job: { version: "v2", kinds: ["crawl"] },
  keyScope: "crawl",
});

export const activeCrawlsRoute = createRoute({
  method: "get",
  path: "/v2/crawl/active",
  "x-key-scope": "crawl",
  tags: ["Crawling"],
  summary: "List active crawls",
  security: BEARER,
  responses: { 200: json(ActiveResponse, "The active crawls"), ...failures(...COMMON_FAILURES) },
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

const PreviewBody = z
  .strictObject({
    url: UrlValue.describe("URL at which the crawl would start. Without a scheme, http is assumed."),
    prompt: z.string().min(1).max(10_000).describe("Description of the crawl in words, 1 to 10,000 characters."),
    origin: z.string().optional().describe("Name of the calling program. It does not change the result."),
    integration: z.unknown().optional().describe("Name of the calling integration. It does not change the result."),
  })
  .openapi("CrawlPreviewRequest", {
    example: { url: "https://example.com", prompt: "only the blog, at most 50 pages" },
  });
const PreviewResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: z
      .looseObject({
        url: z.string().describe("URL at which the crawl would start."),
        warning: z
          .string()
          .optional()
          .describe("What could not be done as requested. Absent when there is nothing to report."),
      })
      .describe("Options that were derived from the prompt."),
    receipt: ReceiptField,
  })
  .openapi("CrawlPreview", {
    example: { success: true, data: { url: "https://example.com", includePaths: ["^/blog(?:/|$)"], limit: 50 } },
  });

const previewRoute = createRoute({
  method: "post",
  path: "/v2/crawl/params-preview",
  "x-key-scope": "crawl",
  tags: ["Crawling"],
  summary: "Preview the crawl options of a prompt",
  security: BEARER,
  request: jsonBody(PreviewBody),
  responses: { 200: json(PreviewResponse, "The options"), ...failures("BAD_REQUEST", ...COMMON_FAILURES) },
});

export const previewCrawl = defineOpenAPIRoute<typeof previewRoute, AppEnv>({
  route: previewRoute,
  hook: (result): undefined => {
    if (!result.success) throw parametersError(result.error.issues, inputOf(result));
  },
  handler: async (c) => {
    const { url, prompt } = c.req.valid("json");
    await admitWork(c, { mode: "crawl", endpoint: "crawl", target: url, credits: 0 });
    const { options, warning } = await interpretPrompt(c.var.deps, c.var.caller, { url, prompt, options: {} });
    const noted = warning === undefined ? {} : { warning };
    return c.json({ success: true as const, data: { url, ...options, ...noted }, receipt: receiptOf(c) }, 200);
  },
});

/** Returns the fields that the caller set: an absent option has its default, or the value of the prompt. */
function withoutUndefined<Body extends object>(body: Body): Body {
  // The same fields without the undefined ones.
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Body;
}
