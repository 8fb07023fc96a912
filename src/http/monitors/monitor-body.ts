import { z } from "@hono/zod-openapi";
import { MAX_PATH_PATTERNS } from "../../core/crawl/crawl-scope.ts";
import { SEARCH_WINDOWS } from "../../core/monitors/monitor.ts";
import { UrlValue } from "../../core/url/url.ts";
import { SearchFormats } from "../../formats/index.ts";
import { CallerFields, SCRAPE_OPTION_FIELDS, ScrapeOptions } from "../../formats/scrape-options.ts";
import { hiddenPaths } from "../../formats/hidden-options.ts";
import { EstimateField } from "../jobs/estimate-response.ts";
import { WebhookUrl, webhookObject } from "../../jobs/webhook.ts";
import { Domain } from "../search/search-request.ts";

/** Checks with more pages than this need a crawl. */
const MAX_CRAWL_PAGES = 100;
const EVENTS = ["monitor.page", "page", "monitor.check.completed", "check.completed", "check", "completed"] as const;

/** Stored as written, and validated now, so that no later check fails because of it. */
const WatchedScrapeOptions = z
  .strictObject({
    ...SCRAPE_OPTION_FIELDS,
    formats: SearchFormats.optional().describe(
      "Output formats. `changeTracking` with mode `json` compares fields instead of text, and with `git-diff` as well both. Default: markdown.",
    ),
  })
  .superRefine((options, context) => {
    const { error } = ScrapeOptions.safeParse(options);
    // A change keeps the stored values of hidden ones (services/monitors/hidden-values.ts).
    const hidden = new Set(hiddenPaths(options).map((path) => path.join(".")));
    for (const issue of (error?.issues ?? []).filter(({ path }) => !hidden.has(path.join("."))))
      context.addIssue({ code: "custom", path: issue.path, message: issue.message });
  })
  .openapi("MonitorScrapeOptions", { description: "How the pages of a monitor are scraped." });

const CrawlOptions = z.strictObject({
  limit: z.int().min(1).max(MAX_CRAWL_PAGES).optional().describe("Maximum number of pages to check, 1 to 100."),
  includePaths: z
    .array(z.string())
    .max(MAX_PATH_PATTERNS)
    .optional()
    .describe("Regular expressions (RE2), at most 1,000; only URLs whose path matches one are checked."),
  excludePaths: z
    .array(z.string())
    .max(MAX_PATH_PATTERNS)
    .optional()
    .describe("Regular expressions (RE2), at most 1,000; URLs whose path matches one are left out."),
  sitemap: z
    .enum(["skip", "include", "only"])
    .optional()
    .describe("Use of the sitemap: not at all, in addition to links, or as the only source. Default: include."),
  allowSubdomains: z.boolean().optional().describe("Includes subdomains of the site."),
  crawlEntireDomain: z.boolean().optional().describe("Includes URLs outside the path of `url`. Default: false."),
  ignoreQueryParameters: z.boolean().optional().describe("Treats URLs that differ only in the query as one."),
});

const Id = {
  id: z.uuid().optional().describe("ID of an existing target of the monitor, to keep its history. Default: a new ID."),
};
const Domains = z.array(Domain).max(50).optional();

const Target = z.discriminatedUnion("type", [
  z.strictObject({
    ...Id,
    type: z.literal("scrape").describe("Checks a list of pages."),
    urls: z.array(UrlValue).min(1).max(100).describe("URLs of the pages to check, 1 to 100."),
    scrapeOptions: WatchedScrapeOptions.optional(),
  }),
  z.strictObject({
    ...Id,
    type: z.literal("crawl").describe("Checks the pages of a site."),
    url: UrlValue.describe("URL at which the crawl starts. Without a scheme, http is assumed."),
    crawlOptions: CrawlOptions.optional().describe("Which pages of the site are checked."),
    scrapeOptions: WatchedScrapeOptions.optional(),
  }),
  z
    .strictObject({
      ...Id,
      type: z.literal("search").describe("Checks the results of web searches."),
      queries: z
        .array(z.string().min(1).max(256))
        .min(1)
        .max(12)
        .describe("Search queries, 1 to 12, each of at most 256 characters."),
      searchWindow: z
        .enum(SEARCH_WINDOWS)
        .default("24h")
        .describe(
          "Age of the results to search for. `5m` and `15m` are widened to `1h`, and `warning` says so. Default: 24h.",
        ),
      includeDomains: Domains.describe(
        "Domains to search in, at most 50. It cannot be combined with `excludeDomains`.",
      ),
      excludeDomains: Domains.describe("Domains to exclude, at most 50. It cannot be combined with `includeDomains`."),
      maxResults: z
        .int()
        .min(1)
        .max(50)
        .default(10)
        .describe("Maximum number of results of each query, 1 to 50. Default: 10."),
    })
    .refine(({ includeDomains, excludeDomains }) => includeDomains === undefined || excludeDomains === undefined, {
      message: "includeDomains and excludeDomains cannot both be given",
    }),
]);
export type WrittenTarget = z.infer<typeof Target>;

