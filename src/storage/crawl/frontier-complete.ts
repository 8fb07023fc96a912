import { startsWith } from "../../core/stored-state.ts";
import { countPage, NO_PAGE_TIMES } from "../../core/jobs/page-times.ts";
import type { FrontierState, PageResult, StoredLinks } from "../../core/crawl/frontier.ts";
import type { EarlierPage, PageVersion, Tombstone } from "../../core/crawl/page-version.ts";
import { addAtOnce } from "./frontier-add.ts";
import { endRow, failItem, skipUnfinished, delayItem, retryItem, skipItem, type Ending } from "./frontier-end.ts";
import type { LeasedItem, Leases } from "./frontier-leases.ts";
import { PageEnds } from "./frontier-ends.ts";
import { lowerPage } from "./raised-pages.ts";
import { PENDING, SCRAPED, SKIPPED } from "./frontier-tables.ts";
import { addTombstones } from "./frontier-tombstones.ts";
import { urlsOf, type UrlRow } from "./frontier-urls.ts";
import type { PackedSet } from "./packed-set.ts";
import { post } from "../webhooks/outbox.ts";
import type { Completion as ReportedWork } from "../../ports/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";

/** Result of an item, with its lease. */
export type LeasedResult = PageResult & { leaseId: number };

/** Further facts about a document, for later crawls. */
export interface BatchExtra {
  /** Object of the document, when it is one of an earlier job. */
  object?: string;
  /** Length of the document's metadata in bytes. */
  metadata?: number;
  /** Credits that the page has cost in this job, when its document is one of an earlier job. */
  credits?: number;
  links?: StoredLinks;
}

/** Location of a document in its batch, in a packed row. */
export type BatchEntry = [offset: number, length: number, scrapeId: string, key: string, extra?: BatchExtra];

export const isBatchEntry = (value: unknown): value is BatchEntry => startsWith(value, ["number", "number", "string"]);

interface Completion extends Ending {
  packed: PackedSet;
  leases: Leases;
  /** Key of the object that holds the documents of this completion. */
  object: string;
  documents: NumberedEntries;
  /** Documents that later crawls refer to, and that are not among the job's results. */
  unlisted: NumberedEntries;
  tombstones: Tombstone[];
  ends: PageEnds;
}

/** Entries of a packed row that will be written, numbered from the end of its table. */
class NumberedEntries {
  readonly entries: BatchEntry[] = [];
  readonly #sql: Sql;
  readonly #table: "batches" | "unlisted";
  #first: number | undefined;

  constructor(sql: Sql, table: "batches" | "unlisted") {
    this.#sql = sql;
    this.#table = table;
  }

  /** Adds an entry. @returns its number. */
  add(entry: BatchEntry): number {
    this.entries.push(entry);
    return this.first + this.entries.length - 1;
  }

  get first(): number {
    return (this.#first ??= this.#end());
  }

  write(object: string): void {
    if (this.entries.length === 0) return;
    this.#sql.rows(
      `INSERT INTO ${this.#table} (first, object, count, entries) VALUES (?, ?, ?, ?)`,
      this.first,
      object,
      this.entries.length,
      JSON.stringify(this.entries),
    );
  }

  #end(): number {
    const query = `SELECT first + count AS end FROM ${this.#table} ORDER BY first DESC LIMIT 1`;
    return this.#sql.rows<{ end: number }>(query)[0]?.end ?? 0;
  }
}

/**
 * Completes items. A result counts only while its lease holds the item at that attempt, and removes it from the lease:
 * repeated results, and results after the lease was revoked, have no effect.
 */
export function completeItems(
  ending: Ending & { packed: PackedSet; leases: Leases },
  results: readonly LeasedResult[],
  object: string,
): void {
  if (results.length === 0) return;
  const { leases, sql } = ending;
  const documents = new NumberedEntries(sql, "batches");
  const unlisted = new NumberedEntries(sql, "unlisted");
  const completion: Completion = { ...ending, object, documents, unlisted, tombstones: [], ends: new PageEnds(sql) };
  for (const result of results) {
    const lease = leases.get(result.leaseId);
    const place = lease?.items.findIndex(([key, attempt]) => key === result.key && attempt === result.attempt) ?? -1;
    if (lease === undefined || place < 0) continue;
    const [item] = lease.items.splice(place, 1);
    leases.put(lease);
    ending.state.counters.leased--;
    lowerPage(ending.state, result.key);
    if (item !== undefined) finishItem(completion, item, result);
  }
  documents.write(object);
  unlisted.write(object);
  completion.ends.write();
  addTombstones(sql, completion.tombstones, { isCompared: false });
}

