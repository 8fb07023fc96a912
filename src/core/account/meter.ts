import { z } from "zod";

const count = () => z.number().default(0);

/** Operations that the platform bills, and other usage of one piece of work; all integers. */
export const MeterCounts = z.object({
  d1RowsRead: count(),
  d1RowsWritten: count(),
  /** Put, list: class A. */
  r2Writes: count(),
  /** Get, head: class B. */
  r2Reads: count(),
  durableObjectRequests: count(),
  durableObjectRowsWritten: count(),
  queueMessages: count(),
  bytesFetched: count(),
  browserMs: count(),
  modelCalls: count(),
  modelInputTokens: count(),
  modelOutputTokens: count(),
  /** Price of the tokens at the model provider, in billionths of a dollar. */
  modelNanoDollars: count(),
  /** Credits charged to the key, corrections included. */
  credits: count(),
  /** Pages that were read; with their bytes, the measure of CPU time. */
  pages: count(),
});
export type MeterCounts = z.infer<typeof MeterCounts>;

export const NO_COUNTS: MeterCounts = {
  d1RowsRead: 0,
  d1RowsWritten: 0,
  r2Writes: 0,
  r2Reads: 0,
  durableObjectRequests: 0,
  durableObjectRowsWritten: 0,
  queueMessages: 0,
  bytesFetched: 0,
  browserMs: 0,
  modelCalls: 0,
  modelInputTokens: 0,
  modelOutputTokens: 0,
  modelNanoDollars: 0,
  credits: 0,
  pages: 0,
};

/** Queries of D1 after which an invocation begins no more work: of its 1,000, the work under way and the end of the run need some. */
const MANY_QUERIES = 700;

const NAMES = Object.keys(NO_COUNTS) as (keyof MeterCounts)[];

/**
 * Counts the cost of one request. The metered bindings (`platform/metering`) count operations as the platform bills them,
 * adapters count bytes, browser time, tokens and credits, and the HTTP layer reports the counts.
 */
export class Meter {
  readonly counts: MeterCounts = { ...NO_COUNTS };
  /** Queries of D1, each statement of a batch by itself: they are limited for each invocation, and not billed. */
  queries = 0;
  #taken: MeterCounts = { ...NO_COUNTS };
  #expected: MeterCounts = { ...NO_COUNTS };

  /** Adds to a counter; what is no number would make every sum that it enters unreadable, and is not counted. */
  add(counter: keyof MeterCounts, amount = 1): void {
    if (!Number.isFinite(amount)) return;
    this.counts[counter] += amount;
  }

  /** Reports whether the invocation has made most of the queries that it may make. */
  get hasManyQueries(): boolean {
    return this.queries >= MANY_QUERIES;
  }

  /** Notes the usual cost of work that ends after the receipt is sent. `take` returns the cost that was counted instead. */
  expect(costs: Partial<MeterCounts>): void {
    this.#expected = combineCounts(this.#expected, costs);
  }

  /** Returns all counts, with those that are expected. */
  total(): MeterCounts {
    return combineCounts(this.counts, this.#expected);
  }

  /** Returns the counts since the last `take`. */
  news(): MeterCounts {
    return combineCounts(this.counts, this.#taken, -1);
  }

  /** Makes counts that were taken, and not recorded, part of the next `take`. */
  putBack(counts: MeterCounts): void {
    this.#taken = combineCounts(this.#taken, counts, -1);
  }

  /** Returns the counts since the last `take` and resets them. */
  take(): MeterCounts {
    const news = this.news();
    this.#taken = { ...this.counts };
    return news;
  }
}

/** Combines counts field by field: `left + sign × right`. */
export function combineCounts(left: MeterCounts, right: Partial<MeterCounts>, sign: 1 | -1 = 1): MeterCounts {
  return Object.fromEntries(
    NAMES.map((name) => [name, left[name] + sign * (right[name] ?? 0)]),
  ) as unknown as MeterCounts;
}
