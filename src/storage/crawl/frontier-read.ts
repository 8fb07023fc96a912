import { skippedOf, type FrontierState } from "../../core/crawl/frontier.ts";
import { resultsExpiryOf } from "../../core/crawl/frontier-life.ts";
import { NO_COUNTS } from "../../core/account/meter.ts";
import { PAGE_CHANGES } from "../../core/crawl/page-version.ts";
import type {
  DocumentPlace,
  DocumentRun,
  FailurePage,
  JobProgress,
  UrlCursor,
  UrlLine,
} from "../../ports/crawl/frontier.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { readStoredList } from "../../core/stored-state.ts";
import { isFilteredEntry, isOverflowEntry, type FilteredEntry, type OverflowEntry } from "./frontier-add.ts";
import { isBatchEntry, type BatchEntry } from "./frontier-complete.ts";
import { PageEnds } from "./frontier-ends.ts";
import { readLeases } from "./frontier-leases.ts";
import { isTombstone, type TombstoneEntry } from "./frontier-tombstones.ts";
import { FAILED, PENDING, SCRAPED } from "./frontier-tables.ts";
import { isQueueEntry, urlsOf, type QueueEntry, type UrlRow } from "./frontier-urls.ts";

/** Bytes of one list: a call between isolates carries at most 32 MiB, and the response is in memory as a whole. */
const MAX_READ_BYTES = 12_000_000;
/** Rows between two looks at the bytes. */
const ROWS_A_STEP = 200;
/** Bytes that a row has beside its texts. */
const ROW_BYTES = 200;
const MAX_BYTES_A_CHAR = 2;

/** Returns locations of documents in order of completion: at least one, and no more than `maxBytes` allows. */
export function readDocuments(
  sql: Sql,
  { skip, limit, maxBytes }: { skip: number; limit: number; maxBytes: number },
): { runs: DocumentRun[]; count: number } {
  const runs: DocumentRun[] = [];
  let count = 0;
  let bytes = 0;
  let next = skip;
  while (count < limit) {
    // A condition on the end of the row would read all rows behind the last document.
    const [row] = sql.rows<{ object: string; first: number; count: number; entries: string }>(
      "SELECT object, first, count, entries FROM batches WHERE first <= ? ORDER BY first DESC LIMIT 1",
      next,
    );
    if (row === undefined || row.first + row.count <= next) break;
    for (const entry of readStoredList(isBatchEntry, row.entries, "frontier").slice(next - row.first)) {
      const [, length] = entry;
      if (count >= limit || (count > 0 && bytes + length > maxBytes)) return { runs, count };
      const { object, ...place } = placeOf(entry, row.object);
      if (runs.at(-1)?.object !== object) runs.push({ object, documents: [] });
      runs.at(-1)?.documents.push(place);
      bytes += length;
      count++;
      next++;
    }
  }
  return { runs, count };
}

/** Returns the place of a document; one of an earlier job comes with the facts that differ. */
function placeOf([offset, length, scrapeId, , extra]: BatchEntry, object: string): DocumentPlace {
  if (extra?.object === undefined) return { object, offset, length };
  const { object: own, metadata: metadataBytes = 0, credits: creditsUsed = 0 } = extra;
  return { object: own, offset, length, kept: { scrapeId, metadataBytes, creditsUsed } };
}

/** Returns the location of a scrape's document. Only rows that have its ID somewhere are parsed. */
export function findDocument(sql: Sql, scrapeId: string): DocumentPlace | undefined {
  for (let next = 0; ;) {
    const [row] = sql.rows<{ object: string; first: number; entries: string }>(
      "SELECT object, first, entries FROM batches WHERE first >= ? AND instr(entries, ?) > 0 ORDER BY first LIMIT 1",
      next,
      JSON.stringify(scrapeId),
    );
    if (row === undefined) return undefined;
    const entry = readStoredList(isBatchEntry, row.entries, "frontier").find(([, , id]) => id === scrapeId);
    if (entry !== undefined) return placeOf(entry, row.object);
    next = row.first + 1;
  }
}

