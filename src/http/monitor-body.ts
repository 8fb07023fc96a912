import { z } from "@hono/zod-openapi";
import { SEARCH_WINDOWS } from "../core/monitor.ts";
import { UrlValue } from "../core/url.ts";
import { CallerFields, SCRAPE_OPTION_FIELDS, ScrapeOptions } from "../formats/scrape-options.ts";
import { webhookObject } from "../jobs/webhook.ts";

/** Reading more pages than this at every check is a crawl's work. */
const MAX_CRAWL_PAGES = 100;
const EVENTS = ["monitor.page", "page", "monitor.check.completed", "check.completed", "check", "completed"] as const;

/** Kept as it was written, and checked now, so that no check fails for it later. */
const WatchedScrapeOptions = z
  .strictObject(SCRAPE_OPTION_FIELDS)
  .superRefine((options, context) => {
    const { error } = ScrapeOptions.safeParse(options);
    for (const issue of error?.issues ?? [])
      context.addIssue({ code: "custom", path: issue.path, message: issue.message });
  })
  .openapi("MonitorScrapeOptions");

const CrawlOptions = z.strictObject({
  limit: z.int().min(1).max(MAX_CRAWL_PAGES).optional(),
  includePaths: z.array(z.string()).optional(),
  excludePaths: z.array(z.string()).optional(),
  sitemap: z.enum(["skip", "include", "only"]).optional(),
  allowSubdomains: z.boolean().optional(),
  crawlEntireDomain: z.boolean().optional(),
  ignoreQueryParameters: z.boolean().optional(),
});

const Id = { id: z.uuid().optional() };
const Domains = z.array(z.string().min(1)).max(50).optional();

const Target = z.discriminatedUnion("type", [
  z.strictObject({
    ...Id,
    type: z.literal("scrape"),
    urls: z.array(UrlValue).min(1).max(100),
    scrapeOptions: WatchedScrapeOptions.optional(),
  }),
  z.strictObject({
    ...Id,
    type: z.literal("crawl"),
    url: UrlValue,
    crawlOptions: CrawlOptions.optional(),
    scrapeOptions: WatchedScrapeOptions.optional(),
  }),
  z
    .strictObject({
      ...Id,
      type: z.literal("search"),
      queries: z.array(z.string().min(1).max(256)).min(1).max(12),
      searchWindow: z.enum(SEARCH_WINDOWS).default("24h"),
      includeDomains: Domains,
      excludeDomains: Domains,
      maxResults: z.int().min(1).max(50).default(10),
    })
    .refine(({ includeDomains, excludeDomains }) => includeDomains === undefined || excludeDomains === undefined, {
      message: "includeDomains and excludeDomains cannot both be given",
    }),
]);
export type WrittenTarget = z.infer<typeof Target>;

const Schedule = z.strictObject({
  cron: z.string().max(200).optional(),
  text: z.string().max(200).optional(),
  timezone: z.string().max(100).optional(),
});

const Webhook = webhookObject(EVENTS);

/** Taken when it asks for nothing: this service sends no mail and no messages. */
const Notification = z
  .strictObject({
    email: z
      .strictObject({
        enabled: z.boolean().optional(),
        recipients: z.array(z.email()).max(25).optional(),
        includeDiffs: z.boolean().optional(),
      })
      .optional(),
    slack: z.looseObject({ enabled: z.boolean().optional() }).optional(),
  })
  .refine(({ email, slack }) => !isWanted(email) && !isWanted(slack), {
    message: "notification: this service sends no mail and no Slack messages; use webhook",
  });

function isWanted(way: { enabled?: boolean | undefined } | undefined): boolean {
  return way !== undefined && way.enabled !== false;
}

const FIELDS = {
  name: z.string().min(1).max(256),
  schedule: Schedule,
  targets: z.array(Target).min(1).max(50),
  webhook: Webhook.nullable().optional(),
  notification: Notification.nullable().optional(),
  goal: z.string().max(2000).nullable().optional(),
  judgeEnabled: z.boolean().optional(),
  ...CallerFields,
};

export const MonitorBody = z
  .strictObject({ ...FIELDS, retentionDays: z.int().min(1).max(365).default(30) })
  .openapi("MonitorRequest", {
    example: {
      name: "Prices",
      schedule: { text: "hourly" },
      targets: [{ type: "scrape", urls: ["https://example.com/prices"] }],
    },
  });
export type MonitorBody = z.infer<typeof MonitorBody>;

export const MonitorChange = z
  .strictObject({ ...FIELDS, retentionDays: z.int().min(1).max(365), status: z.enum(["active", "paused"]) })
  .partial()
  .refine((body) => Object.keys(body).some((name) => name !== "origin" && name !== "integration"), {
    message: "At least one field must be given",
  })
  .openapi("MonitorChange", { example: { status: "paused" } });
export type MonitorChange = z.infer<typeof MonitorChange>;
