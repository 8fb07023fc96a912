import type { PagePlace, RowKey } from "../../core/scrape/scrape-id.ts";
import { keyRange } from "../../core/scrape/scrape-id.ts";
import type { ScrapedPage } from "../../ports/storage/stores.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { TimePartitions } from "../time-partitions.ts";
import { storedPacked, type Packed } from "./packing.ts";

/** `results` are documents that only their ids find; `pages` can be found by later scrapes as well. */
type Family = "pages" | "results";

/** Times for which data are kept, in ms. */
export interface Retention {
  resultMs: number;
  cacheMs: number;
}

/** Number of tables that a retention is divided into. */
const TABLES = 8;

/** A cached page as it is stored. Its body is in the row, or an object in R2. */
export interface PageRow {
  /** JSON of the page without its body. */
  facts: string;
  body: Packed | undefined;
  bodyKey: string | undefined;
  screenshotKey: string | undefined;
}

/** Key under which later scrapes find a row. */
export interface CachePlace {
  place: PagePlace;
  /** Text that identifies the page and the options of its load. */
  key: string;
  screenshot: string;
  waitForMs: number;
  storedAtMs: number;
}

/** One row: a scrape with its document, and the page that it has loaded. */
export interface ShardRow {
  row: RowKey;
  id: string;
  cache?: CachePlace | undefined;
  page?: PageRow | undefined;
  shape?: string | undefined;
  /** Absent for a page that was stored without a scrape. */
  scrape?:
    | {
        /** JSON of the record. */
        record: string;
        host: string;
        listed: ScrapedPage | undefined;
        metadata: string;
        fields: Packed | undefined;
        fieldsKey: string | undefined;
      }
    | undefined;
}

/** The outcome of writing a row. */
export interface KeptRow {
  /** Size of the shard's database. */
  bytes: number;
  /** Keys of objects in R2 that no row names any more. */
  replaced: string[];
}

/** A question for the newest row of a page. */
export interface PageQuery extends Omit<CachePlace, "storedAtMs"> {
  fromMs: number;
  toMs: number;
  shape: string | undefined;
}

/** A question for the pages of a host that a team has scraped, and whose results have not expired. */
export interface PagesQuery {
  teamId: string;
  fromMs: number;
  nowMs: number;
  limit: number;
}

export interface FoundScrape {
  id: string;
  record: string;
  metadata: string;
  fields: Packed | undefined;
  fieldsKey: string | undefined;
  storedAtMs: number | undefined;
}

export type FoundRow =
  | { kind: "document"; row: RowKey; storedAtMs: number; document: Omit<FoundScrape, "id" | "record"> }
  | { kind: "page"; waitForMs: number; storedAtMs: number; page: PageRow };

/** Columns of the partitions. Long ones are last, so that those before them are read without them. */
const COLUMNS = `key INTEGER PRIMARY KEY, id TEXT NOT NULL, cache_key TEXT, screenshot TEXT, wait_ms INTEGER, stored_at_ms INTEGER,
  shape TEXT, host TEXT, url TEXT, title TEXT, description TEXT, record TEXT, facts TEXT, body_key TEXT, screenshot_key TEXT,
  fields_key TEXT, metadata TEXT, fields BLOB, body BLOB`;

interface CandidateRow {
  partition: string;
  high: number;
  low: number;
  wait_ms: number;
  stored_at_ms: number;
  shape: string | null;
  has_page: number;
}

interface ScrapeColumns {
  id: string;
  record: string | null;
  metadata: string | null;
  fields_key: string | null;
  fields: unknown;
  stored_at_ms: number | null;
}

interface PageColumns {
  facts: string;
  body_key: string | null;
  screenshot_key: string | null;
  body: unknown;
}

/**
 * Rows of one page in a table above which the table has an index of the rows that later scrapes find. Earlier versions of a
 * page stay in the range of its keys, and without the index each write and lookup reads all of them. Other tables do without:
 * each write of a row costs another one.
 */
