import { z } from "zod";
import type { PageSource } from "../scrape/page-source.ts";
import { Estimate } from "../account/estimate.ts";

export const SEARCH_WINDOWS = ["5m", "15m", "1h", "6h", "24h", "7d"] as const;
export type SearchWindow = (typeof SEARCH_WINDOWS)[number];

export const MonitorCrawlOptions = z.object({
  limit: z.number().optional(),
  includePaths: z.array(z.string()).optional(),
  excludePaths: z.array(z.string()).optional(),
  sitemap: z.enum(["skip", "include", "only"]).optional(),
  allowSubdomains: z.boolean().optional(),
  crawlEntireDomain: z.boolean().optional(),
  ignoreQueryParameters: z.boolean().optional(),
});
export type MonitorCrawlOptions = z.infer<typeof MonitorCrawlOptions>;

const id = z.string();

/** A target of a monitor; stored as JSON with the monitor. `scrapeOptions` were validated when they were received. */
export const MonitorTarget = z.discriminatedUnion("type", [
  z.object({ id, type: z.literal("scrape"), urls: z.array(z.string()), scrapeOptions: z.unknown().optional() }),
  z.object({
    id,
    type: z.literal("crawl"),
    url: z.string(),
    crawlOptions: MonitorCrawlOptions.optional(),
    scrapeOptions: z.unknown().optional(),
  }),
  z.object({
    id,
    type: z.literal("search"),
    queries: z.array(z.string()),
    searchWindow: z.enum(SEARCH_WINDOWS).default("24h"),
    includeDomains: z.array(z.string()).optional(),
    excludeDomains: z.array(z.string()).optional(),
    maxResults: z.number().default(10),
  }),
]);
export type MonitorTarget = z.infer<typeof MonitorTarget>;

export const MonitorWebhook = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()).optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  events: z.array(z.string()).optional(),
});
export type MonitorWebhook = z.infer<typeof MonitorWebhook>;

export const MonitorConfig = z.object({
  schedule: z.object({ cron: z.string(), timezone: z.string().default("UTC") }),
  targets: z.array(MonitorTarget),
  /** Revisions of the targets whose page states were deleted by an update, by their ids. Others have their first revision. */
  revisions: z.record(z.string(), z.string()).optional(),
  webhook: MonitorWebhook.nullable().default(null),
  retentionDays: z.number().default(30),
  goal: z.string().nullable().default(null),
  judgeEnabled: z.boolean().default(false),
  /** True when a request has set `judgeEnabled`: a goal that is added later does not turn it on. */
  isJudgeSet: z.boolean().optional(),
  /** Origin of the URLs of a scrape's files. */
  publicOrigin: z.string(),
  /** `host:port` of the service itself, which checks must not load. */
  ownHosts: z.array(z.string()).readonly().optional(),
  /** Estimate that the monitor was created after. */
  estimate: Estimate.nullish(),
});
export type MonitorConfig = z.infer<typeof MonitorConfig>;

const pages = () => z.number().default(0);

export const MonitorSummary = z.object({
  totalPages: pages(),
  same: pages(),
  changed: pages(),
  new: pages(),
  removed: pages(),
  error: pages(),
});
export type MonitorSummary = z.infer<typeof MonitorSummary>;

export const NO_PAGES: MonitorSummary = { totalPages: 0, same: 0, changed: 0, new: 0, removed: 0, error: 0 };

export interface Monitor {
  id: string;
  teamId: string;
  /** Key that pays for the checks. */
  keyId: string;
  name: string;
  status: "active" | "paused";
  config: MonitorConfig;
  /** Undefined while paused. */
  nextRunAtMs: number | undefined;
  lastRunAtMs: number | undefined;
  currentCheckId: string | undefined;
  lastSummary: MonitorSummary | undefined;
  createdAtMs: number;
  updatedAtMs: number;
}

export const CHECK_STATUSES = [
  "queued",
  "running",
  "completed",
  "partial",
  "failed",
  "skipped_overlap",
  "skipped_no_credits",
] as const;
export type CheckStatus = (typeof CHECK_STATUSES)[number];

/** A page to read in a check. */
export const PlannedPage = z.object({
  targetId: z.string(),
  url: z.string(),
  /** Title and description of a search result that is judged. */
  about: z.string().optional(),
  /** `lastmod` of the page in the sitemap of its site. */
  sitemapDate: z.string().optional(),
});
export type PlannedPage = z.infer<typeof PlannedPage>;