const Schedule = z.strictObject({
  cron: z
    .string()
    .max(200)
    .optional()
    .describe("Cron expression with 5 fields. Runs must be at least 5 minutes apart. Give either this or `text`."),
  text: z
    .string()
    .max(200)
    .optional()
    .describe("Schedule in words, for example `hourly` or `daily at 9:30am`. Give either this or `cron`."),
  timezone: z.string().max(100).optional().describe("IANA name of the time zone of the schedule. Default: UTC."),
});

const Webhook = z.union([WebhookUrl, webhookObject(z.enum(EVENTS))]);

/** Accepted if it requests nothing: this service sends no mail and no chat messages. */
const Notification = z
  .strictObject({
    email: z
      .strictObject({
        enabled: z.boolean().optional().describe("Must be false, since the service sends no email."),
        recipients: z.array(z.email()).max(25).optional().describe("Email addresses, at most 25. They have no effect."),
        includeDiffs: z.boolean().optional().describe("Whether messages contain differences. It has no effect."),
      })
      .optional()
      .describe(
        "Email notifications. They are not available and are refused unless `enabled` is false; use `webhook`.",
      ),
    slack: z
      .looseObject({
        enabled: z.boolean().optional().describe("Must be false, since the service sends no Slack messages."),
      })
      .optional()
      .describe(
        "Slack notifications. They are not available and are refused unless `enabled` is false; use `webhook`.",
      ),
  })
  .refine(({ email, slack }) => !isWanted(email) && !isWanted(slack), {
    message: "notification: this service sends no mail and no Slack messages; use webhook",
  });

function isWanted(way: { enabled?: boolean | undefined } | undefined): boolean {
  return way !== undefined && way.enabled !== false;
}

const FIELDS = {
  name: z.string().min(1).max(256).describe("Name of the monitor, 1 to 256 characters."),
  schedule: Schedule.describe("When the monitor runs: exactly one of `cron` and `text`."),
  targets: z.array(Target).min(1).max(50).describe("What the monitor checks, 1 to 50 targets."),
  webhook: Webhook.nullable()
    .optional()
    .describe("URL, or object with a URL, that receives the events of the monitor, or null for none."),
  notification: Notification.nullable()
    .optional()
    .describe("Notifications by email or Slack. They are not available; use `webhook`."),
  goal: z
    .string()
    .max(2000)
    .nullable()
    .optional()
    .describe(
      "Description of the changes that matter, at most 2,000 characters. The language model judges changed pages and new search results by it; without a model nothing is judged, and `warning` says so. Each judgment costs 1 credit. Required with a target of type `search`, unless `judgeEnabled` is false.",
    ),
  judgeEnabled: z
    .boolean()
    .optional()
    .describe(
      "Turns the judgment by `goal` on or off. Without a goal, false is required for a target of type `search`; the field has no effect on others. Default: true with a goal.",
    ),
  ...CallerFields,
};

export const MonitorBody = z
  .strictObject({
    ...FIELDS,
    retentionDays: z
      .int()
      .min(1)
      .max(365)
      .default(30)
      .describe("Days for which checks are kept, 1 to 365. Default: 30."),
    estimate: EstimateField,
  })
  .openapi("MonitorRequest", {
    example: {
      name: "Prices",
      schedule: { text: "hourly" },
      targets: [{ type: "scrape", urls: ["https://example.com/prices"] }],
    },
  });
export type MonitorBody = z.infer<typeof MonitorBody>;

export const MonitorChange = z
  .strictObject({
    ...FIELDS,
    retentionDays: z.int().min(1).max(365).describe("Days for which checks are kept, 1 to 365."),
    status: z.enum(["active", "paused"]).describe("`paused` stops scheduled checks, `active` resumes them."),
  })
  .partial()
  .refine((body) => Object.keys(body).some((name) => name !== "origin" && name !== "integration"), {
    message: "At least one field must be given",
  })
  .openapi("MonitorChange", { example: { status: "paused" } });
export type MonitorChange = z.infer<typeof MonitorChange>;
