import type { PageCacheKey } from "../../core/scrape/cache-key.ts";
import type { DocumentParts } from "../../core/scrape/document-text.ts";
import type { LoadedPage, PageFile } from "../../core/scrape/page.ts";
import type { RowKey } from "../../core/scrape/scrape-id.ts";
import type { ApiKey } from "../../core/account/api-key.ts";
import type { JobRecord } from "../../core/jobs/job.ts";
import type { ListedPages } from "../../core/jobs/listed-job.ts";

/** API keys, found by the SHA-256 of their text (hex). */
export interface ApiKeyStore {
  findByHash(keyHash: string): Promise<ApiKey | undefined>;
  /** Does nothing when the hash already exists. */
  insert(key: ApiKey, keyHash: string): Promise<void>;
  findById(id: string): Promise<{ key: ApiKey; keyHash: string } | undefined>;
  /**
   * Returns up to `limit` keys of a team without those that were revoked or had expired before a moment: keys that are not
   * revoked, then revoked ones, each newest first.
   */
  listByTeam(teamId: string, range: { limit: number; endedAfterMs: number }): Promise<ApiKey[]>;
  /** Returns every key of the deployment, newest first, including revoked ones. */
  listAll(): Promise<ApiKey[]>;
  /** Revokes a key; a repeated call is no error. @returns false when the key does not exist. */
  revoke(id: string, atMs: number): Promise<boolean>;
}

export type { PageCacheKey } from "../../core/scrape/cache-key.ts";

/** A cached page: its index row and its body. */
export interface CachedPage {
  key: PageCacheKey;
  /** Milliseconds that the load waited; the entry serves requests with the same or a shorter wait. */
  waitForMs: number;
  storedAtMs: number;
  page: LoadedPage;
}

export interface CacheBounds {
  minAgeMs: number;
  maxAgeMs: number;
  waitForMs: number;
  nowMs: number;
}

/** A document that a scrape has derived, with what is needed to return it for another one. */
export interface KeptDocument {
  document: DocumentParts;
  row: RowKey;
  /** Time at which the page was stored, in ms since the epoch. */
  storedAtMs: number;
}

export type FoundPage = { kind: "document"; found: KeptDocument } | { kind: "page"; found: CachedPage };

export interface PageCache {
  /**
   * Returns the newest entry whose age is within the bounds (ms) and that waited at least `waitForMs`: the document that
   * was derived from it in this shape, else the page.
   * @param shape hash of everything that the document depends on besides the page; undefined for documents that must be
   * derived again.
   */
  find(key: PageCacheKey, bounds: CacheBounds, shape?: string): Promise<FoundPage | undefined>;
  /** Stores a page without a document. */
  store(entry: CachedPage): Promise<void>;
}

/** A stored scrape. */
export interface ScrapeRecord {
  id: string;
  teamId: string;
  keyId: string;
  apiVersion: "v1" | "v2";
  endpoint: string;
  target: string;
  creditsUsed: number;
  createdAtMs: number;
  expiresAtMs: number;
  /** Options with which a session restores the scrape's page, as JSON; undefined when there are none. */
  replay?: string;
  /** True for the placeholder of a queued scrape. */
  isPending?: boolean;
}

/** A page as its scrape recorded it. */
export interface ScrapedPage {
  /** URL exactly as the caller sent it. */
  url: string;
  title: string | undefined;
  description: string | undefined;
}

/** Everything that a scrape leaves, stored with one write. */
export interface KeptScrape {
  record: ScrapeRecord;
  /** JSON text of the document, exactly as it was sent to the caller. */
  document: DocumentParts;
  /** Set for a document that later scrapes of the page may receive. */
  shape?: string | undefined;
  /** The loaded page, where later scrapes may use it; or where it is cached already. */
  page?: CachedPage | Omit<CachedPage, "page"> | undefined;
}

export interface ScrapeStore {
  /** Stores a scrape; replaces an earlier one with the same id. */
  insert(scrape: KeptScrape): Promise<void>;
  /** Returns a scrape of a team with the JSON text of its document; expired ones are not found. */
  find(
    id: string,
    at: { teamId: string; nowMs: number },
  ): Promise<{ record: ScrapeRecord; documentJson: string } | undefined>;
  /**
   * Returns the pages of a host (with its port; `www.` is ignored) that a team has scraped, each once, without pages
   * that were not found. Pages of other teams are not included.
   */
  pagesOf(host: string, options: { teamId: string; nowMs: number; limit: number }): Promise<ScrapedPage[]>;
}

