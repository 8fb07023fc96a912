import { z } from "zod";
import type { JobStatus } from "../crawl/frontier.ts";
import type { CheckStatus } from "../monitors/monitor.ts";
import { ENDPOINT_OF_JOB, JOB_KIND_NAMES } from "./job.ts";

/** Kinds of work in the list of jobs. */
export const LISTED_KINDS = [...JOB_KIND_NAMES, "monitor_check"] as const;
export type ListedKind = (typeof LISTED_KINDS)[number];

/** Endpoint scope that a key needs to see a kind of work. */
export const ENDPOINT_OF_LISTED = { ...ENDPOINT_OF_JOB, monitor_check: "monitor" } as const;

/** States in the list of jobs. Jobs are never queued, partial or skipped; checks are never cancelled. */
export const LISTED_STATUSES = ["queued", "running", "completed", "partial", "failed", "cancelled", "skipped"] as const;
export type ListedStatus = (typeof LISTED_STATUSES)[number];

const STATUS_OF: Record<JobStatus | CheckStatus, ListedStatus> = {
  scraping: "running",
  queued: "queued",
  running: "running",
  completed: "completed",
  partial: "partial",
  failed: "failed",
  cancelled: "cancelled",
  skipped_overlap: "skipped",
  skipped_no_credits: "skipped",
};

/** Returns the state in the list of a job's or a check's status. */
export function listedStatus(status: JobStatus | CheckStatus): ListedStatus {
  return STATUS_OF[status];
}

/** Returns the stored statuses that have one of these states in the list. */
export function storedStatuses(wanted: readonly ListedStatus[]): (JobStatus | CheckStatus)[] {
  return (Object.keys(STATUS_OF) as (JobStatus | CheckStatus)[]).filter((status) => wanted.includes(STATUS_OF[status]));
}

/** Numbers of pages of a crawl or batch in the list of jobs. */
export const ListedPages = z.looseObject({ completed: z.number(), failed: z.number(), total: z.number() });
export type ListedPages = Pick<z.infer<typeof ListedPages>, "completed" | "failed" | "total">;

/** A job or a check of a monitor, as it is listed. */
export interface ListedJob {
  id: string;
  kind: ListedKind;
  status: ListedStatus;
  /** Start URL, first URL or beginning of the prompt; for a check, the name of its monitor. */
  target: string;
  apiVersion: "v1" | "v2";
  keyId: string;
  /** Set for checks. */
  monitorId: string | undefined;
  /** Undefined for kinds without a list of pages, while they are not known, and for jobs of earlier versions. */
  pages: ListedPages | undefined;
  /** True for a job whose documents are returned once. */
  hasZeroRetention: boolean;
  createdAtMs: number;
  endedAtMs: number | undefined;
  expiresAtMs: number;
}

/** Returns the numbers of the list from those of a job. */
export function pagesOf({ completed, failed, total }: ListedPages): ListedPages {
  return { completed, failed, total };
}

/** Place in the list, which is ordered by time of creation and id, newest first. */
export interface JobPlace {
  createdAtMs: number;
  id: string;
}

/** Compares places: newest first, and at the same time by id, descending. */
export function comparePlaces(left: JobPlace, right: JobPlace): number {
  if (left.createdAtMs !== right.createdAtMs) return right.createdAtMs - left.createdAtMs;
  return left.id < right.id ? 1 : left.id > right.id ? -1 : 0;
}
