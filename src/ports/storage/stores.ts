import type { LoadedPage, PageFile } from "../../core/scrape/page.ts";
import type { ApiKey } from "../../core/account/api-key.ts";
import type { JobRecord } from "../../core/jobs/job.ts";

/** Keys, found by the SHA-256 of their text (hex). */
export interface ApiKeyStore {
  findByHash(keyHash: string): Promise<ApiKey | undefined>;
  /** Does nothing when the hash is known already. */
  insert(key: ApiKey, keyHash: string): Promise<void>;
  find(id: string): Promise<ApiKey | undefined>;
  list(): Promise<ApiKey[]>;
  /** False when there is no such key. Revoking twice is no error. */
  revoke(id: string, atMs: number): Promise<boolean>;
}

/**
 * What a page-cache entry answers to: everything that changes what a page's load brings back (api-contract.md, “Page
 * cache”).
 */
export interface PageCacheKey {
  /** Whose copy it is; empty for copies that all teams share. */
  team: string;
  /** Normalised URL. */
  url: string;
  mobile: boolean;
  blockAds: boolean;
  /** ISO 3166-1 alpha-2 in lower case, or an empty string. */
  country: string;
  /** Sorted, lower case, joined by commas. */
  languages: string;
  /** Empty, or how the picture was taken: a page stored with one serves requests without, not the other way round. */
  screenshot: string;
}

/** One stored page: the index row beside its body. */
export interface CachedPage {
  key: PageCacheKey;
  /** Ms that the load waited; an entry serves requests that wait no longer. */
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

export interface PageCache {
  /** The newest entry whose age lies between the bounds (ms) and that waited at least `waitForMs`. */
  find(key: PageCacheKey, bounds: CacheBounds): Promise<CachedPage | undefined>;
  store(entry: CachedPage): Promise<void>;
  /** Forgets up to `limit` entries stored before a moment. @returns how many. */
  purge(storedBeforeMs: number, limit: number): Promise<number>;
  /**
   * Looks at up to `limit` bodies and pictures (at most 1,000), and deletes those that no entry points at: a crash left
   * them between the writing of a body and of its entry, or between the replacement of an entry and the deletion of the
   * old body. What was written since `writtenBeforeMs` may still get its entry, and stays.
   * @returns how many were deleted, and the key to go on after, undefined at the end.
   */
  sweep(options: {
    after: string | undefined;
    limit: number;
    writtenBeforeMs: number;
  }): Promise<{ deleted: number; next: string | undefined }>;
}

/** A scrape as it is kept for reading back. */
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
  /** The options that a session needs to get to where the scrape was, as JSON; undefined when there are none. */
  replay?: string;
}

/** A page that was scraped, as its scrape tells. */
export interface ScrapedPage {
  /** As the caller wrote it. */
  url: string;
  title: string | undefined;
  description: string | undefined;
}

export interface ScrapeStore {
  /** Keeps a record with its document, as the exact JSON text that the caller was sent. */
  insert(record: ScrapeRecord, documentJson: string): Promise<void>;
  /** The record with its document; expired ones are not found. */
  find(id: string, nowMs: number): Promise<{ record: ScrapeRecord; documentJson: string } | undefined>;
  /**
   * Pages of a host (with its port; `www.` makes no difference) that a team has scraped, each once, those that were not
   * there left out. Nobody sees what another team looks at.
   */
  pagesOf(host: string, options: { teamId: string; nowMs: number; limit: number }): Promise<ScrapedPage[]>;
  /** Forgets up to `limit` records created before a moment. @returns how many. */
  purge(createdBeforeMs: number, limit: number): Promise<number>;
}

/** Files that callers fetch by URL: screenshots, PDFs. */
export interface FileStore {
  /** @returns the unguessable token that is the file's name in its URL. */
  put(file: PageFile, expiresAtMs: number): Promise<string>;
  find(token: string, nowMs: number): Promise<{ body: ReadableStream; contentType: string; size: number } | undefined>;
}

/** Records of jobs, found by id. */
export interface JobStore {
  /** Does nothing when the job is known already. */
  insert(job: JobRecord): Promise<void>;
  find(id: string): Promise<JobRecord | undefined>;
  setStatus(id: string, status: JobRecord["status"], endedAtMs: number | undefined): Promise<void>;
  /** Newest first. */
  listRunning(teamId: string, kind: JobRecord["kind"], nowMs: number): Promise<JobRecord[]>;
  /** Of all kinds. */
  listRunningOfKey(teamId: string, keyId: string, options: { nowMs: number; limit: number }): Promise<JobRecord[]>;
  /** A team's agents that were begun before a moment, newest first. */
  listAgents(teamId: string, options: { beforeMs: number; nowMs: number; limit: number }): Promise<JobRecord[]>;
  /** Jobs whose ids begin so. */
  findByPrefix(prefix: string): Promise<JobRecord[]>;
  /** Forgets up to `limit` jobs that have expired. @returns how many. */
  purge(nowMs: number, limit: number): Promise<number>;
}

