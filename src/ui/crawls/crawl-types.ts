import type { ShownDocument } from "../playground/documents.ts";

/** Where a crawl stands, as the service answers it (its OpenAPI document: `JobStatus`). */
export interface CrawlStatus {
  success: boolean;
  status: "scraping" | "completed" | "failed" | "cancelled";
  completed: number;
  total: number;
  creditsUsed: number;
  expiresAt: string;
  createdAt?: string;
  completedAt?: string;
  duration?: number;
  warning?: string;
  error?: string;
  next?: string;
  data: ShownDocument[];
}

export type Outcome = "scraped" | "failed" | "skipped" | "pending";

/** One URL that a crawl came across, with what became of it (`CrawlUrls`). */
export interface UrlLine {
  url: string;
  outcome: Outcome;
  reason?: string;
  detail?: string;
  depth: number;
  parent?: string;
  attempt?: number;
}

export interface CrawlCounts {
  discovered: number;
  completed: number;
  failed: number;
  skipped: number;
  pending: number;
}

export interface UrlsAnswer {
  counts: CrawlCounts;
  urls: UrlLine[];
  next?: string;
}

export interface CrawlErrors {
  errors: { id: string; timestamp: string; url: string; code?: string; error: string }[];
  robotsBlocked: string[];
}

/** A page of a crawl: what the list shows of it. */
export interface ArrivedPage {
  url: string;
  title: string | undefined;
  statusCode: number | undefined;
  scrapeId: string | undefined;
}

export const STATUS_WORDS = {
  scraping: { label: "Running", tone: "busy" },
  completed: { label: "Completed", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
  cancelled: { label: "Cancelled", tone: "warn" },
} as const;
