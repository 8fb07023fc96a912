import { describe, expect, test } from "vitest";
import { NO_COUNTS } from "../../../../src/core/account/meter.ts";
import { NO_RECEIPT, combineReceipts, toReceipt } from "../../../../src/core/account/receipt.ts";
import {
  combineUsage,
  latencyQuantile,
  NO_USAGE,
  type UsageTotals,
  type WorkRecord,
} from "../../../../src/core/account/usage.ts";
import { OTHER_NAMES } from "../../../../src/core/account/usage-breakdown.ts";
import type { Sql } from "../../../../src/ports/storage/sql.ts";
import { UsageLedger } from "../../../../src/storage/account/usage-ledger.ts";
import { nodeSql } from "../../../fakes/memory/node-sql.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const MIDNIGHT = Date.UTC(2026, 10, 22);
const EVERYTHING = ["2000-01-01", "2100-01-01"] as const;

let made = 0;
function work(about: Partial<WorkRecord> = {}): WorkRecord {
  const number = ++made;
  return {
    requestId: `request-${number}`,
    id: `work-${number}`,
    endpoint: "scrape",
    apiVersion: "v2",
    target: `https://example.com/${number}`,
    ms: number % 900,
    hasFailed: false,
    pages: 1,
    receipt: toReceipt({
      ...NO_COUNTS,
      credits: 1 + (number % 3),
      bytesFetched: number * 7,
      d1RowsWritten: 2,
      browserMs: number % 11,
    }),
    ...about,
  };
}

function sumOf(ledger: UsageLedger): UsageTotals {
  return ledger.usage(...EVERYTHING).reduce((sum, { totals }) => combineUsage(sum, totals), NO_USAGE);
}

/** Counts the statements that write. */
function countingSql(): Sql & { writes: number } {
  const sql = nodeSql();
  return {
    writes: 0,
    rows(query, ...values) {
      if (/^(INSERT|DELETE|UPDATE)/.test(query)) this.writes++;
      return sql.rows(query, ...values);
    },
    transaction: (done) => sql.transaction(done),
  };
}

