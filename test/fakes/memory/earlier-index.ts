import { spaceOut } from "../../../src/core/search/words.ts";
import type { Sql } from "../../../src/ports/storage/sql.ts";
import { dateMarks, fileTypeMark, languageMark, siteMarks, urlMark } from "../../../src/storage/search/page-marks.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface EarlierEntry {
  url: string;
  title: string;
  body: string;
  contentHash: string;
  indexedAtMs: number;
}

/**
 * Writes a partition of a search index as versions before November 2026 did: a row of texts for each entry, and their words
 * in FTS5 as further rows, of which those of the last `waiting` entries were not added yet.
 * @param dropAtMs a full hour
 * @returns the names of both tables.
 */
export function storeEarlierPartition(
  sql: Sql,
  entries: readonly EarlierEntry[],
  { startMs, dropAtMs, waiting }: { startMs: number; dropAtMs: number; waiting: number },
): { texts: string; words: string } {
  const hours = [startMs, startMs + 8 * DAY_MS, dropAtMs].map((ms) => Math.floor(ms / HOUR_MS)).join("_");
  const [texts, words] = [`texts_${hours}`, `words_${hours}`];
  sql.rows(
    `CREATE TABLE ${texts} (id INTEGER PRIMARY KEY, mark TEXT NOT NULL, content_hash TEXT NOT NULL, dated_at_ms INTEGER NOT NULL,
       indexed_at_ms INTEGER NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL, description TEXT NOT NULL, language TEXT NOT NULL,
       file_type TEXT NOT NULL, scrape_id TEXT, body BLOB)`,
  );
  sql.rows(
    `CREATE VIRTUAL TABLE ${words} USING fts5 (title, address, body, marks, content = '', contentless_delete = 1,
       tokenize = 'unicode61 remove_diacritics 2')`,
  );
  for (const [place, { url, title, body, contentHash, indexedAtMs }] of entries.entries()) {
    const id = place + 1;
    sql.rows(
      `INSERT INTO ${texts} VALUES (?, ?, ?, ?, ?, ?, ?, '', 'en', 'html', 'a scrape', ?)`,
      id,
      urlMark(url),
      contentHash,
      indexedAtMs,
      indexedAtMs,
      url,
      title,
      body,
    );
    if (place >= entries.length - waiting) continue;
    const { hostname, pathname } = new URL(url);
    const marks = [
      urlMark(url),
      ...siteMarks(url),
      languageMark("en"),
      fileTypeMark("html"),
      ...dateMarks(indexedAtMs),
    ];
    sql.rows(
      `INSERT INTO ${words} (rowid, title, address, body, marks) VALUES (?, ?, ?, ?, ?)`,
      id,
      spaceOut(title),
      spaceOut(`${hostname} ${pathname}`),
      spaceOut(body),
      marks.join(" "),
    );
  }
  return { texts, words };
}