/**
 * Returns up to `limit` failures after a row, in their order: at least one, and no more than `maxBytes` allows. `next` is
 * the last row that was read, undefined at the end.
 */
export function readFailures(
  sql: Sql,
  { after, limit, maxBytes = MAX_READ_BYTES }: { after: number; limit: number; maxBytes?: number },
): FailurePage {
  const page: FailurePage = { errors: [], robotsBlocked: [], next: undefined };
  let bytes = 0;
  for (let last = after, left = limit; left > 0; left -= ROWS_A_STEP) {
    const rows = sql.rows<FailureRow>(
      "SELECT id, failure_id, at_ms, url, code, error FROM failures WHERE id > ? ORDER BY id LIMIT ?",
      last,
      Math.min(left, ROWS_A_STEP),
    );
    for (const { id, failure_id, at_ms, url, code, error } of rows) {
      bytes += MAX_BYTES_A_CHAR * (url.length + error.length) + ROW_BYTES;
      if (bytes > maxBytes && page.next !== undefined) return page;
      if (code === null) page.robotsBlocked.push(url);
      else page.errors.push({ id: failure_id, atMs: at_ms, url, code, error });
      page.next = last = id;
    }
    if (rows.length < Math.min(left, ROWS_A_STEP)) return { ...page, next: undefined };
  }
  return page;
}

interface FailureRow {
  id: number;
  failure_id: string;
  at_ms: number;
  url: string;
  code: string | null;
  error: string;
}

/**
 * Returns URLs in the order in which they were found, those in scope first: at least one, and no more than `maxBytes`
 * allows. `next` is undefined at the end.
 */
export function readUrls(
  sql: Sql,
  state: FrontierState,
  { cursor, limit, maxBytes = MAX_READ_BYTES }: { cursor: UrlCursor; limit: number; maxBytes?: number },
): { lines: UrlLine[]; next: UrlCursor | undefined } {
  const lines: UrlLine[] = [];
  let at: UrlCursor | undefined = cursor;
  let bytes = 0;
  while (at !== undefined && lines.length < limit && bytes < maxBytes) {
    const first = lines.length;
    at = readRow(sql, state, { at, lines, limit: Math.min(limit, first + ROWS_A_STEP) });
    for (const { url, parent = "", detail = "" } of lines.slice(first)) {
      bytes += MAX_BYTES_A_CHAR * (url.length + parent.length + detail.length) + ROW_BYTES;
    }
  }
  return { lines, next: at };
}

interface Reading {
  at: UrlCursor;
  lines: UrlLine[];
  limit: number;
}

const ROWS: Record<UrlCursor["part"], string> = {
  queue: "SELECT id, keys AS entries FROM queue WHERE id >= ? ORDER BY id LIMIT 1",
  overflow: "SELECT id, entries FROM overflow WHERE id >= ? ORDER BY id LIMIT 1",
  filtered: "SELECT id, entries FROM filtered WHERE id >= ? ORDER BY id LIMIT 1",
  removed: "SELECT id, entries FROM tombstones WHERE id >= ? AND is_compared = 1 ORDER BY id LIMIT 1",
};

function readRow(sql: Sql, state: FrontierState, { at, lines, limit }: Reading): UrlCursor | undefined {
  const [row] = sql.rows<{ id: number; entries: string }>(ROWS[at.part], at.row);
  if (row === undefined) return partAfter(at, state);
  const place = row.id === at.row ? at.place : 0;
  const take = <Entry>(isEntry: (value: unknown) => value is Entry): Entry[] => {
    const entries = readStoredList(isEntry, row.entries, "frontier");
    const taken = entries.slice(place, place + limit - lines.length);
    const end = place + taken.length;
    next = end < entries.length ? { ...at, row: row.id, place: end } : { ...at, row: row.id + 1, place: 0 };
    return taken;
  };
  let next: UrlCursor = at;
  if (at.part === "queue") lines.push(...queueLines(sql, state, take(isQueueEntry)));
  else if (at.part === "overflow") lines.push(...overflowLines(sql, state, take(isOverflowEntry)));
  else if (at.part === "filtered") lines.push(...filteredLines(sql, take(isFilteredEntry)));
  else lines.push(...take(isTombstone).map(removedLine));
  return next;
}

