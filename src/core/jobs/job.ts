import type { Endpoint } from "../account/api-key.ts";
import type { JobStatus } from "../crawl/frontier.ts";

/** Kinds of jobs: the first two scrape the pages of a frontier, the others are step jobs. */
export const JOB_KIND_NAMES = ["crawl", "batch_scrape", "extract", "agent", "deep_research", "llmstxt"] as const;
export type JobKindName = (typeof JOB_KIND_NAMES)[number];

/** Endpoint scope that a key needs for jobs of a kind. */
export const ENDPOINT_OF_JOB = {
  crawl: "crawl",
  batch_scrape: "batch_scrape",
  extract: "extract",
  agent: "agent",
  deep_research: "agent",
  llmstxt: "agent",
} as const satisfies Record<JobKindName, Endpoint>;

/** Record of a job outside its frontier: the fields to find it, list it and check its owner. */
export interface JobRecord {
  id: string;
  teamId: string;
  keyId: string;
  kind: JobKindName;
  apiVersion: "v1" | "v2";
  status: JobStatus;
  /** Start URL of a crawl; first URL of a batch. */
  target: string;
  /** The options as v2 names them, as JSON text. */
  optionsJson: string;
  /** True when `optionsJson` lacks long options, which the job's own object has. */
  areOptionsCut?: boolean | undefined;
  createdAtMs: number;
  endedAtMs: number | undefined;
  /** When its results expire; of a running job, when it must have ended and its results expire. */
  expiresAtMs: number;
  /** The earlier crawl that an incremental one continues; written only. */
  sinceId?: string | undefined;
  /** Estimate that the job was started after, as JSON text. */
  estimateJson?: string | undefined;
}