const MAX_ROWS_WITHOUT_INDEX = 1_000;
const indexOf = (partition: string): string => `${partition}_cached`;
/** Keys of a page, from the first to the last upper half. */
const IN_RANGE = "key >= (? << 31) AND key <= (? << 31) + 2147483647";

/** Rows of one page that are read: those with the page, or with the document in the shape of the query. */
const MAX_CANDIDATES = 20;

/**
 * Rows of a table that are read to list the pages of a host. They are in the order of their keys, which are random, so
 * that a larger table lists a sample. An index would cost another written row for each scrape.
 */
const MAX_LISTED_ROWS = 50_000;

/**
 * Stores the scrapes and cached pages of one shard in tables by time, which are dropped as a whole: nothing is deleted row
 * by row. A scrape is one row, which is found by its id and by its page (`core/scrape/scrape-id.ts`).
 */
export class PageShard {
  readonly #sql: Sql;
  readonly #partitions: TimePartitions<Family>;
  /** Indexes that are there. */
  readonly #indexes: Set<string>;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#partitions = new TimePartitions(sql, {
      families: ["pages", "results"],
      parts: TABLES,
      create: (name) => void sql.rows(`CREATE TABLE IF NOT EXISTS ${name} (${COLUMNS})`),
      drop: (name) => void sql.rows(`DROP TABLE IF EXISTS ${name}`),
    });
    const indexes = sql.rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'index'");
    this.#indexes = new Set(indexes.map(({ name }) => name));
  }

  /**
   * Writes a row. A page replaces the earlier version of it, whose documents can still be read by their ids.
   * @returns the keys of objects in R2 that were parts of the earlier version and that no row names any more.
   * @throws Error when another scrape has the same key, which is as rare as two equal random numbers of 38 bits.
   */
  keep(entry: ShardRow, retention: Retention, nowMs: number): string[] {
    // Created outside of the transaction, whose rollback would remove table and index and leave their names in memory.
    const family = entry.cache === undefined ? "results" : "pages";
    const partition = this.#partitions.forWriting(family, lifeMs(family, retention), nowMs);
    if (entry.page !== undefined && entry.cache !== undefined) this.#indexRowsOf(entry.cache.place);
    return this.#sql.transaction(() => {
      const replaced =
        entry.page === undefined || entry.cache === undefined ? [] : this.#replace(entry.cache, entry.page);
      this.#insert(entry, partition);
      return replaced;
    });
  }

  /** Returns the document of the newest page within the bounds, if it has the shape, else the page. */
  findPage(query: PageQuery): FoundRow | undefined {
    const rows = this.#partitions.names("pages", query.fromMs).flatMap((name) => this.#candidates(name, query));
    const sorted = rows.toSorted((left, right) => right.stored_at_ms - left.stored_at_ms);
    for (const { stored_at_ms: storedAtMs, wait_ms: waitForMs } of sorted) {
      const version = sorted.filter((row) => row.stored_at_ms === storedAtMs && row.wait_ms === waitForMs);
      const derived = version.find((row) => query.shape !== undefined && row.shape === query.shape);
      const document = derived && this.#scrape(derived.partition, derived);
      if (derived !== undefined && document !== undefined) {
        const { id: _, record: __, ...parts } = document;
        return { kind: "document", row: { high: derived.high, low: derived.low }, storedAtMs, document: parts };
      }
      const loaded = version.find((row) => row.has_page === 1);
      if (loaded !== undefined) return { kind: "page", waitForMs, storedAtMs, page: this.#page(loaded) };
    }
    return undefined;
  }

  findScrape(row: RowKey): FoundScrape | undefined {
    for (const name of this.#partitions.names()) {
      const found = this.#scrape(name, row);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * Lists scraped pages of a host, each URL once, from the tables with rows that were written at `fromMs` or later. Of
   * each table, the first `MAX_LISTED_ROWS` rows are read.
   */
  pagesOf(host: string, { teamId, fromMs, nowMs, limit }: PagesQuery): ScrapedPage[] {
    const pages = new Map<string, ScrapedPage>();
    for (const name of this.#partitions.names(undefined, fromMs)) {
      const rows = this.#sql.rows<{ url: string; title: string | null; description: string | null }>(
        `SELECT url, title, description
         FROM (SELECT host, url, title, description, record FROM ${name} LIMIT ${MAX_LISTED_ROWS})
         WHERE host = ? AND url IS NOT NULL AND json_extract(record, '$.teamId') = ? AND json_extract(record, '$.expiresAtMs') > ?
         GROUP BY url LIMIT ?`,
        host,
        teamId,
        nowMs,
        limit,
      );
      for (const { url, title, description } of rows) {
        if (!pages.has(url)) pages.set(url, { url, title: title ?? undefined, description: description ?? undefined });
      }
      if (pages.size >= limit) break;
    }
    return [...pages.values()].slice(0, limit);
  }

  /** Drops the tables whose time is over. @returns the time of the next one. */
  dropExpired(nowMs: number): number | undefined {
    return this.#partitions.dropExpired(nowMs);
  }

  /** Time at which the next table is dropped. */
  get nextExpiryMs(): number | undefined {
    return this.#partitions.nextExpiryMs;
  }

  #insert({ row, id, cache, page, shape, scrape }: ShardRow, partition: string): void {
    const listed = scrape?.listed;
    // An earlier document of the same scrape, such as the placeholder of one that was queued.
    for (const other of this.#partitions.names()) {
      if (other !== partition)
        this.#sql.rows(`DELETE FROM ${other} WHERE key = (? << 31) | ? AND id = ?`, row.high, row.low, id);
    }
    const written = this.#sql.rows<{ id: string }>(
      `INSERT INTO ${partition} VALUES ((? << 31) | ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET record = excluded.record, metadata = excluded.metadata, fields = excluded.fields,
         fields_key = excluded.fields_key, url = excluded.url, title = excluded.title, description = excluded.description,
         cache_key = excluded.cache_key, screenshot = excluded.screenshot, wait_ms = excluded.wait_ms,
         stored_at_ms = excluded.stored_at_ms, shape = excluded.shape, facts = excluded.facts, body = excluded.body,
         body_key = excluded.body_key, screenshot_key = excluded.screenshot_key
       WHERE id = excluded.id RETURNING id`,
      row.high,
      row.low,
      id,
      cache?.key ?? null,
      cache?.screenshot ?? null,
      cache?.waitForMs ?? null,
      cache?.storedAtMs ?? null,
      shape ?? null,
      scrape?.host ?? null,
      listed?.url ?? null,
      listed?.title ?? null,
      listed?.description ?? null,
      scrape?.record ?? null,
      page?.facts ?? null,
      page?.bodyKey ?? null,
      page?.screenshotKey ?? null,
      scrape?.fieldsKey ?? null,
      scrape?.metadata ?? null,
      scrape?.fields ?? null,
      page?.body ?? null,
    );
    if (written.length === 0) throw new Error("Another scrape has the same key");
  }

  /**
   * Removes the earlier version of a page, and with it what later scrapes find. The documents stay.
   * @returns the keys of its objects in R2, without those that the new version has written again.
   */
  #replace({ place, key, screenshot, waitForMs, storedAtMs }: CachePlace, page: PageRow): string[] {
    const { from, to } = keyRange(place);
    const earlier = `${IN_RANGE} AND cache_key = ? AND screenshot = ? AND wait_ms = ?
           AND stored_at_ms <= ?`;
    const values = [from, to, key, screenshot, waitForMs, storedAtMs];
    const kept = new Set([page.bodyKey, page.screenshotKey]);
    return this.#partitions.names("pages").flatMap((name) => {
      const rows = this.#sql.rows<Pick<PageColumns, "body_key" | "screenshot_key">>(
        `SELECT body_key, screenshot_key FROM ${this.#cached(name)} WHERE ${earlier} AND (body_key IS NOT NULL OR screenshot_key IS NOT NULL)`,
        ...values,
      );
      this.#sql.rows(
        `UPDATE ${this.#cached(name)} SET cache_key = NULL, facts = NULL, body = NULL, body_key = NULL, screenshot_key = NULL
         WHERE ${earlier}`,
        ...values,
      );
      const keys = rows.flatMap(({ body_key, screenshot_key }) => [body_key ?? [], screenshot_key ?? []].flat());
      return keys.filter((own) => !kept.has(own));
    });
  }

  /** Creates the index of those tables that have many rows of a page. */
  #indexRowsOf(place: PagePlace): void {
    const { from, to } = keyRange(place);
    for (const name of this.#partitions.names("pages")) {
      const index = indexOf(name);
      if (this.#indexes.has(index)) continue;
      const further = `SELECT 1 FROM ${name} WHERE ${IN_RANGE} LIMIT 1 OFFSET ${MAX_ROWS_WITHOUT_INDEX}`;
      if (this.#sql.rows(further, from, to).length === 0) continue;
      this.#sql.rows(`CREATE INDEX IF NOT EXISTS ${index} ON ${name} (key) WHERE cache_key IS NOT NULL`);
      this.#indexes.add(index);
      // That of a large table takes long: the next one is for a later write.
      return;
    }
  }

  /** Names a table in a query for rows with a cache key, with its index if there is one. */
  #cached(partition: string): string {
    const index = indexOf(partition);
    return this.#indexes.has(index) ? `${partition} INDEXED BY ${index}` : partition;
  }

  #candidates(partition: string, query: PageQuery): CandidateRow[] {
    const { from, to } = keyRange(query.place);
    const rows = this.#sql.rows<Omit<CandidateRow, "partition">>(
      `SELECT key >> 31 AS high, key & 2147483647 AS low, wait_ms, stored_at_ms, shape, facts IS NOT NULL AS has_page
       FROM ${this.#cached(partition)}
       WHERE ${IN_RANGE} AND cache_key = ? AND (? = '' OR screenshot = ?)
         AND wait_ms >= ? AND stored_at_ms BETWEEN ? AND ? AND (facts IS NOT NULL OR shape = ?)
       ORDER BY stored_at_ms DESC LIMIT ${MAX_CANDIDATES}`,
      from,
      to,
      query.key,
      query.screenshot,
      query.screenshot,
      query.waitForMs,
      query.fromMs,
      query.toMs,
      query.shape ?? null,
    );
    return rows.map((row) => ({ ...row, partition }));
  }

  #scrape(partition: string, { high, low }: RowKey): FoundScrape | undefined {
    const [row] = this.#sql.rows<ScrapeColumns>(
      `SELECT id, record, metadata, fields_key, fields, stored_at_ms FROM ${partition} WHERE key = (? << 31) | ?`,
      high,
      low,
    );
    if (row === undefined || row.record === null || row.metadata === null) return undefined;
    const { id, record, metadata } = row;
    return {
      id,
      record,
      metadata,
      fields: storedPacked(row.fields),
      fieldsKey: row.fields_key ?? undefined,
      storedAtMs: row.stored_at_ms ?? undefined,
    };
  }

  #page({ partition, high, low }: CandidateRow): PageRow {
    const [row] = this.#sql.rows<PageColumns>(
      `SELECT facts, body_key, screenshot_key, body FROM ${partition} WHERE key = (? << 31) | ?`,
      high,
      low,
    );
    if (row === undefined) throw new Error("A row was found that is gone");
    return {
      facts: row.facts,
      body: storedPacked(row.body),
      bodyKey: row.body_key ?? undefined,
      screenshotKey: row.screenshot_key ?? undefined,
    };
  }
}

/** A cached page may be the result of a scrape until it expires, and that result is kept as long as any other. */
function lifeMs(family: Family, { resultMs, cacheMs }: Retention): number {
  return family === "results" ? resultMs : cacheMs + resultMs;
}
