import { isOnSite } from "../../core/search/search-query.ts";
import type { PageQuery } from "../../ports/search/page-index.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { storedPacked, type Packed } from "../scrape/packing.ts";
import { TimePartitions } from "../time-partitions.ts";
import {
  addWaitingWords,
  createPartition,
  deleteEntry,
  dropPartition,
  entriesOf,
  INDEX_FAMILIES,
  insertEntry,
  wordsOf,
  type IndexEntry,
  type IndexFamily,
} from "./index-partition.ts";
import { rankAcross } from "./index-rank.ts";
import { matchExpression, type Strictness } from "./page-match.ts";

export interface IndexHit {
  mark: string;
  url: string;
  title: string;
  description: string;
  body: Packed;
  datedAtMs: number;
  indexedAtMs: number;
  scrapeId: string | null;
  /** True when the page has all words; false when it has some of them, or their beginnings. */
  isExact: boolean;
  /** Lower is better. */
  score: number;
}

/** Number of partitions that the retention is divided into: each one is searched. */
const PARTITIONS = 4;
/** Maximum number of ranked matches of a partition; of more, the newest are ranked. */
const MAX_RANKED = 2_000;
/** Share of the retention after which an unchanged page is written again. */
const RENEWAL_SHARE = 0.5;
/** Entries that are written at a time: FTS5 holds the words of a transaction in memory. */
const WRITTEN_AT_A_TIME = 16;

interface KnownRow {
  id: number;
  mark: string;
  contentHash: string;
  indexedAtMs: number;
}

interface Candidate {
  partition: string;
  id: number;
  mark: string;
  url: string;
  score: number;
  datedAtMs: number;
}

/**
 * A full-text index in one SQLite database. Partitions by time each have an FTS5 table, in which an entry is one row. They
 * are dropped as a whole. Partitions of earlier versions are read until they expire.
 */
