import { FrontierConfig, FrontierState } from "../../core/crawl/frontier.ts";
import { readOwn, readStored, writtenBack } from "../../core/stored-state.ts";
import type { Sql } from "../../ports/storage/sql.ts";

const StoredState = writtenBack(FrontierState.extend({ config: writtenBack(FrontierConfig) }));

/** State of a row of `urls`. A waiting row of an ended job counts as skipped (`FrontierState.rest`). */
export const PENDING = 0;
export const SCRAPED = 1;
export const FAILED = 2;
export const SKIPPED = 3;

/**
 * Tables of a frontier. Written rows are the main cost of a job, so no table has a row for each URL: URLs that are found,
 * in the queue's order, leases, results, URLs beyond the limit and filtered URLs are packed: a row holds many as JSON. A
 * scraped URL stays in the queue as it was found, and its end is in `ends`, by its `seat`, the number in which it was
 * found (`frontier-ends.ts`). One that fails, is skipped or waits for another attempt has a row in `urls`
 * (`frontier-urls.ts`). A URL's `version` and `document` are for later crawls: the number of its document in `batches` or,
 * below zero, in `unlisted`, whose documents are not among the results. `lost` is the number of its lost leases, which
 * `attempt` counts too.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS frontier (one INTEGER PRIMARY KEY, state TEXT NOT NULL, leases TEXT);
  CREATE TABLE IF NOT EXISTS urls (
    key TEXT PRIMARY KEY, url TEXT NOT NULL, depth INTEGER NOT NULL, external INTEGER NOT NULL, parent TEXT,
    state INTEGER NOT NULL, attempt INTEGER NOT NULL, reason TEXT, detail TEXT,
    sitemap_date TEXT, version TEXT, document INTEGER, lost INTEGER, seat INTEGER, packed INTEGER
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS ends (block INTEGER PRIMARY KEY, entries TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS queue (id INTEGER PRIMARY KEY, keys TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS retries (due_at_ms INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (due_at_ms, key)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS leases (
    id INTEGER PRIMARY KEY, expires_at_ms INTEGER NOT NULL, is_seed INTEGER NOT NULL, items TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS overflow (id INTEGER PRIMARY KEY, entries TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS filtered (id INTEGER PRIMARY KEY, entries TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS batches (
    first INTEGER PRIMARY KEY, object TEXT NOT NULL, count INTEGER NOT NULL, entries TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS unlisted (
    first INTEGER PRIMARY KEY, object TEXT NOT NULL, count INTEGER NOT NULL, entries TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS tombstones (id INTEGER PRIMARY KEY, is_compared INTEGER NOT NULL, entries TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS failures (
    id INTEGER PRIMARY KEY, failure_id TEXT NOT NULL, at_ms INTEGER NOT NULL, url TEXT NOT NULL, code TEXT, error TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS site_template (one INTEGER PRIMARY KEY, text TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS hosts (host TEXT PRIMARY KEY, delay_ms INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS outbox (
    id INTEGER PRIMARY KEY, webhook_id TEXT NOT NULL, event TEXT NOT NULL, content TEXT NOT NULL,
    attempts INTEGER NOT NULL, due_at_ms INTEGER NOT NULL, lost INTEGER NOT NULL
  );
`;

/** Columns that objects of older versions do not have. */
const LATER_COLUMNS: Record<string, readonly string[]> = {
  frontier: ["leases TEXT"],
  urls: ["sitemap_date TEXT", "version TEXT", "document INTEGER", "lost INTEGER", "seat INTEGER", "packed INTEGER"],
};

export function createTables(sql: Sql): void {
  for (const statement of TABLES.split(";")) {
    if (statement.trim() !== "") sql.rows(statement);
  }
  for (const [table, later] of Object.entries(LATER_COLUMNS)) {
    const columns = new Set(sql.rows<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => name)); // prettier-ignore
    for (const column of later) {
      if (!columns.has(column.split(" ")[0] ?? "")) sql.rows(`ALTER TABLE ${table} ADD COLUMN ${column}`);
    }
  }
}

/** Databases whose state this version has written: it needs no schema. */
const written = new WeakSet<Sql>();

/**
 * Reads the state, several times for every few pages. The schema parses it until this object has written it.
 * @throws AppError STORED_STATE_UNREADABLE
 */
export function readState(sql: Sql): FrontierState | undefined {
  const [row] = sql.rows<{ state: string }>("SELECT state FROM frontier WHERE one = 1");
  if (row === undefined) return undefined;
  return written.has(sql) ? readOwn<FrontierState>(row.state) : readStored(StoredState, row.state, "frontier");
}

/**
 * Writes the state, in one row with the leases.
 * @param leases text of the leases that the row has, null for none; undefined when they are as before
 */
export function writeState(sql: Sql, state: FrontierState, leases?: string | null): void {
  const text = JSON.stringify(state);
  if (leases === undefined) {
    sql.rows("INSERT INTO frontier (one, state) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET state = excluded.state", text); // prettier-ignore
  } else {
    sql.rows("INSERT OR REPLACE INTO frontier (one, state, leases) VALUES (1, ?, ?)", text, leases);
  }
  written.add(sql);
}

/** Yields the rows of a packed table one by one, so that a long table is never in memory as a whole. */
export function* packedRows(
  sql: Sql,
  table: "filtered" | "overflow",
  first = 0,
): Generator<{ id: number; entries: string }> {
  let next = first;
  for (;;) {
    const rows = sql.rows<{ id: number; entries: string }>(
      `SELECT id, entries FROM ${table} WHERE id >= ? ORDER BY id LIMIT 20`,
      next,
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    next = last.id + 1;
  }
}

/** A value has 2 MB at most, and a character takes three bytes at most. */
const MAX_PIECE_CHARS = 600_000;
/** Quotes, brackets, numbers and escapes of an entry in JSON. */
const ENTRY_CHARS = 100;

/**
 * Splits entries into pieces of `size` entries at most, each of which fits into a value as JSON. An entry alone must fit.
 * @param charsOf number of characters of an entry's texts
 * @param limits entries of a piece at most, and its characters, unless one entry alone has more
 */
export function* inPieces<Entry>(
  entries: readonly Entry[],
  charsOf: (entry: Entry) => number,
  { size = 500, chars: maxChars = MAX_PIECE_CHARS }: { size?: number; chars?: number } = {},
): Generator<Entry[]> {
  let piece: Entry[] = [];
  let chars = 0;
  for (const entry of entries) {
    const own = charsOf(entry) + ENTRY_CHARS;
    if (piece.length === size || (piece.length > 0 && chars + own > maxChars)) {
      yield piece;
      [piece, chars] = [[], 0];
    }
    piece.push(entry);
    chars += own;
  }
  if (piece.length > 0) yield piece;
}
