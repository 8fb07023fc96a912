import { z } from "zod";
import { readReplaceable, readStored } from "../../core/stored-state.ts";
import { addEntry, addJob, addParts, DayParts } from "../../core/account/usage-breakdown.ts";
import { dayKey } from "../../core/account/day-key.ts";
import {
  combineUsage,
  compareActivity,
  NO_USAGE,
  totalsOf,
  totalsOfJob,
  ActivityEntry,
  type ActivityCursor,
  type JobRecordOfWork,
  type UsageRow,
  UsageTotals,
  type WorkRecord,
} from "../../core/account/usage.ts";
import { withoutNegatives } from "../../core/account/receipt.ts";
import type { ActivityPart, ActivityQuery } from "../../ports/account/key-ledger.ts";
import type { Sql } from "../../ports/storage/sql.ts";

/** Pages whose requests are known, to detect repeated records. */
const KNOWN_PAGES = 4;
/** Entries per row. Each entry rewrites its row: written rows are the cost of counting, so a row holds many entries. */
const ENTRIES_A_PAGE = 50;
/** Pages that one call reads at most, however few of their entries it is asked for: some 80 ms. */
const PAGES_A_CALL = 200;
const DAY_MS = 86_400_000;
const USAGE_LIFE_MS = 400 * DAY_MS;
/** Retention of activity. The list shows one day; more is stored, since whole pages are deleted. */
const ACTIVITY_LIFE_MS = 2 * DAY_MS;
const MAX_TARGET_CHARS = 2000;

const MAX_ERROR_CHARS = 300;
const MAX_TIMING_CHARS = 400;
const MAX_ATTEMPTS = 8;

const TABLES = [
  "CREATE TABLE IF NOT EXISTS usage_parts (day TEXT PRIMARY KEY, parts TEXT NOT NULL) WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS usage (day TEXT, endpoint TEXT, totals TEXT NOT NULL, PRIMARY KEY (day, endpoint)) WITHOUT ROWID",
  "CREATE TABLE IF NOT EXISTS activity (page INTEGER PRIMARY KEY, last_at_ms INTEGER NOT NULL, entries TEXT NOT NULL, pending TEXT NOT NULL)",
  "CREATE TABLE IF NOT EXISTS job_usage (job_id TEXT PRIMARY KEY, created_at_ms INTEGER NOT NULL, totals TEXT NOT NULL) WITHOUT ROWID",
];

const KeptEntry = ActivityEntry.extend({
  requestId: z.string(),
  /** Lease that the work was admitted from. */
  lease: z.object({ id: z.string(), credits: z.number() }).optional(),
});
type KeptEntry = z.infer<typeof KeptEntry>;
const Pending = z.record(z.string(), UsageTotals);

/** The page that is being filled. Its sums are added to those of their days when it is full. */
interface OpenPage {
  page: number;
  lastAtMs: number;
  entries: KeptEntry[];
  /** Credits of the requests of this page and the previous ones, in their order, to detect repeated records. */
  credits: ReadonlyMap<string, number>;
  /** Sums by `day endpoint`. */
  pending: Record<string, UsageTotals>;
}

interface ActivityRow {
  page: number;
  last_at_ms: number;
  entries: string;
  pending: string;
}

/**
 * Usage of one key: sums by day and endpoint, and a list of the last day. One row is written for each piece of work
 * or for several that are recorded together, and three more for every fifty of them. Repeated records count once.
 */
