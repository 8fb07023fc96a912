import { checkStored, readStored, readStoredList } from "../../core/stored-state.ts";
import { PageVersion, type EarlierPage } from "../../core/crawl/page-version.ts";
import type { VersionQuery } from "../../ports/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { isBatchEntry, type BatchEntry } from "./frontier-complete.ts";
import { PageEnds } from "./frontier-ends.ts";
import { SKIPPED } from "./frontier-tables.ts";
import { urlsOf, type UrlRow } from "./frontier-urls.ts";

/** URLs that are read at a time until enough pages with versions are found. */
const URLS_AT_A_TIME = 500;

/** Returns pages with what a later crawl needs of them: those with the given keys, or the next ones behind a key. */
export function readVersions(sql: Sql, query: VersionQuery): EarlierPage[] {
  const reading = { ends: new PageEnds(sql), documents: new Documents(sql) };
  if (!("keys" in query)) return readNextVersions(sql, reading, query);
  const rows = urlsOf(sql).get(query.keys);
  return query.keys.flatMap((key) => {
    const row = rows.get(key);
    return row === undefined ? [] : (pageOf(reading, row) ?? []);
  });
}

function readNextVersions(
  sql: Sql,
  reading: Reading,
  { after, limit }: { after: string; limit: number },
): EarlierPage[] {
  const pages: EarlierPage[] = [];
  for (let last = after; pages.length < limit;) {
    const rows = urlsOf(sql).after(last, URLS_AT_A_TIME);
    for (const row of rows) {
      const page = pages.length < limit ? pageOf(reading, row) : undefined;
      if (page !== undefined) pages.push(page);
      last = row.key;
    }
    if (rows.length < URLS_AT_A_TIME) break;
  }
  return pages;
}

interface Reading {
  ends: PageEnds;
  documents: Documents;
}

/** Returns the page of a row that has a version: beside those of its neighbours, or in the row itself. */
function pageOf({ ends, documents }: Reading, row: UrlRow): EarlierPage | undefined {
  const [number, known] = ends.get(row.seat) ?? [];
  if (number !== undefined && known !== undefined && known !== null) {
    return documents.pageOf(row, checkStored(PageVersion, known, "version of a page"), number);
  }
  if (row.version === null || row.document === null) return undefined;
  return documents.pageOf(row, readStored(PageVersion, row.version, "version of a page"), row.document);
}

interface BatchRow {
  first: number;
  object: string;
  count: number;
  entries: string;
}

/** Documents by their numbers. Each packed row is read once. */
class Documents {
  readonly #sql: Sql;
  readonly #rows: { isListed: boolean; first: number; object: string; entries: BatchEntry[] }[] = [];

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  pageOf({ key, url, parent }: UrlRow, version: PageVersion, document: number): EarlierPage | undefined {
    const found = this.#find(document);
    if (found === undefined) return undefined;
    const { entry, object } = found;
    const [offset, length, scrapeId, , extra = {}] = entry;
    const own = extra.object ?? object;
    return {
      key,
      url,
      parent: parent ?? undefined,
      version,
      document: { object: own, offset, length, metadataBytes: extra.metadata ?? 0, scrapeId },
      links: extra.links === undefined ? undefined : { object: extra.links.object ?? object, ...placeOf(extra.links) },
    };
  }

  #find(document: number): { entry: BatchEntry; object: string } | undefined {
    const isListed = document >= 0;
    const number = isListed ? document : -1 - document;
    const row = this.#rowOf(isListed, number);
    const entry = row?.entries[number - row.first];
    return row === undefined || entry === undefined ? undefined : { entry, object: row.object };
  }

  #rowOf(isListed: boolean, number: number) {
    const known = this.#rows.find(
      (row) => row.isListed === isListed && row.first <= number && number < row.first + row.entries.length,
    );
    if (known !== undefined) return known;
    const [row] = this.#sql.rows<BatchRow>(
      `SELECT first, object, count, entries FROM ${isListed ? "batches" : "unlisted"}
       WHERE first <= ? ORDER BY first DESC LIMIT 1`,
      number,
    );
    if (row === undefined) return undefined;
    const entries = readStoredList(isBatchEntry, row.entries, "frontier");
    const read = { isListed, first: row.first, object: row.object, entries };
    this.#rows.push(read);
    return read;
  }
}

function placeOf({ offset, length, index }: { offset: number; length: number; index: number }) {
  return { offset, length, index };
}

/**
 * Returns those of an earlier job's keys that this job has not found, and those whose URL now redirects to another page. A
 * page to which another URL redirects has the document of that one: it is there, and known by another URL.
 */
export function readMissing(sql: Sql, keys: readonly string[]): { notFound: string[]; redirected: string[] } {
  const known = urlsOf(sql).get(keys);
  return {
    notFound: keys.filter((key) => !known.has(key)),
    redirected: keys.filter((key) => {
      const row = known.get(key);
      return row?.state === SKIPPED && row.reason === "duplicate" && row.document === null;
    }),
  };
}