/** Files that callers fetch by URL: screenshots, PDFs. */
export interface FileStore {
  /**
   * Stores a file: for a job as long as its results, else until a time.
   * @returns the token that names it in its URL: the same for the same file of a job, or of a team on one day.
   */
  put(
    file: PageFile,
    kept: { teamId: string; expiresAtMs: number; job?: { id: string; createdAtMs: number } | undefined },
  ): Promise<string>;
  find(token: string, nowMs: number): Promise<{ body: ReadableStream; contentType: string; size: number } | undefined>;
}

export type RunningJob = Pick<JobRecord, "id" | "teamId" | "kind" | "createdAtMs">;

/** Records of jobs, found by id. A record has options of up to 16 kB, those of older versions up to 200,000 characters. */
export interface JobStore {
  /** When the job already exists, only prolongs the row of a running one. With the fingerprint of its request, it takes over the estimate of that request. */
  insert(job: JobRecord, request?: { fingerprint: string }): Promise<void>;
  find(id: string): Promise<JobRecord | undefined>;
  /**
   * Returns the options of a job as its request named them, as JSON text of up to 1.5 MB. They are read from the job's
   * object when its record lacks some; undefined when the object does not exist any more.
   */
  wholeOptions(job: JobRecord): Promise<string | undefined>;
  /**
   * Records the status, and with it when the row expires: of a job that has ended by its creation or end (`job-life.ts`), of one
   * that runs again 30 days later than before.
   * @param pages Numbers of pages of a crawl or batch that has ended.
   */
  setStatus(id: string, status: JobRecord["status"], endedAtMs: number | undefined, pages?: ListedPages): Promise<void>;
  /** Lists up to 1,000 jobs, newest first, without options of more than 4 kB; those of other lists have up to 16 kB. */
  listRunning(teamId: string, kind: JobRecord["kind"], nowMs: number): Promise<JobRecord[]>;
  /** Returns the ids of a team's running jobs of a kind, newest first. */
  runningIds(teamId: string, kind: JobRecord["kind"], options: { nowMs: number; limit: number }): Promise<string[]>;
  /** Lists a key's running jobs of all kinds, newest first, without options of more than 4 kB. */
  listRunningOfKey(teamId: string, keyId: string, options: { nowMs: number; limit: number }): Promise<JobRecord[]>;
  /** Lists running jobs of all teams that have not expired, after one of them in a fixed order. */
  runningJobs(options: { after?: RunningJob | undefined; nowMs: number; limit: number }): Promise<RunningJob[]>;
  /** Lists a team's agent jobs created before a moment, newest first. */
  listAgents(teamId: string, options: { beforeMs: number; nowMs: number; limit: number }): Promise<JobRecord[]>;
  /** Lists a team's completed crawls of a start URL, newest first, among its 5,000 newest jobs. */
  listCompletedCrawls(teamId: string, options: { target: string; nowMs: number; limit: number }): Promise<JobRecord[]>;
  /** Returns the jobs whose ids begin with a prefix. */
  findByPrefix(prefix: string): Promise<JobRecord[]>;
  /** Lists a team's agent jobs that begin a thread, created before a moment, newest first. */
  listThreads(teamId: string, options: { beforeMs: number; nowMs: number; limit: number }): Promise<JobRecord[]>;
  /** Sets the expiry of a job whose results were deleted. */
  expire(id: string, nowMs: number): Promise<void>;
  /**
   * Returns the jobs whose results lie in the folder of a day and are kept although the day is over: those created in a range of
   * time that run or took long, and the earlier jobs to whose documents they refer.
   */
  keptFolders(range: { fromMs: number; toMs: number; nowMs: number }): Promise<ReadonlySet<string>>;
  /** Deletes up to `limit` jobs that have expired, or whose retention began before a moment. @returns the number deleted. */
  purge(ends: { nowMs: number; createdBeforeMs: number }, limit: number): Promise<number>;
}

/** State of a team's idempotency key when a request claims it. */
export interface ClaimedKey {
  /** True when this request is the first one with the key. */
  isNew: boolean;
  /** Fingerprint of the first request. */
  fingerprint: string;
  /** Id of the job that the first request starts. */
  workId: string;
  /** End of the first request's lease, in ms since the epoch. */
  leaseUntilMs: number;
  /** Key of the object that holds the response, once there is one. */
  responseKey: string | undefined;
}