/** A team's idempotency key as a request finds it. */
export interface ClaimedKey {
  /** Whether this request is the first one with the key. */
  isNew: boolean;
  /** Of the first request. */
  fingerprint: string;
  /** Names the work of the first request: the id of the job that it starts. */
  workId: string;
  /** Until then (ms since the epoch) the first request may still be at work. */
  leaseUntilMs: number;
  /** The object that holds the answer, once there is one. */
  answerKey: string | undefined;
}

/** Idempotency keys of teams, each with the request that it was first sent with. */
export interface IdempotencyKeys {
  /** Takes a key, or reads who has it. A key that was taken before `forgottenBeforeMs` can be taken again. */
  claim(request: {
    teamId: string;
    key: string;
    fingerprint: string;
    workId: string;
    nowMs: number;
    leaseUntilMs: number;
    forgottenBeforeMs: number;
  }): Promise<ClaimedKey>;
  /** @returns false when the first request is still at work, somebody else took over, or there is an answer. */
  takeOver(request: { teamId: string; key: string; nowMs: number; leaseUntilMs: number }): Promise<boolean>;
  /** Shows that the request is still at work. */
  renew(request: { teamId: string; key: string; workId: string; leaseUntilMs: number }): Promise<void>;
  finish(answer: { teamId: string; key: string; workId: string; answerKey: string }): Promise<void>;
  /** Forgets a key whose work has failed. */
  release(request: { teamId: string; key: string; workId: string }): Promise<void>;
  /** Forgets up to `limit` keys that were taken before a moment. @returns how many. */
  purge(createdBeforeMs: number, limit: number): Promise<number>;
}

/** An event of a job that no receiver took. What it says stays with its job. */
export interface FailedWebhook {
  /** The same at every attempt. */
  webhookId: string;
  teamId: string;
  jobId: string;
  /** As it is sent, such as `crawl.page`. */
  type: string;
  /** Where it was sent, without what may be a secret. */
  url: string;
  attempts: number;
  /** Of the last answer; undefined when there was none. */
  statusCode: number | undefined;
  error: string;
  failedAtMs: number;
  /** When its job is forgotten, and it with it. */
  expiresAtMs: number;
}

/** Webhook events that were given up, until they are sent again or forgotten. */
export interface FailedWebhookStore {
  /** One that is known already takes the place of what was known. */
  insert(webhooks: readonly FailedWebhook[]): Promise<void>;
  /** Newest first; `before` is the last one of the page before. */
  list(
    teamId: string,
    page: { before: Pick<FailedWebhook, "failedAtMs" | "webhookId"> | undefined; limit: number; nowMs: number },
  ): Promise<FailedWebhook[]>;
  find(teamId: string, webhookId: string): Promise<FailedWebhook | undefined>;
  /** Forgets those that were given up no later than a moment. */
  remove(webhookIds: readonly string[], failedUntilMs: number): Promise<void>;
  /** Forgets up to `limit` that have expired. @returns how many. */
  purge(nowMs: number, limit: number): Promise<number>;
}

/** A message of the service's own that was given up. */
export interface DeadLetter {
  /** The message's own, the same when it comes twice. */
  id: string;
  type: string;
  jobId?: string | undefined;
  arrivedAtMs: number;
}

export interface DeadLetterStore {
  /** What is there already stays as it is. */
  insert(letters: readonly DeadLetter[]): Promise<void>;
  count(): Promise<number>;
  /** Forgets up to `limit` letters that arrived before a moment. @returns how many. */
  purge(arrivedBeforeMs: number, limit: number): Promise<number>;
}

/** A file that is sent ahead of being read: `issued`, then `uploaded`, then `parsed`, each once. */
export interface Upload {
  id: string;
  teamId: string;
  /** SHA-256 (hex) of the token that lets its holder send the file. */
  tokenHash: string;
  fileName: string;
  contentType: string | undefined;
  maxBytes: number;
  state: "issued" | "uploaded" | "parsed";
  createdAtMs: number;
  expiresAtMs: number;
}

export interface UploadStore {
  /** @returns false, and keeps nothing, when the team has as many since a moment that were not parsed. */
  insert(upload: Upload, bound: { sinceMs: number; most: number }): Promise<boolean>;
  find(id: string): Promise<Upload | undefined>;
  /** @returns false when it was not in the state that it is to leave. */
  move(id: string, from: Upload["state"], to: Upload["state"]): Promise<boolean>;
  /** Forgets up to `limit` that were made before a moment. @returns how many. */
  purge(createdBeforeMs: number, limit: number): Promise<number>;
}
