import { readStored, readStoredList } from "../../core/stored-state.ts";
import { PageVersion, type EarlierPage } from "../../core/crawl/page-version.ts";
import type { VersionQuery } from "../../ports/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { isBatchEntry, type BatchEntry } from "./frontier-complete.ts";
import { SKIPPED } from "./frontier-tables.ts";

interface VersionRow {
  key: string;
  url: string;
  parent: string | null;
  version: string;
  document: number;
}

const COLUMNS = "urls.key, urls.url, urls.parent, version, document";

/** Returns pages with what a later crawl needs of them: those with the given keys, or the next ones in order of their keys. */
export function readVersions(sql: Sql, query: VersionQuery): EarlierPage[] {
  const rows =
    "keys" in query
      ? sql.rows<VersionRow>(
          `SELECT ${COLUMNS} FROM json_each(?) AS asked JOIN urls ON urls.key = asked.value WHERE version IS NOT NULL`,
          JSON.stringify(query.keys),
        )
      : sql.rows<VersionRow>(
          `SELECT ${COLUMNS} FROM urls WHERE urls.key > ? AND version IS NOT NULL ORDER BY urls.key LIMIT ?`,
          query.after,
          query.limit,
        );
  const documents = new Documents(sql);
  return rows.flatMap((row) => documents.pageOf(row) ?? []);
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

  pageOf({ key, url, parent, version, document }: VersionRow): EarlierPage | undefined {
    const found = this.#find(document);
    if (found === undefined) return undefined;
    const { entry, object } = found;
    const [offset, length, scrapeId, , extra = {}] = entry;
    const own = extra.object ?? object;
    return {
      key,
      url,
      parent: parent ?? undefined,
      version: readStored(PageVersion, version, "version of a page"),
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

/** Returns those of an earlier job's keys that this job has not found, and those whose URL now redirects to another page. */
export function readMissing(sql: Sql, keys: readonly string[]): { notFound: string[]; redirected: string[] } {
  const rows = sql.rows<{ key: string; state: number; reason: string | null }>(
    "SELECT urls.key, state, reason FROM json_each(?) AS asked JOIN urls ON urls.key = asked.value",
    JSON.stringify(keys),
  );
  const known = new Map(rows.map((row) => [row.key, row]));
  return {
    notFound: keys.filter((key) => !known.has(key)),
    redirected: keys.filter((key) => known.get(key)?.state === SKIPPED && known.get(key)?.reason === "duplicate"),
  };
}