describe("the ledger of a key", () => {
  test("adds receipts up to the last digit, whatever day and page they fall on", () => {
    const ledger = new UsageLedger(nodeSql());
    const done = Array.from({ length: 333 }, () => work());
    done.forEach((record, index) => ledger.record(record, MIDNIGHT - 200 + index));
    const receipt = done.reduce((sum, record) => combineReceipts(sum, record.receipt), NO_RECEIPT);
    expect(sumOf(ledger)).toMatchObject({ requests: 333, errors: 0, pages: 333, receipt });
    expect(ledger.usage(...EVERYTHING).map(({ day, totals }) => [day, totals.requests])).toEqual([
      ["2026-11-21", 200],
      ["2026-11-22", 133],
    ]);
    expect(ledger.usage("2026-11-22", "2026-11-22").map(({ totals }) => totals.requests)).toEqual([133]);
  });

  test("reads what an older version has stored of a time over which the clock stepped back", () => {
    const sql = nodeSql();
    new UsageLedger(sql).record(work({ receipt: toReceipt({ browserMs: -5_000, credits: 2 }) }), NOON);
    const negative = { ...toReceipt({ credits: 2 }), browserMs: -5_000, nanoDollars: -124_680, dollars: -0.000_124_68 };
    const again = new UsageLedger(sql);
    again.record(work({ receipt: negative }), NOON + 1);
    for (let count = 0; count < 60; count++)
      new UsageLedger(sql).record(work({ receipt: NO_RECEIPT }), NOON + 2 + count);
    const { requests, receipt } = sumOf(new UsageLedger(sql));
    expect({ requests, credits: receipt.credits, browserMs: receipt.browserMs }).toEqual({
      requests: 62,
      credits: 4,
      browserMs: 0,
    });
    expect(receipt.nanoDollars).toBeGreaterThanOrEqual(0);
    expect(receipt.dollars).toBe(receipt.nanoDollars / 1e9);
  });

  test("knows the same after it was opened again", () => {
    const sql = nodeSql();
    const ledger = new UsageLedger(sql);
    for (let count = 0; count < 77; count++) ledger.record(work(), NOON + count);
    const again = new UsageLedger(sql);
    expect(again.usage(...EVERYTHING)).toEqual(ledger.usage(...EVERYTHING));
    expect(again.activity({ sinceMs: 0, limit: 100 }).entries).toEqual(
      ledger.activity({ sinceMs: 0, limit: 100 }).entries,
    );
  });

  test("counts a request once that is told twice, at once or across the turn of a page", () => {
    const sql = nodeSql();
    const ledger = new UsageLedger(sql);
    const done = Array.from({ length: 50 }, () => work());
    for (const record of done) ledger.record(record, NOON);
    for (const record of done.slice(-3)) new UsageLedger(sql).record(record, NOON + 5);
    expect(sumOf(new UsageLedger(sql)).requests).toBe(50);
  });

  test("leaves out an entry that cannot be read, and goes on", () => {
    const sql = nodeSql();
    const ledger = new UsageLedger(sql);
    for (let count = 0; count < 3; count++) ledger.record(work(), NOON + count);
    const [row] = sql.rows<{ entries: string }>("SELECT entries FROM activity");
    const entries = JSON.parse(row?.entries ?? "[]") as Record<string, unknown>[];
    Object.assign(entries[1] ?? {}, { cost: { dollars: null } });
    sql.rows("UPDATE activity SET entries = ?", JSON.stringify(entries));
    const again = new UsageLedger(sql);
    again.record(work(), NOON + 3);
    expect(again.activity({ sinceMs: 0, limit: 100 }).entries.map(({ atMs }) => atMs - NOON)).toEqual([3, 2, 0]);
    expect(sumOf(again).requests).toBe(4);
  });

  test("writes one row for a piece of work, and a few more for every fifty", () => {
    const sql = countingSql();
    const ledger = new UsageLedger(sql);
    for (let count = 0; count < 49; count++) ledger.record(work(), NOON + count);
    expect(sql.writes).toBe(49);
    for (let count = 49; count < 1000; count++) ledger.record(work(), NOON + count);
    expect(sql.writes).toBeLessThan(1000 * 1.15);
  });

  test("takes the newest numbers of a job in place of older ones", () => {
    const sql = nodeSql();
    const ledger = new UsageLedger(sql);
    const job = { jobId: "job", endpoint: "crawl", createdAtMs: NOON, hasFailed: false };
    ledger.recordJob({ ...job, pages: 3, receipt: toReceipt({ credits: 3, bytesFetched: 10 }) });
    const last = { ...job, pages: 5, receipt: toReceipt({ credits: 5, bytesFetched: 25 }) };
    ledger.recordJob(last);
    new UsageLedger(sql).recordJob(last);
    // Reports that were sent earlier and arrive later.
    ledger.recordJob({ ...job, pages: 4, receipt: toReceipt({ credits: 5, bytesFetched: 20 }) });
    ledger.recordJob({ ...job, pages: 5, receipt: toReceipt({ credits: 4, bytesFetched: 20 }) });
    expect(new UsageLedger(sql).usage(...EVERYTHING)).toEqual([
      expect.objectContaining({ day: "2026-11-21", endpoint: "crawl" }),
    ]);
    expect(sumOf(new UsageLedger(sql))).toMatchObject({ requests: 0, pages: 5, receipt: last.receipt });
  });

  test("lists what was done, newest first, cut anywhere without a gap or a repeat", () => {
    const ledger = new UsageLedger(nodeSql());
    const done = Array.from({ length: 120 }, (_, index) => work({ endpoint: index % 3 === 0 ? "map" : "scrape" }));
    for (const record of done) ledger.record(record, NOON);
    const listed: string[] = [];
    let cursor: { atMs: number; id: string } | undefined;
    for (;;) {
      const part = ledger.activity({ sinceMs: NOON, limit: 7, cursor }).entries;
      listed.push(...part.map(({ id }) => id));
      const last = part.at(-1);
      if (last === undefined) break;
      cursor = last;
    }
    expect(listed).toEqual(done.map(({ id }) => id).toReversed());
    expect(ledger.activity({ sinceMs: NOON, limit: 100, endpoint: "map" }).entries).toHaveLength(40);
    expect(ledger.activity({ sinceMs: NOON + 500, limit: 100 }).entries).toHaveLength(0);
  });

  test("lists what failed, or what succeeded, alone", () => {
    const ledger = new UsageLedger(nodeSql());
    const done = Array.from({ length: 120 }, (_, index) => work({ hasFailed: index % 4 === 0 }));
    for (const record of done) ledger.record(record, NOON);
    const failed = done.filter(({ hasFailed }) => hasFailed).map(({ id }) => id);
    const listed = ledger.activity({ sinceMs: NOON, limit: 100, outcome: "failed" }).entries;
    expect(listed.map(({ id }) => id)).toEqual(failed.toReversed());
    expect(ledger.activity({ sinceMs: NOON, limit: 100, outcome: "succeeded" }).entries).toHaveLength(90);
  });

  test("reads a part of a long day in one call, and all of it in several", () => {
    const sql = nodeSql();
    const entry = { endpoint: "scrape", apiVersion: "v2", target: null, ms: 1, credits: 1, hasFailed: false };
    const idOf = (at: number): string => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
    expect(new UsageLedger(sql).lastAtMs).toBe(0);
    for (let page = 0; page < 450; page++) {
      const entries = [0, 1].map((place) => ({ ...entry, id: idOf(2 * page + place), requestId: `${page} ${place}`, atMs: NOON + 2 * page + place, hasFailed: page > 2 })); // prettier-ignore
      sql.rows("INSERT INTO activity (page, last_at_ms, entries, pending) VALUES (?, ?, ?, '{}')", page + 1, NOON + 2 * page + 1, JSON.stringify(entries)); // prettier-ignore
    }
    let statements = 0;
    const rows: typeof sql.rows = (query, ...values) => (statements++, sql.rows(query, ...values));
    const ledger = new UsageLedger({ ...sql, rows });
    const counts: number[] = [];
    const found: string[] = [];
    for (let cursor: { atMs: number; id: string } | undefined, calls = 0; calls < 5; calls++) {
      statements = 0;
      const part = ledger.activity({ sinceMs: NOON, limit: 10, cursor, outcome: "succeeded" });
      counts.push(statements);
      found.push(...part.entries.map(({ id }) => id));
      cursor = part.next;
      if (cursor === undefined) break;
    }
    expect(counts).toHaveLength(3);
    // Of 450 pages, 200 are read, after nine that are compared with the cursor.
    expect(Math.max(...counts)).toBeLessThan(215);
    expect(found).toEqual([5, 4, 3, 2, 1, 0].map(idOf));
    expect(ledger.lastSuccessMs()).toBeUndefined();
  });

  test("looks for the page of a cursor by halves, also where pages are missing", () => {
    const sql = nodeSql();
    const entry = { endpoint: "scrape", apiVersion: "v2", target: null, ms: 1, credits: 1, hasFailed: false };
    expect(new UsageLedger(sql).lastAtMs).toBe(0);
    const pages = Array.from({ length: 200 }, (_, at) => at + 7).filter((page) => page % 10 !== 0);
    for (const page of pages) {
      const entries = [{ ...entry, id: `${page}`, requestId: `${page}`, atMs: NOON + page }];
      sql.rows("INSERT INTO activity (page, last_at_ms, entries, pending) VALUES (?, ?, ?, '{}')", page, NOON + page, JSON.stringify(entries)); // prettier-ignore
    }
    const asked: string[] = [];
    const rows: typeof sql.rows = (query, ...values) => (asked.push(query), sql.rows(query, ...values));
    const ledger = new UsageLedger({ ...sql, rows });
    for (const page of [6, 7, 8, 10, 11, 99, 100, 205, 206, 207]) {
      asked.length = 0;
      const cursor = { atMs: NOON + page, id: "~" };
      const { entries } = ledger.activity({ sinceMs: 0, limit: 1, cursor });
      const expected = pages.findLast((each) => each <= page);
      expect(entries.map(({ id }) => Number(id))).toEqual(expected === undefined ? [] : [expected]);
      expect(asked.length).toBeLessThan(15);
      for (const query of asked) expect(query).not.toMatch(/last_at_ms >= \?/);
    }
  });

  test("forgets what is older than two days, and keeps its sums", () => {
    const ledger = new UsageLedger(nodeSql());
    for (let count = 0; count < 100; count++) ledger.record(work(), NOON + count);
    const later = NOON + 3 * 86_400_000;
    for (let count = 0; count < 100; count++) ledger.record(work(), later + count);
    expect(ledger.activity({ sinceMs: 0, limit: 1000 }).entries).toHaveLength(100);
    expect(sumOf(ledger).requests).toBe(200);
  });

  test("looks through the jobs for expired ones once a day", () => {
    const sql = nodeSql();
    const queries: string[] = [];
    const rows: Sql["rows"] = (query, ...values) => (queries.push(query), sql.rows(query, ...values));
    const ledger = new UsageLedger({ rows, transaction: (done) => sql.transaction(done) });
    for (let day = 0; day < 3; day++)
      for (let count = 0; count < 200; count++) ledger.record(work(), NOON + day * 86_400_000 + count);
    expect(queries.filter((query) => query.startsWith("DELETE FROM job_usage"))).toHaveLength(3);
    const plan = sql.rows<{ detail: string }>(
      `EXPLAIN QUERY PLAN ${queries.find((query) => query.startsWith("DELETE FROM activity")) ?? ""}`,
      NOON,
    );
    expect(plan[0]?.detail).toContain("INTEGER PRIMARY KEY");
  });

  test("adds up hours, hosts, engines and error codes, whatever page they fall on", () => {
    const sql = nodeSql();
    const ledger = new UsageLedger(sql);
    for (let count = 0; count < 120; count++) {
      const isBad = count % 10 === 0;
      const target = count % 2 === 0 ? "https://a.example/page" : "not an address";
      const failure = isBad ? { hasFailed: true, code: "SCRAPE_TIMEOUT", error: "Too slow" } : {};
      ledger.record(work({ target, engine: "fetch", ...failure }), MIDNIGHT - 3_600_000 + count * 60_000);
    }
    const again = new UsageLedger(sql);
    const { hour, host, engine, failure } = again.parts(...EVERYTHING);
    expect(Object.entries(hour ?? {}).map(([name, { requests }]) => [name, requests])).toEqual([
      ["2026-11-21T23", 60],
      ["2026-11-22T00", 60],
    ]);
    expect(host).toMatchObject({ "a.example": { requests: 60, errors: 12 } });
    expect(engine).toMatchObject({ fetch: { requests: 120, errors: 12 } });
    expect(failure).toMatchObject({ SCRAPE_TIMEOUT: { requests: 12, errors: 12 } });
    const credits = Object.values(hour ?? {}).reduce((sum, part) => sum + part.credits, 0);
    expect(credits).toBe(sumOf(again).receipt.credits);
    expect(again.parts("2026-11-22", "2026-11-22").hour).toEqual({ "2026-11-22T00": hour?.["2026-11-22T00"] });
  });

  test("counts the credits of a job once for its host, however often it is told", () => {
    const ledger = new UsageLedger(nodeSql());
    const job = { jobId: "job", endpoint: "crawl", createdAtMs: NOON, pages: 3, target: "https://a.example/" };
    ledger.recordJob({ ...job, hasFailed: false, receipt: toReceipt({ credits: 3 }) });
    ledger.recordJob({ ...job, hasFailed: true, receipt: toReceipt({ credits: 5 }) });
    ledger.recordJob({ ...job, hasFailed: true, receipt: toReceipt({ credits: 5 }) });
    const { host, failure } = ledger.parts(...EVERYTHING);
    expect(host).toEqual({ "a.example": { requests: 0, errors: 1, credits: 5 } });
    expect(failure).toMatchObject({ JOB_FAILED: { errors: 1 } });
  });

  test("has a bounded number of names a day", () => {
    const ledger = new UsageLedger(nodeSql());
    for (let count = 0; count < 400; count++) ledger.record(work({ target: `https://h${count}.example/` }), NOON);
    const { host = {} } = ledger.parts(...EVERYTHING);
    expect(Object.keys(host).length).toBeLessThanOrEqual(301);
    expect(host[OTHER_NAMES]?.requests).toBeGreaterThan(0);
    expect(Object.values(host).reduce((sum, { requests }) => sum + requests, 0)).toBe(400);
  });

  test("reports every hour of a month, and no name that changes an object", () => {
    const ledger = new UsageLedger(nodeSql());
    for (let count = 0; count < 30 * 24; count++)
      ledger.record(work({ target: "https://__proto__/" }), NOON + count * 3_600_000);
    const { hour = {}, host = {} } = ledger.parts(...EVERYTHING);
    expect(Object.keys(hour)).toHaveLength(30 * 24);
    expect(host).toMatchObject({ [OTHER_NAMES]: { requests: 30 * 24 } });
  });

  test("lists failures with their code, and without a message that could name an unnamed target", () => {
    const ledger = new UsageLedger(nodeSql());
    const attempt = { engine: "fetch", outcome: "failed", reason: "SCRAPE_TIMEOUT", ms: 5 };
    const attempts = Array.from({ length: 20 }, () => attempt);
    const told = { error: "x".repeat(1_000), attempts, timing: "load;dur=5" };
    const failure = { hasFailed: true, code: "SCRAPE_TIMEOUT", ...told };
    ledger.record(work({ ...failure, target: null }), NOON);
    ledger.record(work(failure), NOON);
    const [second, first] = ledger.activity({ sinceMs: 0, limit: 2 }).entries;
    expect(second).toMatchObject({ code: "SCRAPE_TIMEOUT", error: "x".repeat(300), timing: "load;dur=5" });
    expect(second?.attempts).toEqual(attempts.slice(0, 8));
    expect(second?.cost).toMatchObject({ bytes: expect.any(Number) });
    expect(first).toMatchObject({ code: "SCRAPE_TIMEOUT" });
    expect(first).not.toHaveProperty("error");
  });

  test("knows when something last went well", () => {
    const ledger = new UsageLedger(nodeSql());
    expect(ledger.lastSuccessMs()).toBeUndefined();
    ledger.record(work(), NOON);
    ledger.record(work({ hasFailed: true }), NOON + 10);
    expect(ledger.lastSuccessMs()).toBe(NOON);
  });
});

test("reads quantiles off the histogram to within a fifth", () => {
  const ledger = new UsageLedger(nodeSql());
  for (let ms = 1; ms <= 1000; ms++) ledger.record(work({ ms }), NOON + ms);
  const totals = sumOf(ledger);
  for (const share of [0.05, 0.5, 0.95, 0.99]) {
    const ratio = (latencyQuantile(totals, share) ?? 0) / (share * 1000);
    expect(ratio).toBeGreaterThan(0.81);
    expect(ratio).toBeLessThan(1.2);
  }
  expect(latencyQuantile(NO_USAGE, 0.5)).toBeUndefined();
});
