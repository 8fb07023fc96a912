import type { JobKind } from "../jobs/job-types.ts";

/** The displayed sums over the receipts of responses (`UsageLine` in the OpenAPI document). */
export interface UsageSums {
  requests: number;
  errors: number;
  pages: number;
  credits: number;
  browserMs: number;
  bytesFetched: number;
  dollars: number;
  latencyMs: { p50: number; p95: number } | null;
}

export interface UsageLine extends UsageSums {
  day?: string;
  endpoint?: string;
  key?: { id: string; name: string; prefix: string };
}

export interface UsageResponse {
  from: string;
  to: string;
  data: UsageLine[];
  totals: UsageSums;
}

export interface ActivityEntry {
  id: string;
  endpoint: string;
  created_at: string;
  target: string | null;
  succeeded?: boolean;
  duration_ms?: number;
  credits_used?: number;
  engine?: string;
  code?: string;
  error?: string;
  /** The engines that were tried, of a page that did not load. */
  attempts?: { engine: string; outcome: string; reason?: string; proxy?: string; ms: number }[];
  timing?: { step: string; ms: number }[];
  cost?: { dollars: number; cpuMs: number; browserMs: number; bytes: number };
}

export interface ActivityResponse {
  data: ActivityEntry[];
  cursor: string | null;
  has_more: boolean;
}

export interface BreakdownLine {
  name: string;
  requests: number;
  errors: number;
  credits: number;
}

export interface BreakdownResponse {
  by: "hour" | "host" | "engine" | "failure";
  from: string;
  to: string;
  data: BreakdownLine[];
}

export interface BudgetsResponse {
  data: {
    key: { id: string; name: string; prefix: string };
    creditsUsed: number;
    monthlyCredits: number | null;
    periodEnd: string;
  }[];
}

export interface StorageResponse {
  jobs: { kind: JobKind; count: number; firstExpiresAt: string; lastExpiresAt: string }[];
  searchIndex: { pages: number; bytes: number; databases: number; warning?: string };
  database: { percentUsed: number; warning?: string };
  retentionHours: { results: number; pageCache: number; searchIndex: number };
}
