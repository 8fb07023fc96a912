import { readStoredList, startsWith } from "../../core/stored-state.ts";
import type { FrontierState } from "../../core/crawl/frontier.ts";
import type { RemovalReason, Tombstone } from "../../core/crawl/page-version.ts";
import type { ComparedPages } from "../../ports/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";

const MAX_ROW_ENTRIES = 100;
/** A value has 2 MB at most. */
const MAX_ROW_BYTES = 1_000_000;
/** The result of a call has 32 MiB at most. */
const MAX_READ_CHARS = 8_000_000;

/** A tombstone in a packed row. */
export type TombstoneEntry = [url: string, reason: RemovalReason, scrapeId: string, chunks: string[]];

export const isTombstone = (value: unknown): value is TombstoneEntry =>
  startsWith(value, ["string", "string", "string"]);

/**
 * Stores the removed pages among those that were compared. Each part of the list counts once: a repeated one begins
 * before the place that was reached.
 * @returns the tombstones that were stored.
 */
export function addCompared(sql: Sql, state: FrontierState, compared: ComparedPages): readonly Tombstone[] {
  const { comparison } = state;
  if (comparison === undefined || comparison.status === "done" || compared.from !== comparison.after) return [];
  if (compared.to !== compared.from) comparison.lost = 0;
  comparison.after = compared.to;
  comparison.notFound += compared.removed.length;
  comparison.counts.removed += compared.removed.length;
  addTombstones(sql, compared.removed, { isCompared: true });
  return compared.removed;
}

/** Lets the comparison run again, for an ended job that retries its failed URLs. */
export function resetComparison(sql: Sql, { comparison }: FrontierState): void {
  if (comparison === undefined) return;
  sql.rows("DELETE FROM tombstones WHERE is_compared = 1");
  comparison.counts.removed -= comparison.notFound;
  Object.assign(comparison, { status: "waiting", after: "", notFound: 0, lost: 0, isAborted: false });
}

export function addTombstones(
  sql: Sql,
  tombstones: readonly Tombstone[],
  { isCompared }: { isCompared: boolean },
): void {
  const entries = tombstones.map(({ url, reason, scrapeId, chunks }) =>
    JSON.stringify([url, reason, scrapeId, chunks] satisfies TombstoneEntry),
  );
  for (const row of inRows(entries)) {
    sql.rows("INSERT INTO tombstones (is_compared, entries) VALUES (?, ?)", isCompared ? 1 : 0, `[${row.join(",")}]`);
  }
}

/** Splits entries into rows within the size of a value. An entry alone is smaller: a page has at most 10,000 chunks. */
function* inRows(entries: readonly string[]): Generator<string[]> {
  let row: string[] = [];
  let bytes = 0;
  for (const entry of entries) {
    // A character of a URL takes three bytes at most.
    const size = 3 * entry.length + 1;
    if (row.length >= MAX_ROW_ENTRIES || (row.length > 0 && bytes + size > MAX_ROW_BYTES)) {
      yield row;
      [row, bytes] = [[], 0];
    }
    row.push(entry);
    bytes += size;
  }
  if (row.length > 0) yield row;
}

/**
 * Returns tombstones in the order in which they were found: whole rows, at least one, and up to `limit` entries or more
 * as far as they fit into the value of a call.
 */
export function readTombstones(
  sql: Sql,
  { after, limit }: { after: number; limit: number },
): { tombstones: Tombstone[]; next: number | undefined } {
  const tombstones: Tombstone[] = [];
  let last = after;
  let chars = 0;
  while (tombstones.length < limit && chars < MAX_READ_CHARS) {
    const [row] = sql.rows<{ id: number; entries: string }>(
      "SELECT id, entries FROM tombstones WHERE id > ? ORDER BY id LIMIT 1",
      last,
    );
    if (row === undefined) return { tombstones, next: undefined };
    last = row.id;
    chars += row.entries.length;
    for (const [url, reason, scrapeId, chunks] of readStoredList(isTombstone, row.entries, "tombstones"))
      tombstones.push({ url, reason, scrapeId, chunks });
  }
  return { tombstones, next: last };
}