function finishItem(completion: Completion, item: LeasedItem, result: LeasedResult): void {
  const { sql, state, nowMs } = completion;
  const isOver = state.status !== "scraping";
  switch (result.kind) {
    case "scraped":
      return finishScraped(completion, result);
    case "failed":
      if (isOver && result.retryable) return skipUnfinished(state);
      if (retryItem(sql, item, { ...result, nowMs })) return;
      failItem(completion, item, result);
      return keepCarried(completion, result.key, result.carried);
    case "robots":
      return skipItem(completion, result.key, { reason: "robots" });
    case "denied":
      return skipItem(completion, result.key, { reason: "denied", detail: result.error });
    case "deferred":
      return isOver ? skipUnfinished(state) : delayItem(sql, result.key, result.retryAtMs);
  }
}

function finishScraped(completion: Completion, result: LeasedResult & { kind: "scraped" }): void {
  const { sql, state, nowMs } = completion;
  const original = result.finalKey === undefined ? undefined : claimFinalKey(completion, result, result.finalKey);
  if (original !== undefined) return skipItem(completion, result.key, { reason: "duplicate", detail: original });
  state.counters.pending--;
  state.counters.completed++;
  state.pageTimes = countPage(state.pageTimes ?? NO_PAGE_TIMES, nowMs - state.createdAtMs);
  state.creditsUsed += result.credits;
  const isListed = result.change !== "unchanged" || state.config.since?.output !== "changes";
  const entry = entryOf(result);
  const document = isListed ? completion.documents.add(entry) : -1 - completion.unlisted.add(entry);
  const { finalKey, version } = result;
  const url = endScraped(completion, result, document);
  // The document marks the final URL as taken. A later crawl may find that URL first, and needs the version there.
  if (finalKey !== undefined) {
    const known = version === undefined ? {} : { version: storedVersion(version, { aliasOf: result.key }) };
    urlsOf(sql).update(finalKey, { ...known, document });
  }
  keepCarried(completion, result.key, result.carried);
  countChange(completion, result, url);
  if (isListed) post(completion, "page", { document: placeOf(completion, result) });
}

/**
 * Records the end of a scraped page: beside those of its neighbours, or in its own row where that is written anyway,
 * is one of an older version, or the end is large. @returns the URL of the page.
 */
function endScraped(completion: Completion, result: LeasedResult & { kind: "scraped" }, document: number): string {
  const { sql, ends } = completion;
  const { key, change, changeDetail: detail, version, finalKey, carried } = result;
  const row = urlsOf(sql).one(key);
  if (typeof row?.seat === "number" && carried === undefined) {
    const known = version === undefined ? null : withRedirects(version, { finalKey });
    if (ends.put(row.seat, [document, known, change ?? null, detail ?? null])) return row.url;
  }
  const versioned = version === undefined ? {} : { version: storedVersion(version, { finalKey }), document };
  return endRow(sql, key, {
    state: SCRAPED,
    ...(change && { reason: change }),
    ...(detail && { detail }),
    ...versioned,
  });
}

/** Returns the text of a version, with what this job knows about redirects in place of what an earlier one knew. */
function storedVersion(version: PageVersion, redirects: { finalKey?: string | undefined; aliasOf?: string }): string {
  return JSON.stringify(withRedirects(version, redirects));
}

function withRedirects(
  version: PageVersion,
  { finalKey, aliasOf }: { finalKey?: string | undefined; aliasOf?: string },
): PageVersion {
  const { finalKey: _key, aliasOf: _alias, ...own } = version;
  return { ...own, ...(finalKey === undefined ? {} : { finalKey }), ...(aliasOf === undefined ? {} : { aliasOf }) };
}

