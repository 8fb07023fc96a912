import { z } from "zod";
import type {
  Candidate,
  Forgetting,
  FrontierConfig,
  FrontierItem,
  JobEvent,
  JobStatus,
  PageResult,
} from "../../core/crawl/frontier.ts";
import type { FilteredUrl } from "../../core/crawl/frontier.ts";
import type { ChangeCounts, EarlierPage, PageChange, Tombstone } from "../../core/crawl/page-version.ts";
import type { MeterCounts } from "../../core/account/meter.ts";
import type { PageTimes } from "../../core/jobs/page-times.ts";
import type { DeliveryKind } from "../../core/webhooks/webhook-retries.ts";

/** A new job. `specification` is the input of its consumers, as JSON text that only they read. */
export interface NewFrontier {
  config: FrontierConfig;
  specification: string;
  seeds: readonly Candidate[];
  /** Content that the site's pages share, when an earlier job has found it. */
  template?: string;
}

/** A part of the comparison with the earlier job, in order of its keys. */
export interface ComparedPages {
  /** Keys of the earlier job after which the part begins and with which it ends. */
  from: string;
  to: string;
  removed: readonly Tombstone[];
  /** Lease of the comparison, with the last part. */
  lease?: number;
}

/** Pages of a job by their keys, or the next ones behind a key. */
export type VersionQuery = { keys: readonly string[] } | { after: string; limit: number };

/** Results that a consumer reports in one call. */
export interface Completion {
  results: readonly (PageResult & { leaseId: number })[];
  /** Key of the object that holds the documents of the results. */
  object: string;
  candidates: readonly Candidate[];
  filtered: readonly FilteredUrl[];
  /** Hosts that request a delay between pages, in ms. */
  hosts: Record<string, { delayMs: number }>;
  /** Content that the first pages of the site share, as text; the first one stored applies to the rest of the job. */
  template?: string;
  /** Lease of the seed, once its URLs have been added. */
  seedLease?: number;
  /** True when a sitemap could not be read, or there was none. */
  lacksSitemap?: boolean;
  /** Sitemaps that were not read, in words for the warning of the job. */
  sitemapProblems?: readonly string[];
  compared?: ComparedPages;
  /** Counts of the consumer since its last report. */
  costs?: MeterCounts;
  /** New specification of a crawl whose first page has moved. */
  specification?: string;
}

/** One request of a consumer: completed results, leases that it still holds, and its capacity for more work. */
export interface WorkRequest {
  messageId: string;
  completion?: Completion;
  /** Leases in progress. */
  leaseIds: number[];
  capacity: number;
  /** Further pages to lease, each of which the consumer begins when another one has finished. */
  ahead?: number;
  /** Pages that the consumer has finished and reports later, or has not begun: they do not count as concurrent. */
  unreported?: number;
  /**
   * Number of the last claim that the consumer has received; 0 for none. Later claims in its leases were lost on their
   * way. Absent: a claim is a lease of its own.
   */
  lastClaim?: number;
  /** The consumer has the site's template or does not need it. */
  knowsTemplate?: boolean;
  /** The consumer accepts no more work after this call and only finishes what it holds. */
  isLeaving?: boolean;
}

/** Leased work, with the time at which each page may be requested. */
export interface Claim {
  leaseId: number;
  /** Number of this claim among all of the job: a lease may hold the items of several. */
  number: number;
  isSeed: boolean;
  /** Set when the earlier job's pages must be compared with those that were found. */
  comparison?: { after: string; lacksSitemap: boolean };
  /** Number of the last items that are leased ahead: not to be begun before others have finished. */
  ahead?: number;
  items: (FrontierItem & { startAtMs: number })[];
}

export interface WorkResponse {
  status: JobStatus;
  /** The site's template, once known, for a consumer that does not have it. */
  template?: string;
  claim?: Claim;
  /** True when further URLs wait, and a lease lacks nothing but room among the concurrent pages. */
  hasMore?: boolean;
}

/** Facts about a document of an earlier job that is a result of this one: its metadata are returned with these. */
export const KeptDocument = z.object({
  /** ID of the document in this job. */
  scrapeId: z.string(),
  /** Length of the metadata at its end in bytes. */
  metadataBytes: z.number(),
  creditsUsed: z.number(),
});
export type KeptDocument = z.infer<typeof KeptDocument>;

/** Location of one document: a byte range of an object. */
export const DocumentPlace = z.object({
  object: z.string(),
  offset: z.number(),
  length: z.number(),
  kept: KeptDocument.optional(),
});
export type DocumentPlace = z.infer<typeof DocumentPlace>;

/** Documents of one object, in their order within it. */
export interface DocumentRun {
  object: string;
  documents: { offset: number; length: number; kept?: KeptDocument }[];
}

