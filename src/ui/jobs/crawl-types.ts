import type { ShownDocument } from "../playground/response/documents.ts";

/** The status of a crawl (`JobStatus` in the OpenAPI document). */
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

export type Outcome = "scraped" | "failed" | "skipped" | "pending" | "removed";

/** A URL that a crawl discovered, with its outcome (`CrawlUrls` in the OpenAPI document). */
export interface UrlLine {
  url: string;
  outcome: Outcome;
  /** Difference to the earlier crawl, for incremental crawls. */
  change?: "new" | "changed" | "unchanged" | "removed";
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

export interface UrlsResponse {
  counts: CrawlCounts;
  urls: UrlLine[];
  next?: string;
}

export interface CrawlErrors {
  errors: { id: string; timestamp: string; url: string; code?: string; error: string }[];
  robotsBlocked: string[];
  /** URL of the rest. */
  next?: string;
}

/** The fields of a scraped page that the list shows. */
export interface ArrivedPage {
  url: string;
  title: string | undefined;
  statusCode: number | undefined;
  scrapeId: string | undefined;
}