function partAfter({ part }: UrlCursor, { overflow }: FrontierState): UrlCursor | undefined {
  if (part === "queue") return { part: "overflow", row: overflow.row, place: overflow.place };
  if (part === "overflow") return { part: "filtered", row: 0, place: 0 };
  return part === "filtered" ? { part: "removed", row: 0, place: 0 } : undefined;
}

/** Returns a page of the earlier job that this one has not found, or whose URL now leads to another page. */
function removedLine([url, reason]: TombstoneEntry): UrlLine {
  return { url, outcome: "removed", change: "removed", reason, depth: 0 };
}

function queueLines(sql: Sql, state: FrontierState, entries: readonly QueueEntry[]): UrlLine[] {
  const rows = urlsOf(sql).of(entries);
  const held = heldKeys(sql, state);
  const ends = new PageEnds(sql);
  return rows.map((row) => ({
    url: row.url,
    ...outcomeOf(withEnd(row, ends), state, held),
    depth: row.depth,
    ...(row.parent === null ? {} : { parent: row.parent }),
    attempt: row.attempt,
  }));
}

function withEnd(row: UrlRow, ends: PageEnds): UrlRow {
  const end = ends.get(row.seat);
  if (end === undefined) return row;
  const [, , reason, detail] = end;
  return { ...row, state: SCRAPED, reason, detail };
}

/** Returns the keys of an ended job's items that are still being scraped. */
function heldKeys(sql: Sql, { status, counters }: FrontierState): Set<string> {
  if (status === "scraping" || counters.leased === 0) return new Set();
  return new Set(readLeases(sql).flatMap(({ items }) => items.map(([key]) => key)));
}

function outcomeOf(
  row: UrlRow,
  state: FrontierState,
  held: ReadonlySet<string>,
): Pick<UrlLine, "outcome" | "reason" | "detail" | "change"> {
  if (row.state === SCRAPED) return { outcome: "scraped", ...changeOf(row) };
  if (row.state === PENDING) return held.has(row.key) ? { outcome: "pending" } : waitingOutcome(state);
  const outcome = row.state === FAILED ? "failed" : "skipped";
  return {
    outcome,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.detail === null ? {} : { detail: row.detail }),
  };
}

/** Returns the difference to the earlier job, which is the reason of a scraped row. */
function changeOf({ reason, detail }: UrlRow): Pick<UrlLine, "change" | "detail"> {
  const change = PAGE_CHANGES.find((name) => name === reason);
  return change === undefined ? {} : { change, ...(detail === null ? {} : { detail }) };
}

function waitingOutcome({ status, rest }: FrontierState): Pick<UrlLine, "outcome" | "reason"> {
  return status === "scraping" ? { outcome: "pending" } : { outcome: "skipped", reason: rest };
}

/** Returns URLs beyond the limit, without those that have got a row since. They are scraped only if other pages fail. */
function overflowLines(sql: Sql, state: FrontierState, entries: OverflowEntry[]): UrlLine[] {
  const known = urlsOf(sql).get(entries.map(([key]) => key));
  return entries
    .filter(([key, url]) => known.get(key)?.url !== url)
    .map(([, url, depth, , parent]) => ({
      url,
      outcome: "skipped",
      reason: state.status === "scraping" ? "limit" : state.rest,
      depth,
      ...(parent === null ? {} : { parent }),
    }));
}