/** Idempotency keys of teams, each with the first request that used it. */
export interface IdempotencyKeys {
  /** Claims a key or returns its current state. A key claimed before `forgottenBeforeMs` can be claimed again. */
  claim(request: {
    teamId: string;
    key: string;
    fingerprint: string;
    workId: string;
    nowMs: number;
    leaseUntilMs: number;
    forgottenBeforeMs: number;
  }): Promise<ClaimedKey>;
  /** Returns the state of a claimed key; undefined for one that is free, or was claimed before `forgottenBeforeMs`. */
  find(request: { teamId: string; key: string; forgottenBeforeMs: number }): Promise<ClaimedKey | undefined>;
  /** @returns false when the first request's lease holds, another request took over, or a response exists. */
  takeOver(request: { teamId: string; key: string; nowMs: number; leaseUntilMs: number }): Promise<boolean>;
  /** Renews the lease of the request. */
  renew(request: { teamId: string; key: string; workId: string; leaseUntilMs: number }): Promise<void>;
  finish(answer: { teamId: string; key: string; workId: string; responseKey: string }): Promise<void>;
  /** Deletes a key whose work has failed. */
  release(request: { teamId: string; key: string; workId: string }): Promise<void>;
  /** Deletes up to `limit` keys claimed before a moment. @returns the number deleted. */
  purge(createdBeforeMs: number, limit: number): Promise<number>;
}

/** A webhook event that could not be delivered. Its content is stored with its job. */
export interface FailedWebhook {
  /** Identical at every attempt. */
  webhookId: string;
  teamId: string;
  jobId: string;
  /** Event type as sent, such as `crawl.page`. */
  type: string;
  /** Destination, without parts that may be secret. */
  url: string;
  attempts: number;
  /** Status of the last response; undefined when there was none. */
  statusCode: number | undefined;
  error: string;
  failedAtMs: number;
  /** Expiry of the job and of this event. */
  expiresAtMs: number;
}

/** Webhook events that were given up, until they are resent or deleted. */
export interface FailedWebhookStore {
  /** Inserts events; replaces existing rows. */
  insert(webhooks: readonly FailedWebhook[]): Promise<void>;
  /** Lists events, newest first; `before` is the last event of the previous page. */
  list(
    teamId: string,
    page: { before: Pick<FailedWebhook, "failedAtMs" | "webhookId"> | undefined; limit: number; nowMs: number },
  ): Promise<FailedWebhook[]>;
  find(teamId: string, webhookId: string): Promise<FailedWebhook | undefined>;
  /** Deletes those of the events that were given up no later than a moment. */
  remove(webhookIds: readonly string[], failedUntilMs: number): Promise<void>;
  /** Deletes up to `limit` expired events. @returns the number deleted. */
  purge(nowMs: number, limit: number): Promise<number>;
}

/** A queue message of the service that was given up. */
export interface DeadLetter {
  /** Id of the message; identical on redelivery. */
  id: string;
  type: string;
  jobId?: string | undefined;
  arrivedAtMs: number;
}

export interface DeadLetterStore {
  /** Inserts letters; does not change existing rows. */
  insert(letters: readonly DeadLetter[]): Promise<void>;
  count(): Promise<number>;
  /** Deletes up to `limit` letters that arrived before a moment. @returns the number deleted. */
  purge(arrivedBeforeMs: number, limit: number): Promise<number>;
}

/** A file uploaded before it is parsed: `issued`, then `uploaded`, then `parsed`, each once. */
export interface Upload {
  id: string;
  teamId: string;
  /** SHA-256 (hex) of the upload token. */
  tokenHash: string;
  fileName: string;
  contentType: string | undefined;
  maxBytes: number;
  state: "issued" | "uploaded" | "parsed";
  createdAtMs: number;
  expiresAtMs: number;
  /** Attempt that sent the file; undefined before it, and for files of earlier versions. */
  attempt?: string | undefined;
}

export interface UploadStore {
  /** @returns false, and stores nothing, when the team has `most` unparsed uploads since a moment. */
  insert(upload: Upload, bound: { sinceMs: number; most: number }): Promise<boolean>;
  find(id: string): Promise<Upload | undefined>;
  /** Records that an attempt has sent the file. @returns false when another one was first. */
  receive(id: string, attempt: string): Promise<boolean>;
  /** @returns false when the upload was not in the state `from`. */
  move(id: string, from: Upload["state"], to: "uploaded" | "parsed"): Promise<boolean>;
  /** Returns up to `most` unparsed uploads of a team, created since a moment, that have expired. */
  expired(teamId: string, bound: { sinceMs: number; nowMs: number; most: number }): Promise<Upload[]>;
  /** Deletes the name and type of a file that has been parsed. */
  forgetFile(id: string): Promise<void>;
  /** Deletes up to `limit` uploads created before a moment. @returns the number deleted. */
  purge(createdBeforeMs: number, limit: number): Promise<number>;
}