/** Input of a worker run, and the state of its job. */
export interface OpenedFrontier {
  specification: string;
  status: JobStatus;
  /** Time until which the results exist at least. Objects of older versions do not name it. */
  expiresAtMs?: number;
  /** True for a job that runs again after an end. */
  hasRestarted?: boolean;
}

/** Progress of the job as a whole, for status responses. */
export interface JobProgress {
  status: JobStatus;
  error: string | undefined;
  createdAtMs: number;
  endedAtMs: number | undefined;
  expiresAtMs: number;
  creditsUsed: number;
  /** Pages that are scraped or will be, as far as known; never more than the limit. */
  total: number;
  completed: number;
  failed: number;
  /** URLs that are left out; while the job runs, with those that wait beyond its limit. */
  skipped: number;
  /** URLs that wait or are being scraped, without those beyond the limit. */
  pending: number;
  /** Pending pages that are being scraped. */
  active: number;
  /** Maximum number of pages; undefined for no limit. */
  limit: number | undefined;
  /** Undefined for a job of an older version. */
  pageTimes: PageTimes | undefined;
  /** Resources that the job has used so far; final once the job is settled. */
  costs: MeterCounts;
  discovered: number;
  robotsBlocked: number;
  /** Pages that are being scraped; those of a cancelled job still count when they complete. */
  inFlight: number;
  /** Time before which no pending page is requested (Unix time in ms), when it is seconds away; else undefined. */
  waitsUntilMs: number | undefined;
  outOfCredits: boolean;
  /** Sitemaps that were not read, in words; absent when there are none. */
  sitemapProblems?: readonly string[] | undefined;
  /** True when more URLs were found than are listed and counted. Absent in answers of older objects. */
  isListCut?: boolean | undefined;
  /** Documents among the job's results: scraped pages, for some incremental crawls without the unchanged ones. */
  documents: number;
  /** Incremental crawls: the earlier job, the numbers of pages by change, and whether those that were not found are known. */
  changes: (ChangeCounts & { since: string; isCompared: boolean; lacksSitemap: boolean }) | undefined;
  /** Rows written and messages sent since the job's object woke. */
  rowsWritten: number;
  messagesSent: number;
}

export interface PageFailure {
  id: string;
  atMs: number;
  url: string;
  code: string;
  error: string;
}

/** Failures in their order, and pages that robots.txt excludes. `next` is the row to go on after; undefined at the end. */
export interface FailurePage {
  errors: PageFailure[];
  robotsBlocked: string[];
  next: number | undefined;
}

/** One line of the list of all URLs. */
export interface UrlLine {
  url: string;
  outcome: "scraped" | "failed" | "skipped" | "pending" | "removed";
  /** Difference to the earlier job, for pages of an incremental crawl. */
  change?: PageChange;
  /** An error code, the name of a rule, `robots`, `duplicate`, `limit`, `cancelled`, `not_found` or `redirected`. */
  reason?: string;
  /** The reason as text, or the URL of which this one is a duplicate. */
  detail?: string;
  depth: number;
  parent?: string;
  attempt?: number;
}

/** Position in the list of URLs: the queue's rows, those beyond the limit, of filtered URLs, and of pages no longer found. */
export interface UrlCursor {
  part: "queue" | "overflow" | "filtered" | "removed";
  row: number;
  place: number;
}

/** Content of an event. */
export const EventContent = z.object({
  document: DocumentPlace.optional(),
  error: z.string().optional(),
  /** Data of a step job's event. */
  data: z.unknown().optional(),
  /** Metadata of a failed page, which has no document. */
  metadata: z.record(z.string(), z.unknown()).optional(),
});
export type EventContent = z.infer<typeof EventContent>;

/** An event that is waiting to be sent or could not be delivered. */
export interface OutboxEntry {
  entryId: number;
  /** Identical at every attempt, so that a receiver can detect repeats. */
  webhookId: string;
  event: JobEvent;
  content: EventContent;
  /** Characters of the content as JSON, without its document. Objects of older versions do not name them. */
  contentChars?: number;
  attempts: number;
}

/** Outcome of a delivery attempt. */
export interface DeliveryNote {
  /** A deleted event's number is given to a later one: only with the webhook id does it name an event. */
  entryId: number;
  webhookId: string;
  kind: DeliveryKind;
  /** Attempts before this one: a note that is reported again counts once. Runs of older versions do not name them. */
  attempts?: number;
}

/**
 * Outcome of a retry: the number of failed URLs, and how many of them are scraped again under the job's limit; or the
 * reason of a refusal: the job runs, it ended before all of its URLs were scraped, or its key has no slot left.
 */
export type RetryOutcome =
  | { kind: "retried"; retried: number; failed: number }
  | { kind: "running" | "ended" | "no_slot" };

