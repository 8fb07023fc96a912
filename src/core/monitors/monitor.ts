/** A target of a monitor; stored as JSON with the monitor. `scrapeOptions` were validated when they were received. */
export type MonitorTarget = { id: string } & (
  | { type: "scrape"; urls: string[]; scrapeOptions?: unknown }
  | { type: "crawl"; url: string; crawlOptions?: MonitorCrawlOptions | undefined; scrapeOptions?: unknown }
  | {
      type: "search";
      queries: string[];
      searchWindow: SearchWindow;
      includeDomains?: string[] | undefined;
      excludeDomains?: string[] | undefined;
      maxResults: number;
    }
);

export interface MonitorCrawlOptions {
  limit?: number | undefined;
  includePaths?: string[] | undefined;
  excludePaths?: string[] | undefined;
  sitemap?: "skip" | "include" | "only" | undefined;
  allowSubdomains?: boolean | undefined;
  crawlEntireDomain?: boolean | undefined;
  ignoreQueryParameters?: boolean | undefined;
}

export const SEARCH_WINDOWS = ["5m", "15m", "1h", "6h", "24h", "7d"] as const;
export type SearchWindow = (typeof SEARCH_WINDOWS)[number];

export interface MonitorWebhook {
  url: string;
  headers?: Record<string, string> | undefined;
  metadata?: Record<string, string> | undefined;
  events?: string[] | undefined;
}

export interface MonitorConfig {
  schedule: { cron: string; timezone: string };
  targets: MonitorTarget[];
  webhook: MonitorWebhook | null;
  retentionDays: number;
  goal: string | null;
  judgeEnabled: boolean;
  /** Origin of the URLs of a scrape's files. */
  publicOrigin: string;
  /** `host:port` of the service itself, which checks must not load. */
  ownHosts?: readonly string[] | undefined;
}

export interface MonitorSummary {
  totalPages: number;
  same: number;
  changed: number;
  new: number;
  removed: number;
  error: number;
}

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
export interface PlannedPage {
  targetId: string;
  url: string;
}

/** Pages of a check, listed target by target before the first page is read. */
export interface CheckPlan {
  /** Ids of targets whose pages have been listed or could not be listed. */
  listed: string[];
  pages: PlannedPage[];
  /** Targets that could not be listed: a site by its URL, a search by its query. */
  failed: (PlannedPage & { error: string })[];
  /** Options without effect and incomplete results. */
  warnings: { targetId: string; warning: string }[];
}

export const NO_PLAN: CheckPlan = { listed: [], pages: [], failed: [], warnings: [] };

export interface MonitorCheck {
  id: string;
  monitorId: string;
  status: CheckStatus;
  trigger: "scheduled" | "manual";
  scheduledForMs: number | undefined;
  startedAtMs: number | undefined;
  finishedAtMs: number | undefined;
  plan: CheckPlan | undefined;
  actualCredits: number;
  summary: MonitorSummary | undefined;
  error: string | undefined;
  createdAtMs: number;
  updatedAtMs: number;
  expiresAtMs: number;
}

export const PAGE_STATUSES = ["same", "new", "changed", "removed", "error"] as const;
export type MonitorPageStatus = (typeof PAGE_STATUSES)[number];

/** Result of a check for one page, in the form of the response. */
export interface MonitorPage {
  id: string;
  targetId: string;
  url: string;
  status: MonitorPageStatus;
  previousScrapeId: string | null;
  currentScrapeId: string | null;
  statusCode: number | null;
  error: string | null;
  metadata: unknown;
  diff: { text: string; json: { files: unknown[] } } | null;
  /** Warning about the page or about parts missing in its diff. */
  warning?: string | undefined;
  createdAt: string;
}

/** Text of a page when it was last read. */
export interface PageState {
  targetId: string;
  url: string;
  scrapeId: string | null;
  textHash: string;
  text: string;
}