export class UsageLedger {
  readonly #sql: Sql;
  #open: OpenPage | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
    for (const table of TABLES) sql.rows(table);
  }

  /** Returns the recorded credits of a request among at least the last 150; undefined if not recorded. */
  creditsOf(requestId: string): number | undefined {
    return this.#opened().credits.get(requestId);
  }

  /** Time of the latest record, in ms since the epoch; 0 without one. */
  get lastAtMs(): number {
    return this.#opened().lastAtMs;
  }

  /** Returns the records after a moment, in their order, as far as they are in the last two pages. */
  recordedAfter(atMs: number): Pick<KeptEntry, "requestId" | "credits" | "lease" | "atMs">[] {
    const pages = this.#pages(Number.MAX_SAFE_INTEGER);
    const [last, previous] = [pages.next().value, pages.next().value];
    return [...(previous ?? []), ...(last ?? [])].filter((entry) => entry.atMs > atMs);
  }

  /** Records work. @returns true when this filled a page. */
  record(work: WorkRecord, nowMs: number): boolean {
    return this.recordAll([work], nowMs);
  }

  /** Records works with one row for all of them, each once. @returns true when this filled a page. */
  recordAll(works: readonly WorkRecord[], nowMs: number): boolean {
    let open = this.#opened();
    let fillsPage = false;
    for (const work of works) {
      if (open.credits.has(work.requestId)) continue;
      open = withWork(open, work, nowMs);
      if (open.entries.length < ENTRIES_A_PAGE) continue;
      open = this.#turnPage(open);
      fillsPage = true;
    }
    if (open === this.#opened()) return false;
    if (open.entries.length > 0) this.#write(open);
    this.#open = open;
    return fillsPage;
  }

  /** Replaces the job's earlier record, unless that one is of later work: reports may arrive in another order. */
  recordJob(job: JobRecordOfWork): void {
    const [row] = this.#sql.rows<{ totals: string }>("SELECT totals FROM job_usage WHERE job_id = ?", job.jobId);
    const known = row === undefined ? NO_USAGE : readStored(UsageTotals, row.totals, "usage");
    const totals = totalsOfJob(job);
    const news = combineUsage(totals, known, -1);
    if (row !== undefined && (JSON.stringify(totals) === row.totals || isBelow(totals, known))) return;
    const open = this.#opened();
    const pending = added(open.pending, `${dayKey(job.createdAtMs)} ${job.endpoint}`, news);
    this.#sql.transaction(() => {
      this.#sql.rows(
        "INSERT OR REPLACE INTO job_usage (job_id, created_at_ms, totals) VALUES (?, ?, ?)",
        job.jobId,
        job.createdAtMs,
        JSON.stringify(totals),
      );
      this.#write({ ...open, pending });
      const { errors, receipt } = news;
      const { createdAtMs, target = null } = job;
      this.#addToParts(dayKey(createdAtMs), (parts) =>
        addJob(parts, { createdAtMs, target, errors, credits: receipt.credits }),
      );
    });
    this.#open = { ...open, pending };
  }

  /** Returns sums by day and endpoint, from one day to another, both inclusive. */
  usage(fromDay: string, toDay: string): UsageRow[] {
    const rows = this.#sql.rows<{ day: string; endpoint: string; totals: string }>(
      "SELECT day, endpoint, totals FROM usage WHERE day >= ? AND day <= ?",
      fromDay,
      toDay,
    );
    const sums = new Map(
      rows.map((row) => [`${row.day} ${row.endpoint}`, readStored(UsageTotals, row.totals, "usage")]),
    );
    for (const [name, totals] of Object.entries(this.#opened().pending)) {
      const day = name.slice(0, name.indexOf(" "));
      if (day >= fromDay && day <= toDay) sums.set(name, combineUsage(sums.get(name) ?? NO_USAGE, totals));
    }
    return [...sums].map(([name, totals]) => ({
      ...splitName(name),
      totals: { ...totals, receipt: withoutNegatives(totals.receipt) },
    }));
  }

  /** Returns the sums of some days, both inclusive, by hour, host, engine and error code. */
  parts(fromDay: string, toDay: string): DayParts {
    const sums: DayParts = {};
    const rows = this.#sql.rows<{ parts: string }>(
      "SELECT parts FROM usage_parts WHERE day >= ? AND day <= ?",
      fromDay,
      toDay,
    );
    for (const { parts } of rows) addParts(sums, readStored(DayParts, parts, "usage"));
    const open: DayParts = {};
    for (const entry of this.#opened().entries) {
      const day = dayKey(entry.atMs);
      if (day >= fromDay && day <= toDay) addEntry(open, entry);
    }
    addParts(sums, open);
    return sums;
  }

  /** Returns the newest entries below a cursor and not older than a moment, as far as one call reads. */
  activity(query: ActivityQuery): ActivityPart {
    const entries: ActivityEntry[] = [];
    let last: ActivityCursor | undefined;
    let pages = 0;
    for (const page of this.#pages(query.cursor?.atMs ?? Number.MAX_SAFE_INTEGER)) {
      if (++pages > PAGES_A_CALL && last !== undefined) return { entries, next: last };
      for (const { requestId: _, lease: _lease, ...entry } of page.toReversed()) {
        if (entry.atMs < query.sinceMs || entries.length >= query.limit) return { entries };
        const isBelow = query.cursor === undefined || compareActivity(entry, query.cursor) > 0;
        if (isBelow && isAskedFor(entry, query)) entries.push(entry);
        last = { atMs: entry.atMs, id: entry.id };
      }
    }
    return { entries };
  }

  /** Returns the end of the latest successful work among the newest entries, in ms; undefined when there is none. */
  lastSuccessMs(): number | undefined {
    return this.activity({ sinceMs: 0, limit: 1, outcome: "succeeded" }).entries[0]?.atMs;
  }

  /** Reads the pages with entries up to a moment, newest first. */
  *#pages(upToMs: number): Generator<KeptEntry[]> {
    const open = this.#opened();
    yield open.entries;
    let page = upToMs >= open.lastAtMs ? open.page : Math.min(open.page, this.#pageAt(upToMs, open.page) + 1);
    for (;;) {
      const [row] = this.#sql.rows<ActivityRow>(
        "SELECT page, entries FROM activity WHERE page < ? ORDER BY page DESC LIMIT 1",
        page,
      );
      if (row === undefined) return;
      page = row.page;
      yield readEntries(row.entries);
    }
  }

  /** Returns the first page that ends at a moment or later, at most `most`. No index has the times, which ascend with the pages. */
  #pageAt(atMs: number, most: number): number {
    const [first] = this.#sql.rows<{ page: number | null }>("SELECT min(page) AS page FROM activity");
    let [low, high] = [first?.page ?? most, most];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [row] = this.#sql.rows<{ page: number; last_at_ms: number }>(
        "SELECT page, last_at_ms FROM activity WHERE page <= ? ORDER BY page DESC LIMIT 1",
        middle,
      );
      if (row !== undefined && row.last_at_ms >= atMs) high = row.page;
      else low = middle + 1;
    }
    return low;
  }

  /** Reads the open page, when the object starts. */
  #opened(): OpenPage {
    if (this.#open !== undefined) return this.#open;
    const rows = this.#sql.rows<ActivityRow>("SELECT * FROM activity ORDER BY page DESC LIMIT ?", KNOWN_PAGES);
    const [last] = rows;
    const pages = rows.map(({ entries }) => readEntries(entries));
    this.#open = {
      page: last?.page ?? 1,
      lastAtMs: last?.last_at_ms ?? 0,
      entries: pages[0] ?? [],
      credits: new Map(
        pages
          .toReversed()
          .flat()
          .map(({ requestId, credits }) => [requestId, credits]),
      ),
      pending: last === undefined ? {} : readStored(Pending, last.pending, "usage"),
    };
    return this.#open;
  }

  /** Stores a full page with its sums. @returns the next page, which is stored as well */
  #turnPage(open: OpenPage): OpenPage {
    const next = {
      page: open.page + 1,
      lastAtMs: open.lastAtMs,
      entries: [],
      credits: new Map([...open.credits].slice(-ENTRIES_A_PAGE * (KNOWN_PAGES - 1))),
      pending: {},
    };
    this.#sql.transaction(() => {
      this.#write({ ...open, pending: {} });
      this.#write(next);
      for (const [name, totals] of Object.entries(open.pending)) this.#addToDay(name, totals);
      for (const day of new Set(open.entries.map(({ atMs }) => dayKey(atMs))))
        this.#addToParts(day, (parts) => {
          for (const entry of open.entries) if (dayKey(entry.atMs) === day) addEntry(parts, entry);
        });
      this.#forget(open);
    });
    return next;
  }

  #write({ page, lastAtMs, entries, pending }: Omit<OpenPage, "credits">): void {
    this.#sql.rows(
      "INSERT OR REPLACE INTO activity (page, last_at_ms, entries, pending) VALUES (?, ?, ?, ?)",
      page,
      lastAtMs,
      JSON.stringify(entries),
      JSON.stringify(pending),
    );
  }

  #addToDay(name: string, totals: UsageTotals): void {
    const { day, endpoint } = splitName(name);
    const [row] = this.#sql.rows<{ totals: string }>(
      "SELECT totals FROM usage WHERE day = ? AND endpoint = ?",
      day,
      endpoint,
    );
    const known = row === undefined ? NO_USAGE : readStored(UsageTotals, row.totals, "usage");
    this.#sql.rows(
      "INSERT OR REPLACE INTO usage (day, endpoint, totals) VALUES (?, ?, ?)",
      day,
      endpoint,
      JSON.stringify(combineUsage(known, totals)),
    );
  }

  #addToParts(day: string, add: (parts: DayParts) => void): void {
    const [row] = this.#sql.rows<{ parts: string }>("SELECT parts FROM usage_parts WHERE day = ?", day);
    const parts = row === undefined ? {} : readStored(DayParts, row.parts, "usage");
    add(parts);
    this.#sql.rows("INSERT OR REPLACE INTO usage_parts (day, parts) VALUES (?, ?)", day, JSON.stringify(parts));
  }

  /** Deletes what has expired when a page is full. Pages are in the order of their times, which have no index. */
  #forget({ page, lastAtMs: nowMs }: OpenPage): void {
    this.#sql.rows(
      "DELETE FROM activity WHERE page < (SELECT page FROM activity WHERE last_at_ms >= ? ORDER BY page LIMIT 1)",
      nowMs - ACTIVITY_LIFE_MS,
    );
    const [before] = this.#sql.rows<{ last_at_ms: number }>("SELECT last_at_ms FROM activity WHERE page = ?", page - 1);
    // Once a day: the totals of jobs are read from the first to the last.
    if (before !== undefined && dayKey(before.last_at_ms) === dayKey(nowMs)) return;
    this.#sql.rows("DELETE FROM usage_parts WHERE day < ?", dayKey(nowMs - USAGE_LIFE_MS));
    this.#sql.rows("DELETE FROM usage WHERE day < ?", dayKey(nowMs - USAGE_LIFE_MS));
    this.#sql.rows("DELETE FROM job_usage WHERE created_at_ms < ?", nowMs - USAGE_LIFE_MS);
  }
}

