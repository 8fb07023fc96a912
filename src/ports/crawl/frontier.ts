import type {
  Candidate,
  FrontierConfig,
  FrontierItem,
  JobEvent,
  JobStatus,
  PageResult,
} from "../../core/crawl/frontier.ts";
import type { FilteredUrl } from "../../core/crawl/frontier.ts";
import type { MeterCounts } from "../../core/account/meter.ts";
import type { DeliveryKind } from "../../core/webhooks/webhook-retries.ts";

/** A job as it begins. The specification is what its consumers need to know, as JSON text that only they read. */
export interface NewFrontier {
  config: FrontierConfig;
  specification: string;
  seeds: readonly Candidate[];
}

/** What a consumer brings back in one go. */
export interface Completion {
  results: readonly (PageResult & { leaseId: number })[];
  /** The object that holds the documents of the results, and the operations that it took to write it. */
  object: string;
  candidates: readonly Candidate[];
  filtered: readonly FilteredUrl[];
  /** Hosts that ask for a delay between their pages. */
  hosts: Record<string, { delayMs: number }>;
  /** What the first pages of the site have in common, as text; the first that comes holds for the rest of the job. */
  template?: string;
  /** The lease of the seed, when it has been sown. */
  seedLease?: number;
  /** What the consumer has counted since it last said so. */
  costs?: MeterCounts;
  /** The crawl goes on with other rules: its first page has moved. */
  specification?: string;
}

/** One round of a consumer: what is done, what is still held, and for how much more there is room. */
export interface WorkRequest {
  messageId: string;
  completion?: Completion;
  /** Leases that are being worked on. */
  leaseIds: number[];
  capacity: number;
  /** The consumer has the site's template, or has no use for it. */
  knowsTemplate?: boolean;
  /** The consumer takes no more work after this and only ends what it holds. */
  isLeaving?: boolean;
}

/** Work with the time at which each page may be asked for. */
export interface Claim {
  leaseId: number;
  isSeed: boolean;
  items: (FrontierItem & { startAtMs: number })[];
}

export interface WorkResponse {
  status: JobStatus;
  /** The site's template, once there is one, for a consumer that does not know it. */
  template?: string;
  claim?: Claim;
}

/** Where one document stands: bytes of an object. */
export interface DocumentPlace {
  object: string;
  offset: number;
  length: number;
}

/** Documents of one object, in the order in which they stand there. */
export interface DocumentRun {
  object: string;
  documents: { offset: number; length: number }[];
}

/** What a status answer says about the job as a whole. */
export interface JobProgress {
  status: JobStatus;
  error: string | undefined;
  createdAtMs: number;
  endedAtMs: number | undefined;
  expiresAtMs: number;
  creditsUsed: number;
  /** Pages that are scraped or will be, as far as is known; never more than the limit. */
  total: number;
  completed: number;
  failed: number;
  skipped: number;
  pending: number;
  /** Of the pending ones, those that are being scraped. */
  active: number;
  /** What the job has used so far; final once it is settled. */
  costs: MeterCounts;
  discovered: number;
  robotsBlocked: number;
  /** Pages that are being scraped; those of a job that was cancelled still count when they are done. */
  inFlight: number;
  outOfCredits: boolean;
  /** Rows that the job has written since its object woke, and messages that it sent. */
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

/** One line of the list of all URLs. */
export interface UrlLine {
  url: string;
  outcome: "scraped" | "failed" | "skipped" | "pending";
  /** Why: an error code, the name of a rule, `robots`, `duplicate`, `limit`, `cancelled`. */
  reason?: string;
  /** In words, or the URL that it is a duplicate of. */
  detail?: string;
  depth: number;
  parent?: string;
  attempt?: number;
}

/** Where a list of URLs goes on: in the queue's rows first, then in those beyond the limit, then in those of filtered URLs. */
export interface UrlCursor {
  part: "queue" | "overflow" | "filtered";
  row: number;
  place: number;
}

/** What an event says beside its name. */
export interface EventContent {
  document?: DocumentPlace;
  error?: string;
  /** Of a job of steps: what the event is about. */
  data?: unknown;
  /** Of a page that failed, for which there is no document. */
  metadata?: Record<string, unknown>;
}

/** An event that is to be sent, or could not be. */
export interface OutboxEntry {
  entryId: number;
  /** The same at every attempt, so that a receiver can tell repeats. */
  webhookId: string;
  event: JobEvent;
  content: EventContent;
  attempts: number;
}

/** What came of sending an event. */
export interface DeliveryNote {
  entryId: number;
  kind: DeliveryKind;
}

/** The frontiers of all jobs, each in one place of its own. */
export interface Frontiers {
  /**
   * Starts a job; starting it twice starts it once.
   * @returns false when its key runs as many jobs as it may.
   */
  start(jobId: string, frontier: NewFrontier): Promise<boolean>;
  /** Puts more URLs into a batch, once for each `appendId`. @returns false when it takes none any more. */
  append(jobId: string, more: { urls: readonly string[]; appendId: string }): Promise<boolean>;
  /** What a consumer needs to know before it begins; undefined when there is nothing left to do. */
  open(jobId: string, messageId: string): Promise<{ specification: string; status: JobStatus } | undefined>;
  work(jobId: string, request: WorkRequest): Promise<WorkResponse>;
  standing(jobId: string): Promise<JobProgress | undefined>;
  documents(
    jobId: string,
    page: { skip: number; limit: number; maxBytes: number },
  ): Promise<{ standing: JobProgress; runs: DocumentRun[]; count: number } | undefined>;
  findDocument(jobId: string, scrapeId: string): Promise<DocumentPlace | undefined>;
  failures(jobId: string): Promise<{ errors: PageFailure[]; robotsBlocked: string[] }>;
  urls(
    jobId: string,
    page: { cursor: UrlCursor; limit: number },
  ): Promise<{ lines: UrlLine[]; next: UrlCursor | undefined }>;
  /** @returns the status that the job had before. */
  cancel(jobId: string): Promise<JobStatus | undefined>;
  takeEvents(jobId: string, limit: number): Promise<OutboxEntry[]>;
  noteSent(jobId: string, sent: readonly DeliveryNote[]): Promise<void>;
  /** Sends events again that were given up; all of the job's when none is named. @returns their webhook ids. */
  replayEvents(jobId: string, webhookIds: readonly string[] | undefined): Promise<string[]>;
  /**
   * Draws the line under a job that has ended: with these, its costs are final. The first one to do so has it.
   * @returns the job's final numbers; undefined while it goes on.
   */
  settle(jobId: string, costs: MeterCounts): Promise<JobProgress | undefined>;
  /** Everybody who keeps a record of the job knows its end: pays what it came to and gives its place back. */
  close(jobId: string): Promise<void>;
  /** Forgets a job that is closed, with everything that it has found. @returns false, and forgets nothing, when it is not. */
  forget(jobId: string): Promise<boolean>;
}
