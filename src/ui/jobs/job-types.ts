/** A job in the list (`JobItem` in the OpenAPI document). */
export interface Job {
  id: string;
  kind: JobKind;
  status: JobState;
  target: string;
  apiVersion: "v1" | "v2";
  keyId: string;
  monitorId?: string;
  /** Absent for kinds without a list of pages, and for jobs of earlier versions. */
  pages?: { completed: number; failed: number; total: number };
  /** True for a job whose results are deleted once they are read. */
  zeroDataRetention?: true;
  statusPath: string;
  createdAt: string;
  endedAt: string | null;
  expiresAt: string;
}

export type JobKind = "crawl" | "batch_scrape" | "extract" | "agent" | "deep_research" | "llmstxt" | "monitor_check";
export type JobState = "queued" | "running" | "completed" | "partial" | "failed" | "cancelled" | "skipped";

export interface JobList {
  jobs: Job[];
  cursor: string | null;
}

export interface JobPages {
  limit: number | null;
  total: number;
  completed: number;
  failed: number;
  pending: number;
  skipped: number;
  discovered: number;
  creditsUsed: number;
  /** Documents among the results. */
  documents?: number;
  /** Numbers of pages by change, for incremental crawls. */
  changes?: { since: string; new: number; changed: number; unchanged: number; removed: number };
}

export interface PageTimes {
  stepMs: number;
  counts: number[];
}

export interface JobRequest {
  method: "POST";
  path: string;
  body: Record<string, unknown>;
}

/** A job with its request and numbers (`JobDetails` in the OpenAPI document). */
export interface JobDetails {
  job: Job;
  error?: string;
  warning?: string;
  durationMs: number;
  request: JobRequest | null;
  pages: JobPages | null;
  pageTimes: PageTimes | null;
  receipt?: { credits?: number; dollars?: number; browserMs?: number; bytesFetched?: number };
}

/** The answer to a retry of failed pages (`JobRetried` in the OpenAPI document). */
export interface JobRetried {
  id: string;
  retried: number;
  failed: number;
  warning?: string;
}

export const KIND_WORDS: Record<JobKind, string> = {
  crawl: "Crawl",
  batch_scrape: "Batch scrape",
  extract: "Extract",
  agent: "Agent",
  deep_research: "Deep research",
  llmstxt: "llms.txt",
  monitor_check: "Monitor check",
};

export const STATE_WORDS: Record<JobState, { label: string; tone: string }> = {
  queued: { label: "Queued", tone: "busy" },
  running: { label: "Running", tone: "busy" },
  completed: { label: "Completed", tone: "good" },
  partial: { label: "Partial", tone: "warn" },
  failed: { label: "Failed", tone: "bad" },
  cancelled: { label: "Cancelled", tone: "warn" },
  skipped: { label: "Skipped", tone: "" },
};

/** Kinds that `DELETE` on the status path cancels. */
const CANCELLED_KINDS: readonly JobKind[] = ["crawl", "batch_scrape", "extract", "agent"];

export function isUnderWay({ status }: Pick<Job, "status">): boolean {
  return status === "running" || status === "queued";
}

export function canCancel(job: Pick<Job, "kind" | "status">): boolean {
  return isUnderWay(job) && CANCELLED_KINDS.includes(job.kind);
}

/** True for kinds that scrape a list of pages. */
export function hasPages({ kind }: Pick<Job, "kind">): boolean {
  return kind === "crawl" || kind === "batch_scrape";
}