/** Outcome of a start: a job that its key has no slot or too few credits for is not stored. */
export type StartOutcome = "started" | "no_slot" | "no_credits";

/** Outcome of adding URLs to a batch, which may have ended for good. */
export type AppendOutcome = "appended" | "ended" | "no_slot" | "no_credits";

/** Credits that a leased page costs beyond those of one page. */
export interface PageRaise {
  key: string;
  attempt: number;
  credits: number;
}

/** The frontiers of all jobs, one object per job. */
export interface Frontiers {
  /** Starts a job; a repeated call has no effect. */
  start(jobId: string, frontier: NewFrontier): Promise<StartOutcome>;
  /** Adds URLs to a batch, once per `appendId`; one that has ended runs again. */
  append(jobId: string, more: { urls: readonly string[]; appendId: string }): Promise<AppendOutcome>;
  /** Runs an ended job again with its failed URLs, once per `retryId`. Undefined for a job that does not exist. */
  retry(jobId: string, retryId: string): Promise<RetryOutcome | undefined>;
  /** Returns the input of a consumer; undefined when no work is left. */
  open(jobId: string, messageId: string): Promise<OpenedFrontier | undefined>;
  /** Returns the options that the job's record was made from, as JSON text; undefined when the job no longer exists. */
  recordedOptions(jobId: string): Promise<string | undefined>;
  work(jobId: string, request: WorkRequest): Promise<WorkResponse>;
  /**
   * Reserves credits for a page in progress. Of a key with too few left, the job stops.
   * @returns false when they are not reserved
   */
  raise(jobId: string, page: PageRaise): Promise<boolean>;
  progress(jobId: string): Promise<JobProgress | undefined>;
  /**
   * Keeps the versions of a job's pages at least until a time.
   * @returns the content that the site's pages share; undefined when the job no longer exists.
   */
  hold(jobId: string, untilMs: number): Promise<{ template: string | undefined } | undefined>;
  /** Returns pages with what a later crawl needs of them. */
  versions(jobId: string, query: VersionQuery): Promise<EarlierPage[]>;
  /** Returns those of an earlier job's keys that this job has not found, and those that now redirect to another page. */
  missing(jobId: string, keys: readonly string[]): Promise<{ notFound: string[]; redirected: string[] }>;
  /** Returns removed pages and chunks behind a place; `next` is undefined at the end. */
  tombstones(
    jobId: string,
    page: { after: number; limit: number },
  ): Promise<{ tombstones: Tombstone[]; next: number | undefined }>;
  documents(
    jobId: string,
    page: { skip: number; limit: number; maxBytes: number },
  ): Promise<{ progress: JobProgress; runs: DocumentRun[]; count: number } | undefined>;
  findDocument(jobId: string, scrapeId: string): Promise<DocumentPlace | undefined>;
  /** Returns up to `limit` failures after a row; fewer where they are long. */
  failures(jobId: string, page: { after: number; limit: number }): Promise<FailurePage>;
  urls(
    jobId: string,
    page: { cursor: UrlCursor; limit: number },
  ): Promise<{ lines: UrlLine[]; next: UrlCursor | undefined }>;
  /** Cancels the job. @returns its status before the call. */
  cancel(jobId: string): Promise<JobStatus | undefined>;
  /** Ends a job that cannot be worked on. */
  fail(jobId: string, error: string): Promise<void>;
  takeEvents(jobId: string, limit: number): Promise<OutboxEntry[]>;
  noteSent(jobId: string, sent: readonly DeliveryNote[]): Promise<void>;
  /** Resends events that were given up: the named ones, or all of the job's. @returns their webhook ids. */
  replayEvents(jobId: string, webhookIds: readonly string[] | undefined): Promise<string[]>;
  /**
   * Adds these costs to a job that has ended and makes its costs final. Only the first call has an effect.
   * @returns the job's final numbers; undefined while it runs.
   */
  settle(jobId: string, costs: MeterCounts): Promise<JobProgress | undefined>;
  /**
   * Closes a job whose end has been recorded everywhere: charges its credits and releases its slot.
   * @param forgetting deletion of a job that is not retained until its expiry
   */
  close(jobId: string, forgetting?: Forgetting): Promise<void>;
  /**
   * Deletes a closed job with all its data.
   * @param job creation of the job, and the end to which the deletion belongs, if it belongs to one
   * @returns false, and deletes nothing, when the job is not closed, has ended again since, or while events wait for their
   * delivery. After the last of these, the job's object asks for the deletion once more.
   */
  forget(jobId: string, job: { createdAtMs: number; endedAtMs?: number | undefined }): Promise<boolean>;
  /**
   * Notes that documents were handed over, of a job that is deleted when it has been read.
   * @returns true when every document that the job will ever have was, from the first one on and without a gap
   */
  noteRead(jobId: string, read: { from: number; to: number }): Promise<boolean>;
}
