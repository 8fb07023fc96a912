import { spaceOut } from "../../core/search/words.ts";
import { isOnSite } from "../../core/search/search-query.ts";
import { decodePercent } from "../../core/url/decode-percent.ts";
import type { PageQuery } from "../../ports/search/page-index.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { storedPacked, unpackText, type Packed } from "../scrape/packing.ts";
import { TimePartitions } from "../time-partitions.ts";
import { rankAcross } from "./index-rank.ts";
import { dateMarks, fileTypeMark, languageMark, siteMarks } from "./page-marks.ts";
import { matchExpression, type Strictness } from "./page-match.ts";

/** An entry of the index as it is stored. */
export interface IndexEntry {
  /** Marker of the page's URL, equal for all its spellings. */
  mark: string;
  contentHash: string;
  url: string;
  title: string;
  description: string;
  language: string;
  fileType: string;
  datedAtMs: number;
  scrapeId: string;
  body: Packed;
}

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
/** Entries, and bytes of their stored bodies, after which the words of those that wait are added to the index. */
const MAX_WAITING = 32;
const MAX_WAITING_BYTES = 1_000_000;
/** Entries whose words are added at a time. */
const ADDED_AT_A_TIME = 16;

const COLUMNS = `id INTEGER PRIMARY KEY, mark TEXT NOT NULL, content_hash TEXT NOT NULL, dated_at_ms INTEGER NOT NULL,
  indexed_at_ms INTEGER NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL, description TEXT NOT NULL, language TEXT NOT NULL,
  file_type TEXT NOT NULL, scrape_id TEXT, body BLOB`;

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
 * A full-text index in one SQLite database. Partitions by time each have a table of texts, and the words of these in FTS5,
 * which stores no text. An entry is one row of texts when it is put. Its words are added with those of others, before the
 * next search at the latest, so that a search finds what was put before. Partitions are dropped as a whole.
 */
