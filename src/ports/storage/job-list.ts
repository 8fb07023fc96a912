import type { JobPlace, ListedJob, ListedKind, ListedStatus } from "../../core/jobs/listed-job.ts";

export interface JobListQuery {
  kinds: readonly ListedKind[];
  /** All states when absent. */
  statuses?: readonly ListedStatus[] | undefined;
  /** A part of the target in any case, or the beginning of an id; all jobs when absent. */
  text?: string | undefined;
  /** Earliest and latest time of creation, in ms since the epoch. */
  fromMs: number;
  toMs: number;
  /** The list continues below this place. */
  after: JobPlace | undefined;
  limit: number;
  /** Jobs that have expired at this time are not listed. */
  nowMs: number;
}

export interface JobListPage {
  jobs: ListedJob[];
  /** Place that the next page continues below; undefined at the end. A page can be short, or empty, and have a next one. */
  next: JobPlace | undefined;
}

/** The stored jobs of one kind. */
export interface StoredJobs {
  kind: ListedKind;
  count: number;
  /** Expiry of the first and of the last one, in ms since the epoch. */
  firstExpiryMs: number;
  lastExpiryMs: number;
}

/** The jobs and checks of teams, newest first. */
export interface JobList {
  /** Lists a team's work. Reads a bounded number of rows: a page whose filters match few rows has fewer jobs. */
  list(teamId: string, query: JobListQuery): Promise<JobListPage>;
  /** Counts a team's stored work by kind, in its newest 50,000 jobs and as many checks. */
  stored(teamId: string, nowMs: number): Promise<StoredJobs[]>;
}