function entryOf(result: LeasedResult & { kind: "scraped" }): BatchEntry {
  const { offset, length, scrapeId, key, object, metadataBytes: metadata, links, credits } = result;
  if (object === undefined && metadata === undefined && links === undefined) return [offset, length, scrapeId, key];
  const kept = object === undefined ? {} : { object, ...(credits > 0 && { credits }) };
  const extra = { ...kept, ...(metadata && { metadata }), ...(links && { links }) };
  return [offset, length, scrapeId, key, extra];
}

function placeOf({ object }: Completion, result: LeasedResult & { kind: "scraped" }) {
  const { offset, length, scrapeId, metadataBytes = 0, credits: creditsUsed } = result;
  if (result.object === undefined) return { object, offset, length };
  return { object: result.object, offset, length, kept: { scrapeId, metadataBytes, creditsUsed } };
}

function keepVersion(sql: Sql, key: string, { version, document }: { version: string; document: number }): void {
  urlsOf(sql).update(key, { version, document });
}

/** Stores what the earlier job knows about a page whose load says nothing about its content. */
function keepCarried({ sql, unlisted }: Completion, key: string, carried: EarlierPage | undefined): void {
  if (carried === undefined) return;
  const { object, offset, length, metadataBytes, scrapeId } = carried.document;
  const extra = { object, metadata: metadataBytes, ...(carried.links && { links: carried.links }) };
  const number = unlisted.add([offset, length, scrapeId, key, extra]);
  // The page that redirected here may be unknown to this job.
  const version = storedVersion(carried.version, { finalKey: carried.version.finalKey });
  keepVersion(sql, key, { version, document: -1 - number });
}

function countChange(
  { state, tombstones }: Completion,
  { change, removed }: LeasedResult & { kind: "scraped" },
  url: string,
): void {
  if (state.comparison === undefined || change === undefined) return;
  state.comparison.counts[change]++;
  if (removed === undefined) return;
  if (change === "removed") tombstones.push({ url, reason: "gone", ...removed });
  else if (removed.chunks.length > 0) tombstones.push({ url, reason: "changed", ...removed });
}

/**
 * Claims the final URL of a page that redirects. The first result gets it; the other pages become its duplicates.
 * @returns the URL of the page that already has it; undefined when this result is the first.
 */
function claimFinalKey(
  completion: Completion,
  { key, finalUrl }: { key: string; finalUrl?: string },
  finalKey: string,
): string | undefined {
  const own = readRow(completion, key);
  if (own === undefined) return undefined;
  const row =
    readRow(completion, finalKey) ??
    addFinal(completion, { ...own, key: finalKey, url: finalUrl ?? finalKey }, own.url);
  if (row.state === SCRAPED) return row.url;
  if (row.state !== PENDING) return isTaken(row) ? (row.detail ?? row.url) : undefined;
  const isHeld = completion.leases.list().some(({ items }) => items.some(([leased]) => leased === finalKey));
  if (isHeld) return row.url;
  skipItem(completion, finalKey, { reason: "duplicate", detail: own.url, isWaiting: true });
  return undefined;
}

/**
 * Reports whether the document of another page, whose URL is in `detail`, is that of a skipped URL. A URL that was skipped
 * by its own result has no document: the page that it redirects to may still fail.
 */
function isTaken({ state, reason, document }: UrlRow): boolean {
  return state === SKIPPED && reason === "duplicate" && document !== null;
}

function readRow({ sql, ends }: Completion, key: string): UrlRow | undefined {
  const row = urlsOf(sql).one(key);
  return row !== undefined && ends.get(row.seat) !== undefined ? { ...row, state: SCRAPED } : row;
}

function addFinal(completion: Completion, row: UrlRow, parent: string): UrlRow {
  const { key, url, depth, external } = row;
  addAtOnce(completion, { key, url, depth, isExternal: external === 1, parent });
  return { ...row, state: PENDING };
}

/** Stores what is known of sitemaps that were not read. A repeated reading of them replaces what the first one reported. */
export function noteSitemaps(state: FrontierState, { lacksSitemap, sitemapProblems }: ReportedWork): void {
  if (lacksSitemap === true && state.comparison !== undefined) state.comparison.lacksSitemap = true;
  if (sitemapProblems !== undefined)
    state.sitemapProblems = sitemapProblems.length === 0 ? undefined : [...sitemapProblems];
}
