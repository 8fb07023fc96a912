import type { Endpoint } from "../account/api-key.ts";
import type { JobStatus } from "../crawl/frontier.ts";

/** Kinds of long work: the first two scrape pages of a frontier, the others go step by step. */
export type JobKindName = "crawl" | "batch_scrape" | "extract" | "agent" | "deep_research" | "llmstxt";

/** The endpoint that a key needs for jobs of a kind. */
export const ENDPOINT_OF_JOB = {
  crawl: "crawl",
  batch_scrape: "batch_scrape",
  extract: "extract",
  agent: "agent",
  deep_research: "agent",
  llmstxt: "agent",
} as const satisfies Record<JobKindName, Endpoint>;

/** What is kept of a job beside its frontier: enough to find it, list it and know whose it is. */
export interface JobRecord {
  id: string;
  teamId: string;
  keyId: string;
  kind: JobKindName;
  apiVersion: "v1" | "v2";
  status: JobStatus;
  /** The URL that a crawl begins at; the first one of a batch. */
  target: string;
  /** The options as v2 names them, as JSON text. */
  optionsJson: string;
  createdAtMs: number;
  endedAtMs: number | undefined;
  expiresAtMs: number;
}
