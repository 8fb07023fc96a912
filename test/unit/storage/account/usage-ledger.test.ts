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

  test("knows the same after it was opened again", () => {
    const sql = nodeSql();
    const ledger = new UsageLedger(sql);
    for (let count = 0; count < 77; count++) ledger.record(work(), NOON + count);
    const again = new UsageLedger(sql);
    expect(again.usage(...EVERYTHING)).toEqual(ledger.usage(...EVERYTHING));
    expect(again.activity({ sinceMs: 0, limit: 100 })).toEqual(ledger.activity({ sinceMs: 0, limit: 100 }));
  });

  test("counts a request once that is told twice, at once or across the turn of a page", () => {
    const sql = nodeSql();
    const ledger = new UsageLedger(sql);
    const done = Array.from({ length: 50 }, () => work());
    for (const record of done) ledger.record(record, NOON);
    for (const record of done.slice(-3)) new UsageLedger(sql).record(record, NOON + 5);
    expect(sumOf(new UsageLedger(sql)).requests).toBe(50);
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
      const part = ledger.activity({ sinceMs: NOON, limit: 7, cursor });
      listed.push(...part.map(({ id }) => id));
      const last = part.at(-1);
      if (last === undefined) break;
      cursor = last;
    }
    expect(listed).toEqual(done.map(({ id }) => id).toReversed());
    expect(ledger.activity({ sinceMs: NOON, limit: 100, endpoint: "map" })).toHaveLength(40);
    expect(ledger.activity({ sinceMs: NOON + 500, limit: 100 })).toHaveLength(0);
  });

  test("forgets what is older than two days, and keeps its sums", () => {
    const ledger = new UsageLedger(nodeSql());
    for (let count = 0; count < 100; count++) ledger.record(work(), NOON + count);
    const later = NOON + 3 * 86_400_000;
    for (let count = 0; count < 100; count++) ledger.record(work(), later + count);
    expect(ledger.activity({ sinceMs: 0, limit: 1000 })).toHaveLength(100);
    expect(sumOf(ledger).requests).toBe(200);
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