/** Reports whether totals of a job, which only grow, are older than others. */
function isBelow(one: UsageTotals, other: UsageTotals): boolean {
  return one.pages < other.pages || one.receipt.credits < other.receipt.credits;
}

/** Fields that are undefined take no space in a row. */
function withoutUndefined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;
}

/** Returns the page with the entry of a work. */
function withWork(open: OpenPage, work: WorkRecord, nowMs: number): OpenPage {
  // Times of one key's entries are unique, so that a list of them can be split anywhere.
  const atMs = Math.max(nowMs, open.lastAtMs + 1);
  const { id, endpoint, apiVersion, requestId, ms, hasFailed, client, lease } = work;
  const target = work.target === null ? null : work.target.slice(0, MAX_TARGET_CHARS);
  const { credits, dollars, cpuMs, browserMs, bytesFetched: bytes } = work.receipt;
  const about = withoutUndefined({
    client,
    engine: work.engine,
    code: work.code,
    // An error can name the target.
    error: target === null ? undefined : work.error?.slice(0, MAX_ERROR_CHARS),
    attempts: work.attempts?.slice(0, MAX_ATTEMPTS),
    timing: work.timing?.slice(0, MAX_TIMING_CHARS),
    cost: { dollars, cpuMs, browserMs, bytes },
    lease,
  });
  const entry: KeptEntry = { id, endpoint, apiVersion, target, atMs, ms, credits, hasFailed, requestId, ...about };
  return {
    ...open,
    lastAtMs: atMs,
    entries: [...open.entries, entry],
    credits: new Map(open.credits).set(requestId, credits),
    pending: added(open.pending, `${dayKey(atMs)} ${endpoint}`, totalsOf(work)),
  };
}

/** Reads a page of activity without the entries that cannot be read: a list for people must not stop a key's requests. */
function readEntries(text: string): KeptEntry[] {
  const entries = readReplaceable(z.array(z.unknown()), text) ?? [];
  return entries.flatMap((entry) => KeptEntry.safeParse(entry).data ?? []);
}

function added(pending: OpenPage["pending"], name: string, totals: UsageTotals): OpenPage["pending"] {
  return { ...pending, [name]: combineUsage(pending[name] ?? NO_USAGE, totals) };
}

function isAskedFor({ endpoint, hasFailed }: ActivityEntry, query: ActivityQuery): boolean {
  if (query.endpoint !== undefined && endpoint !== query.endpoint) return false;
  return query.outcome === undefined || hasFailed === (query.outcome === "failed");
}

function splitName(name: string): { day: string; endpoint: string } {
  const space = name.indexOf(" ");
  return { day: name.slice(0, space), endpoint: name.slice(space + 1) };
}