export class IndexTables {
  readonly #sql: Sql;
  readonly #partitions: TimePartitions<"texts">;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#partitions = new TimePartitions(sql, {
      families: ["texts"],
      parts: PARTITIONS,
      create: (texts) =>
        sql.transaction(() => {
          sql.rows(`CREATE TABLE IF NOT EXISTS ${texts} (${COLUMNS})`);
          sql.rows(
            `CREATE VIRTUAL TABLE IF NOT EXISTS ${wordsOf(texts)} USING fts5 (title, address, body, marks, content = '',
               contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2')`,
          );
        }),
      drop: (texts) =>
        sql.transaction(() => {
          sql.rows(`DROP TABLE IF EXISTS ${wordsOf(texts)}`);
          sql.rows(`DROP TABLE IF EXISTS ${texts}`);
        }),
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
    const texts = this.#partitions.forWriting("texts", retentionMs, nowMs);
    const marks = new Set(news.map(({ mark }) => mark));
    this.#sql.transaction(() => {
      this.#delete(earlier.filter(({ mark }) => marks.has(mark)));
      for (const entry of news) this.#insert(texts, entry, nowMs);
    });
    const waiting = this.#waiting(texts);
    if (waiting.number >= MAX_WAITING || waiting.bytes >= MAX_WAITING_BYTES) this.#addWords(texts);
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
           dated_at_ms AS datedAtMs, coalesce(scrape_id, '') AS scrapeId, body FROM ${partition} WHERE id = ?`,
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
    const partitions = this.#partitions.names("texts", query.indexedAfterMs);
    for (const texts of partitions) this.#addWords(texts);
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
    return this.#partitions
      .names()
      .map((texts) => this.#count(`${wordsOf(texts)}_docsize`) + this.#waiting(texts).number)
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

  /** Returns the entries of pages in all partitions, of which the words of some are not added yet. */
  #find(marks: readonly string[]): (KnownRow & { partition: string })[] {
    const columns = "id, mark, content_hash AS contentHash, indexed_at_ms AS indexedAtMs";
    const expression = `marks : (${marks.join(" OR ")})`;
    return this.#partitions.names().flatMap((partition) => {
      const words = wordsOf(partition);
      const added = this.#sql.rows<KnownRow>(
        `SELECT ${columns} FROM ${words} JOIN ${partition} ON id = ${words}.rowid WHERE ${words} MATCH ?`,
        expression,
      );
      const waiting = this.#sql.rows<KnownRow>(
        `SELECT ${columns} FROM ${partition} WHERE id > ? AND mark IN (SELECT value FROM json_each(?))`,
        this.#lastAdded(partition),
        JSON.stringify(marks),
      );
      return [...added, ...waiting].map((row) => ({ ...row, partition }));
    });
  }

  #delete(rows: readonly { partition: string; id: number }[]): void {
    for (const { partition, id } of rows) {
      this.#sql.rows(`DELETE FROM ${wordsOf(partition)} WHERE rowid = ?`, id);
      this.#sql.rows(`DELETE FROM ${partition} WHERE id = ?`, id);
    }
  }

  #insert(texts: string, entry: IndexEntry, nowMs: number): void {
    this.#sql.rows(
      `INSERT INTO ${texts} (mark, content_hash, dated_at_ms, indexed_at_ms, url, title, description, language, file_type,
         scrape_id, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      entry.mark,
      entry.contentHash,
      entry.datedAtMs,
      nowMs,
      entry.url,
      entry.title,
      entry.description,
      entry.language,
      entry.fileType,
      entry.scrapeId,
      entry.body,
    );
  }

  /** The last entry whose words are in the index: words are added in the order of the ids. */
  #lastAdded(texts: string): number {
    return this.#one<{ id: number | null }>(`SELECT max(id) AS id FROM ${wordsOf(texts)}_docsize`)?.id ?? 0;
  }

  #count(table: string): number {
    return this.#one<{ number: number }>(`SELECT count(*) AS number FROM ${table}`)?.number ?? 0;
  }

  /** Counts the entries whose words are not added yet, and the size of their bodies. */
  #waiting(texts: string): { number: number; bytes: number } {
    const waiting = this.#one<{ number: number; bytes: number | null }>(
      `SELECT count(*) AS number, sum(length(body)) AS bytes FROM ${texts} WHERE id > ?`,
      this.#lastAdded(texts),
    );
    return { number: waiting?.number ?? 0, bytes: waiting?.bytes ?? 0 };
  }

  /** Adds the words of the entries that wait. */
  #addWords(texts: string): void {
    for (;;) {
      const rows = this.#sql.rows<Omit<IndexEntry, "body"> & { id: number; body: unknown }>(
        `SELECT id, mark, url, title, description, language, file_type AS fileType, dated_at_ms AS datedAtMs, body
         FROM ${texts} WHERE id > ? ORDER BY id LIMIT ${ADDED_AT_A_TIME}`,
        this.#lastAdded(texts),
      );
      if (rows.length === 0) return;
      this.#sql.transaction(() => {
        for (const row of rows) {
          this.#sql.rows(
            `INSERT INTO ${wordsOf(texts)} (rowid, title, address, body, marks) VALUES (?, ?, ?, ?, ?)`,
            row.id,
            spaceOut(`${row.title}\n${row.description}`),
            spaceOut(addressWords(row.url)),
            spaceOut(unpackText(storedPacked(row.body) ?? "")),
            marksOf(row).join(" "),
          );
        }
      });
    }
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
       SELECT id, mark, url, score, dated_at_ms AS datedAtMs FROM found JOIN ${partition} USING (id)
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
           scrape_id AS scrapeId FROM ${partition} WHERE id = ?`,
        id,
      );
      return row === undefined ? [] : [{ ...row, body: storedPacked(row.body) ?? "", isExact, score }];
    });
  }
}

function wordsOf(texts: string): string {
  return texts.replace("texts", "words");
}

function marksOf(entry: Omit<IndexEntry, "body">): string[] {
  return [
    entry.mark,
    ...siteMarks(entry.url),
    languageMark(entry.language === "" ? "none" : entry.language),
    fileTypeMark(entry.fileType),
    ...dateMarks(entry.datedAtMs),
  ];
}

function addressWords(url: string): string {
  const { hostname, pathname, search } = new URL(url);
  return decodePercent(`${hostname} ${pathname} ${search}`);
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
