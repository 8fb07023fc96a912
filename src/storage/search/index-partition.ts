import { spaceOut } from "../../core/search/words.ts";
import { cutUtf8 } from "../../core/text/utf8.ts";
import { decodePercent } from "../../core/url/decode-percent.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { storedPacked, unpackText, type Packed } from "../scrape/packing.ts";
import { dateMarks, fileTypeMark, languageMark, siteMarks } from "./page-marks.ts";

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

/**
 * Names of tables: `pages` of this version, `texts` of versions before November 2026, which stored an entry as a row of a
 * table and its words in FTS5 as another row, some time later.
 */
export type IndexFamily = "pages" | "texts";

export const INDEX_FAMILIES: readonly IndexFamily[] = ["pages", "texts"];

/** Columns that are searched. The weights of BM25 follow their order. */
const SEARCHED = ["title", "address", "body", "marks"];
/**
 * Columns that FTS5 stores and does not search, in its table with the prefix `stored_`, so that a query over both tables
 * can tell them apart. The body is the last: SQLite reads a row up to the last column that is asked for.
 */
const STORED = [
  "mark",
  "content_hash",
  "dated_at_ms",
  "indexed_at_ms",
  "url",
  "title",
  "description",
  "language",
  "file_type",
  "scrape_id",
  "body",
];

/** Entries of earlier versions whose words are added at a time. */
const ADDED_AT_A_TIME = 16;

/** Creates a partition: one FTS5 table with the words and the stored columns, of which an entry is one row. */
export function createPartition(sql: Sql, name: string): void {
  const columns = [...SEARCHED, ...STORED.map((column) => `stored_${column} UNINDEXED`)];
  sql.rows(
    `CREATE VIRTUAL TABLE IF NOT EXISTS ${name} USING fts5 (${columns.join(", ")}, content = '', contentless_delete = 1,
       contentless_unindexed = 1, tokenize = 'unicode61 remove_diacritics 2')`,
  );
}

export function dropPartition(sql: Sql, name: string): void {
  sql.transaction(() => {
    if (isEarlier(name)) sql.rows(`DROP TABLE IF EXISTS ${wordsOf(name)}`);
    sql.rows(`DROP TABLE IF EXISTS ${name}`);
  });
}

/** Returns the name of the FTS5 table of a partition. */
export function wordsOf(name: string): string {
  return isEarlier(name) ? name.replace("texts", "words") : name;
}

/** Returns what stands after FROM for the stored columns of a partition: `id` and those of the entries. */
export function entriesOf(name: string): string {
  if (isEarlier(name)) return name;
  // FTS5 itself would read a row whole for any column of it. Its table of stored columns counts the columns from 0.
  const columns = STORED.map((column, place) => `c${SEARCHED.length + place} AS ${column}`);
  return `(SELECT id, ${columns.join(", ")} FROM ${name}_content)`;
}

export function insertEntry(sql: Sql, name: string, entry: IndexEntry, nowMs: number): void {
  const columns = [...SEARCHED, ...STORED.map((column) => `stored_${column}`)];
  sql.rows(
    `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ...searchedValues(entry),
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

export function deleteEntry(sql: Sql, name: string, id: number): void {
  sql.rows(`DELETE FROM ${wordsOf(name)} WHERE rowid = ?`, id);
  if (isEarlier(name)) sql.rows(`DELETE FROM ${name} WHERE id = ?`, id);
}

/** Adds the words of entries that an earlier version stored, and would have added before the next search. */
export function addWaitingWords(sql: Sql, name: string): void {
  if (!isEarlier(name)) return;
  const words = wordsOf(name);
  for (;;) {
    // Words were added in the order of the ids.
    const rows = sql.rows<Omit<IndexEntry, "body"> & { id: number; body: unknown }>(
      `SELECT id, mark, url, title, description, language, file_type AS fileType, dated_at_ms AS datedAtMs, body
       FROM ${name} WHERE id > coalesce((SELECT max(id) FROM ${words}_docsize), 0) ORDER BY id LIMIT ${ADDED_AT_A_TIME}`,
    );
    if (rows.length === 0) return;
    sql.transaction(() => {
      for (const row of rows) {
        const entry = { ...row, body: storedPacked(row.body) ?? "" };
        sql.rows(
          `INSERT INTO ${words} (rowid, ${SEARCHED.join(", ")}) VALUES (?, ?, ?, ?, ?)`,
          row.id,
          ...searchedValues(entry),
        );
      }
    });
  }
}

function isEarlier(name: string): boolean {
  return name.startsWith("texts");
}

/** Bytes of a searched body: a value holds 2 MB, and compatibility characters such as `ﷺ` become up to 18 others. */
const MAX_BODY_BYTES = 1_500_000;

/** Returns the values of the columns that are searched, in their order. */
function searchedValues(entry: Omit<IndexEntry, "contentHash" | "scrapeId">): string[] {
  return [
    spaceOut(`${entry.title}\n${entry.description}`),
    spaceOut(addressWords(entry.url)),
    cutUtf8(spaceOut(unpackText(entry.body)), MAX_BODY_BYTES),
    marksOf(entry).join(" "),
  ];
}

function marksOf(entry: Pick<IndexEntry, "mark" | "url" | "language" | "fileType" | "datedAtMs">): string[] {
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
