import { z } from "zod";
import { MAX_PATH_PATTERNS } from "../../core/crawl/crawl-scope.ts";
import { UrlValue } from "../../core/url/url.ts";
import { CallerFields } from "../../formats/scrape-options.ts";
import { CrawlWebhook } from "../webhook.ts";

/** Pages of one crawl; the state of a crawl is built for as many URLs. */
export const MAX_CRAWL_PAGES = 1_000_000;
const MAX_DELAY_SECONDS = 60;
/** The forms of some clients ask for milliseconds and send them unconverted. */
const DELAY_IN_SECONDS = `delay is in seconds, and at most ${MAX_DELAY_SECONDS} seconds; divide milliseconds by 1000`;

/** Fields of a crawl in both versions (api-contract.md, “Crawl options”). */
export const SHARED_CRAWL_FIELDS = {
  url: UrlValue.describe("URL at which the crawl starts. Without a scheme, http is assumed."),
  includePaths: z
    .array(z.string())
    .max(MAX_PATH_PATTERNS)
    .optional()
    .describe(
      "Regular expressions (RE2), at most 1,000; only URLs whose path matches one are scraped. Default: no filter.",
    ),
  excludePaths: z
    .array(z.string())
    .max(MAX_PATH_PATTERNS)
    .optional()
    .describe(
      "Regular expressions (RE2), at most 1,000; URLs whose path matches one are left out. Default: no filter.",
    ),
  maxDiscoveryDepth: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("Maximum number of links to follow from the start page; sitemap URLs have depth 0. Default: no limit."),
  limit: z
    .number()
    .int()
    .min(1)
    .max(MAX_CRAWL_PAGES, `limit must be at most ${MAX_CRAWL_PAGES}`)
    .optional()
    .describe("Maximum number of pages to scrape, including the start page, 1 to 1,000,000. Default: 10,000."),
  crawlEntireDomain: z.boolean().optional().describe("Scrapes URLs outside the path of `url` too. Default: false."),
  allowExternalLinks: z
    .boolean()
    .optional()
    .describe("Scrapes pages of other sites that are linked, without following their links. Default: false."),
  allowSubdomains: z
    .boolean()
    .optional()
    .describe("Scrapes pages of other hosts of the same registrable domain. Default: false."),
  ignoreRobotsTxt: z.boolean().optional().describe("Scrapes pages that robots.txt disallows. Default: false."),
  deduplicateSimilarURLs: z
    .boolean()
    .optional()
    .describe("Treats URLs that differ in scheme, `www`, index file or a trailing slash as one. Default: true."),
  ignoreQueryParameters: z
    .boolean()
    .optional()
    .describe("Treats URLs that differ only in the query as one. Default: false."),
  regexOnFullURL: z
    .boolean()
    .optional()
    .describe("Matches `includePaths` and `excludePaths` against the whole URL. Default: false."),
  delay: z
    .number()
    .positive()
    // The response contains the message of the first failed check, so the check with its own message comes first.
    .refine((seconds) => seconds <= MAX_DELAY_SECONDS, DELAY_IN_SECONDS)
    .max(MAX_DELAY_SECONDS)
    .optional()
    .describe(
      "Time between two pages in seconds, at most 60. Pages are then scraped one at a time. Default: no delay.",
    ),
  maxConcurrency: z
    .int()
    .min(1)
    .optional()
    .describe("Maximum number of pages of the job that are scraped at the same time. Default: the limit of the key."),
  webhook: CrawlWebhook.optional().describe("URL, or object with a URL, that receives the events of the job."),
  zeroDataRetention: z
    .boolean()
    .optional()
    .describe(
      "Deletes the result once it has been read. It is refused unless the deployment allows it. Default: false.",
    ),
  ...CallerFields,
};

/** Values of the `sitemap` option; old clients still send the fields of version 1 instead. */
export const SITEMAP_MODE = z.enum(["skip", "include", "only"]);