/** Pages of a check, listed target by target before the first page is read. */
export const CheckPlan = z.object({
  /** Ids of targets whose pages have been listed or could not be listed. */
  listed: z.array(z.string()),
  /** Revisions of the listed targets that are not at their first one. */
  revisions: z.record(z.string(), z.string()).optional(),
  pages: z.array(PlannedPage),
  /** Targets that could not be listed: a site by its URL, a search by its query. */
  failed: z.array(PlannedPage.extend({ error: z.string() })).default([]),
  /** Options without effect and incomplete results. */
  warnings: z.array(z.object({ targetId: z.string(), warning: z.string() })).default([]),
});
export type CheckPlan = z.infer<typeof CheckPlan>;

export const NO_PLAN: CheckPlan = { listed: [], pages: [], failed: [], warnings: [] };

/** Result of listing the pages of a target; stored as JSON with its check. */
export const ListingResult = z.object({
  targetId: z.string(),
  pages: z.number(),
  /** True when a site or query could not be listed. */
  hasFailed: z.boolean(),
  warning: z.string().optional(),
});
export type ListingResult = z.infer<typeof ListingResult>;
export const ListingResults = z.array(ListingResult);

/** A check without its plan. */
export interface ListedCheck {
  id: string;
  monitorId: string;
  status: CheckStatus;
  trigger: "scheduled" | "manual";
  scheduledForMs: number | undefined;
  startedAtMs: number | undefined;
  finishedAtMs: number | undefined;
  /** Results of the targets that are listed. */
  results: readonly ListingResult[];
  actualCredits: number;
  summary: MonitorSummary | undefined;
  error: string | undefined;
  createdAtMs: number;
  updatedAtMs: number;
  expiresAtMs: number;
}

export interface MonitorCheck extends ListedCheck {
  plan: CheckPlan | undefined;
}

export const PAGE_STATUSES = ["same", "new", "changed", "removed", "error"] as const;
export type MonitorPageStatus = (typeof PAGE_STATUSES)[number];

/** A language model's decision on whether a change matters to the monitor's goal. */
export const Judgment = z.object({
  meaningful: z.boolean(),
  confidence: z.enum(["high", "medium", "low"]),
  reason: z.string(),
  meaningfulChanges: z.array(
    z.object({
      type: z.enum(["added", "removed", "changed"]),
      before: z.string().nullable(),
      after: z.string().nullable(),
      reason: z.string(),
    }),
  ),
});
export type Judgment = z.infer<typeof Judgment>;

/** Result of a check for one page, in the form of the response. */
export const MonitorPage = z.object({
  id: z.string(),
  targetId: z.string(),
  url: z.string(),
  status: z.enum(PAGE_STATUSES),
  previousScrapeId: z.string().nullable().default(null),
  currentScrapeId: z.string().nullable().default(null),
  statusCode: z.number().nullable().default(null),
  error: z.string().nullable().default(null),
  metadata: z.unknown().default(null),
  /** Lines as `text` and `json.files`; changed fields, each with `previous` and `current`, as `json`; or both. */
  diff: z
    .object({ text: z.string().optional(), json: z.record(z.string(), z.unknown()) })
    .nullable()
    .default(null),
  /** Data extracted from the page, for targets that compare fields. */
  snapshot: z.object({ json: z.unknown() }).optional(),
  /** Null for unchanged pages, and without a goal or a model. */
  judgment: Judgment.nullable().default(null),
  /** Warning about the page or about parts missing in its diff. */
  warning: z.string().optional(),
  createdAt: z.string(),
});
export type MonitorPage = z.infer<typeof MonitorPage>;

/** Text and data of a page when it was last read. */
export interface PageState {
  targetId: string;
  url: string;
  scrapeId: string | null;
  textHash: string;
  text: string;
  /** Data extracted from the page, and the hash of the options it was extracted with. */
  extracted?: ExtractedState | undefined;
  /** Evidence that the page has not changed: validators of the response, with its URL, and the date in the sitemap. */
  validators?: StoredValidators | undefined;
  /** Origin of the text; absent in states of older versions, and where the document of an earlier scrape was read. */
  source?: PageSource | undefined;
}

export const StoredValidators = z.object({
  /** URL after redirects. */
  url: z.string(),
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  /** Hash of the scrape options that the response was read with; absent in states of older versions. */
  optionsHash: z.string().optional(),
  /** Time of the request that last confirmed the content, in ms since the epoch. */
  readAtMs: z.number().optional(),
  /**
   * Time at which the entry of the page in the search index was last put, or looked at for its renewal, in ms since the
   * epoch; `readAtMs` where it is absent.
   */
  indexedAtMs: z.number().optional(),
  /** `lastmod` of the page in the sitemap at that time. */
  sitemapDate: z.string().optional(),
});
export type StoredValidators = z.infer<typeof StoredValidators>;

export const ExtractedState = z.object({
  optionsHash: z.string(),
  sourceHash: z.string().optional(),
  value: z.unknown().optional(),
});
export type ExtractedState = z.infer<typeof ExtractedState>;