export class IndexTables {
  readonly #sql: Sql;
  readonly #partitions: TimePartitions<IndexFamily>;
  #isComplete = false;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#partitions = new TimePartitions(sql, {
      families: INDEX_FAMILIES,
      parts: PARTITIONS,
      create: (name) => createPartition(sql, name),
      drop: (name) => dropPartition(sql, name),
    });
  }

  /** Adds entries whose page is new, has changed or would expire soon, in place of earlier ones of the same page. */
  put(entries: readonly IndexEntry[], { nowMs, retentionMs }: { nowMs: number; retentionMs: number }): void {
    this.#partitions.dropBefore(nowMs - retentionMs);
    const earlier = this.#find(entries.map(({ mark }) => mark));
    const renewBeforeMs = nowMs - retentionMs * RENEWAL_SHARE;
    const unchanged = new Set(
      earlier.flatMap((row) => (row.indexedAtMs >= renewBeforeMs ? [`${row.mark} ${row.contentHash}`] : [])),
    );
    const news = entries.filter(({ mark, contentHash }) => !unchanged.has(`${mark} ${contentHash}`));
    if (news.length === 0) return;
    const partition = this.#partitions.forWriting("pages", retentionMs, nowMs);
    for (let from = 0; from < news.length; from += WRITTEN_AT_A_TIME) {
      const some = news.slice(from, from + WRITTEN_AT_A_TIME);
      const marks = new Set(some.map(({ mark }) => mark));
      this.#sql.transaction(() => {
        this.#delete(earlier.filter(({ mark }) => marks.has(mark)));
        for (const entry of some) insertEntry(this.#sql, partition, entry, nowMs);
      });
    }
  }

  /**
   * Returns the entries of pages that `put` would write again though they have not changed, and that have not expired, and
   * the pages whose entry needs no renewal yet.
   */
  due(
    marks: readonly string[],
    { nowMs, retentionMs }: { nowMs: number; retentionMs: number },
  ): { entries: IndexEntry[]; fresh: string[] } {
    const renewBeforeMs = nowMs - retentionMs * RENEWAL_SHARE;
    const known = this.#find(marks).filter(({ indexedAtMs }) => indexedAtMs > nowMs - retentionMs);
    const fresh = known.filter(({ indexedAtMs }) => indexedAtMs >= renewBeforeMs).map(({ mark }) => mark);
    const stale = known.filter(({ indexedAtMs }) => indexedAtMs < renewBeforeMs);
    const entries = stale.flatMap(({ partition, id }) => {
      const row = this.#one<Omit<IndexEntry, "body"> & { body: unknown }>(
        `SELECT mark, content_hash AS contentHash, url, title, description, language, file_type AS fileType,
           dated_at_ms AS datedAtMs, coalesce(scrape_id, '') AS scrapeId, body FROM ${entriesOf(partition)} WHERE id = ?`,
        id,
      );
      return row === undefined ? [] : [{ ...row, body: storedPacked(row.body) ?? "" }];
    });
    return { entries, fresh };
  }

  /** Deletes the entries of pages. */
  remove(marks: readonly string[]): void {
    const rows = this.#find(marks);
    if (rows.length > 0) this.#sql.transaction(() => this.#delete(rows));
  }

  /** Returns up to `query.limit` entries with all words, then such with some of them. */
  search(query: PageQuery): IndexHit[] {
    const partitions = this.#names(query.indexedAfterMs);
    const exact = this.#rank(query, "all", partitions);
    const isLooser = matchExpression(query, "any") !== matchExpression(query, "all");
    // A query of phrases alone has no looser form.
    if (exact.length >= query.limit || query.terms.groups.length === 0 || !isLooser) {
      return this.#read(exact, true);
    }
    const known = new Set(exact.map(({ mark }) => mark));
    const loose = this.#rank(query, "any", partitions).filter(({ mark }) => !known.has(mark));
    return [...this.#read(exact, true), ...this.#read(loose.slice(0, query.limit - exact.length), false)];
  }

  /** Number of entries, including those that have expired and are not dropped yet. */
  get size(): number {
    return this.#names()
      .map((partition) => this.#count(`${wordsOf(partition)}_docsize`))
      .reduce((sum, number) => sum + number, 0);
  }

  /** Drops the partitions whose time is over. @returns the time of the next one. */
  dropExpired(nowMs: number): number | undefined {
    return this.#partitions.dropExpired(nowMs);
  }

  /** Time at which the next partition is dropped. */
  get nextExpiryMs(): number | undefined {
    return this.#partitions.nextExpiryMs;
  }

  #one<Row>(query: string, ...values: (string | number)[]): Row | undefined {
    return this.#sql.rows<Row>(query, ...values)[0];
  }

  /** Returns the partitions, newest first, that may have entries put at `fromMs` or later. All their words can be found. */
  #names(fromMs = 0): string[] {
    if (!this.#isComplete)
      for (const partition of this.#partitions.names("texts")) addWaitingWords(this.#sql, partition);
    this.#isComplete = true;
    return this.#partitions.names(undefined, fromMs);
  }

  /** Returns the entries of pages in all partitions. */
  #find(marks: readonly string[]): (KnownRow & { partition: string })[] {
    const expression = `marks : (${marks.join(" OR ")})`;
    return this.#names().flatMap((partition) => {
      const words = wordsOf(partition);
      const rows = this.#sql.rows<KnownRow>(
        `SELECT id, mark, content_hash AS contentHash, indexed_at_ms AS indexedAtMs
         FROM ${words} JOIN ${entriesOf(partition)} ON id = ${words}.rowid WHERE ${words} MATCH ?`,
        expression,
      );
      return rows.map((row) => ({ ...row, partition }));
    });
  }

  #delete(rows: readonly { partition: string; id: number }[]): void {
    for (const { partition, id } of rows) deleteEntry(this.#sql, partition, id);
  }

  #count(table: string): number {
    return this.#one<{ number: number }>(`SELECT count(*) AS number FROM ${table}`)?.number ?? 0;
  }

  /** Ranks the matches of all partitions; reads no texts. */
  #rank(query: PageQuery, strictness: Strictness, partitions: readonly string[]): Candidate[] {
    const expression = matchExpression(query, strictness);
    if (expression === undefined) return [];
    const found = partitions.map((partition) => ({
      partition,
      words: wordsOf(partition),
      rows: this.#matches(partition, expression, query).filter(({ url }) => isWanted(url, query)),
    }));
    const ranked = rankAcross(this.#sql, { query, strictness, found });
    return ranked.slice(0, query.limit);
  }

  #matches(partition: string, expression: string, query: PageQuery): Omit<Candidate, "partition">[] {
    const words = wordsOf(partition);
    return this.#sql.rows(
      // Weights of title, URL, body and markers in BM25.
      `WITH found AS MATERIALIZED (
         SELECT rowid AS id, bm25(${words}, 6.0, 3.0, 1.0, 0.0) AS score FROM ${words} WHERE ${words} MATCH ?
         ORDER BY rowid DESC LIMIT ${MAX_RANKED}
       )
       SELECT id, mark, url, score, dated_at_ms AS datedAtMs FROM found JOIN ${entriesOf(partition)} USING (id)
       WHERE indexed_at_ms > ? AND dated_at_ms BETWEEN ? AND ?
       ORDER BY ${query.newestFirst === true ? "dated_at_ms DESC" : "score, id DESC"} LIMIT ?`,
      expression,
      query.indexedAfterMs,
      query.fromMs ?? 0,
      query.toMs ?? Number.MAX_SAFE_INTEGER,
      wantedRows(query),
    );
  }

  #read(candidates: readonly Candidate[], isExact: boolean): IndexHit[] {
    return candidates.flatMap(({ partition, id, score }) => {
      const row = this.#one<Omit<IndexHit, "body" | "isExact" | "score"> & { body: unknown }>(
        `SELECT mark, url, title, description, body, dated_at_ms AS datedAtMs, indexed_at_ms AS indexedAtMs,
           scrape_id AS scrapeId FROM ${entriesOf(partition)} WHERE id = ?`,
        id,
      );
      return row === undefined ? [] : [{ ...row, body: storedPacked(row.body) ?? "", isExact, score }];
    });
  }
}

/** Returns the number of rows to read: sites with a path, and several sites, are filtered row by row. */
function wantedRows({ terms, limit }: PageQuery): number {
  const isSifted = [...terms.sites, ...terms.excludedSites].some((site) => site.includes("/"));
  return isSifted ? Math.min(MAX_RANKED, limit * 20) : limit;
}

function isWanted(url: string, { terms }: PageQuery): boolean {
  if (terms.sites.length > 0 && !isOnSite(url, terms.sites)) return false;
  return !isOnSite(url, terms.excludedSites);
}