/** Returns filtered URLs, without those that were admitted later. */
function filteredLines(sql: Sql, entries: FilteredEntry[]): UrlLine[] {
  const keys = entries.flatMap(([, , , , , key]) => (key === undefined ? [] : [key]));
  const letIn = urlsOf(sql).get(keys);
  return entries
    .filter(([, , , , , key]) => key === undefined || !letIn.has(key))
    .map(([url, reason, depth, parent, original]) => ({
      url,
      outcome: "skipped",
      reason,
      ...(original === null ? {} : { detail: original }),
      depth,
      ...(parent === null ? {} : { parent }),
    }));
}

/** A shorter wait between two pages of a job is nothing that its caller would ask about. */
const NOTABLE_WAIT_MS = 5_000;

/**
 * Returns the time before which no pending page may be requested, since all of them have been put off: their hosts asked for a
 * pause, or they have failed and are tried again. Undefined when that is within seconds.
 */
function readWait(sql: Sql, { status, counters }: FrontierState, nowMs: number): number | undefined {
  if (status !== "scraping" || counters.pending === 0 || counters.leased > 0) return undefined;
  const [first] = sql.rows<{ due_at_ms: number }>("SELECT due_at_ms FROM retries ORDER BY due_at_ms LIMIT 1");
  if (first === undefined || first.due_at_ms < nowMs + NOTABLE_WAIT_MS) return undefined;
  const [delayed] = sql.rows<{ count: number }>("SELECT count(*) AS count FROM retries");
  return (delayed?.count ?? 0) < counters.pending ? undefined : first.due_at_ms;
}

/** Returns a job's progress with the time until which it waits, and without what the caller adds. */
export function readProgress(
  sql: Sql,
  state: FrontierState,
  nowMs: number,
): Omit<JobProgress, "rowsWritten" | "messagesSent"> {
  return { ...progressOf(state), waitsUntilMs: readWait(sql, state, nowMs) };
}

/** Returns a job's progress, without what the caller adds. */
export function progressOf(state: FrontierState): Omit<JobProgress, "rowsWritten" | "messagesSent" | "waitsUntilMs"> {
  const { counters } = state;
  const total = Math.min(state.config.limit ?? Infinity, counters.completed + counters.pending);
  // The URLs beyond the limit are used only if earlier pages fail.
  const pending = state.status === "scraping" ? Math.max(0, total - counters.completed) : counters.pending;
  return {
    status: state.status,
    error: state.error,
    createdAtMs: state.createdAtMs,
    endedAtMs: state.endedAtMs,
    expiresAtMs: resultsExpiryOf(state),
    creditsUsed: state.creditsUsed,
    total,
    limit: state.config.limit,
    pageTimes: state.pageTimes,
    completed: counters.completed,
    failed: counters.failed,
    skipped: skippedOf(counters) + counters.pending - pending,
    pending,
    active: counters.leased,
    costs: state.costs ?? NO_COUNTS,
    discovered: counters.discovered,
    robotsBlocked: counters.skipped.robots,
    inFlight: counters.leased,
    outOfCredits: state.status !== "scraping" && state.rest === "credits",
    ...(state.sitemapProblems === undefined ? {} : { sitemapProblems: state.sitemapProblems }),
    isListCut: state.isListCut === true,
    documents: counters.completed - unlistedOf(state),
    changes: changesOf(state),
  };
}

/** Returns the number of scraped pages whose documents are not among the results. */
function unlistedOf({ config, comparison }: FrontierState): number {
  return config.since?.output === "changes" ? (comparison?.counts.unchanged ?? 0) : 0;
}

function changesOf({ config, comparison }: FrontierState): JobProgress["changes"] {
  if (config.since === undefined || comparison === undefined) return undefined;
  const { counts, status, lacksSitemap = false, isAborted = false } = comparison;
  return { ...counts, since: config.since.jobId, isCompared: status === "done" && !isAborted, lacksSitemap };
}
