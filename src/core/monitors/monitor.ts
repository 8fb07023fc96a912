/** What is watched, and how; kept as JSON with the monitor. `scrapeOptions` are those of a scrape, checked when they came in. */
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
  /** Under which files of scrapes are published. */
  publicOrigin: string;
  /** `host:port` of the service itself, which its checks must not load. */
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
  /** Pays for the checks. */
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

/** A page that a check looks at. */
export interface PlannedPage {
  targetId: string;
  url: string;
}

/** What a check looks at, found target by target before the first page is read. */
export interface CheckPlan {
  /** Ids of targets whose pages have been listed, or could not be. */
  listed: string[];
  pages: PlannedPage[];
  /** What could not be listed: a site by its URL, a search by its query. */
  failed: (PlannedPage & { error: string })[];
  /** What could not be done as asked. */
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
  /** Turns that have worked on it, the running one included, since one of them last got on. */
  idleRuns: number;
  actualCredits: number;
  summary: MonitorSummary | undefined;
  error: string | undefined;
  createdAtMs: number;
  updatedAtMs: number;
  expiresAtMs: number;
}

export const PAGE_STATUSES = ["same", "new", "changed", "removed", "error"] as const;
export type MonitorPageStatus = (typeof PAGE_STATUSES)[number];

/** What a check has found of one page; its `body` is answered as it stands. */
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
  /** What is to be known of the page, or is missing in its diff, in words. */
  warning?: string | undefined;
  createdAt: string;
}

/** What a page said when it was last read. */
export interface PageState {
  targetId: string;
  url: string;
  scrapeId: string | null;
  textHash: string;
  text: string;
}
