import { z } from "zod";
import type { MeterCounts } from "./meter.ts";

/**
 * List prices of Workers Paid beyond the included amounts (Cloudflare's documentation, November 2026), in billionths of a
 * dollar per unit, so that sums are exact. Excludes storage over time and the memory of Durable Objects.
 */
export const PRICES_NANO_DOLLARS = {
  request: 300,
  cpuMs: 20,
  d1RowRead: 1,
  d1RowWritten: 1000,
  r2Write: 4500,
  r2Read: 360,
  durableObjectRequest: 150,
  durableObjectRowWritten: 1000,
  /** Write, read and delete: three operations. */
  queueMessage: 1200,
  /** $0.09 per hour, as if each page had its own browser: an upper bound where pages share one. */
  browserMs: 25,
} as const;

/**
 * Estimate of CPU time; the platform reports none. Measured on this service: about 11 ms for a page of 170 kB. A page or
 * document that takes far more work than others of its size, up to 30 s, counts as one of them.
 */
const CPU_MICROS_A_PAGE = 2000;
const CPU_MICROS_A_KILOBYTE = 53;

/** Returns the schema of a receipt with counts of a form. */
function receiptWith<Count extends z.ZodType<number, unknown>>(count: () => Count) {
  const operations = z.object({
    d1RowsRead: count().describe("Rows read from D1."),
    d1RowsWritten: count().describe("Rows written to D1."),
    r2Writes: count().describe("Write operations on R2."),
    r2Reads: count().describe("Read operations on R2."),
    durableObjectRequests: count().describe("Requests to Durable Objects."),
    durableObjectRowsWritten: count().describe("Rows written by Durable Objects."),
    queueMessages: count().describe("Messages sent through queues."),
  });
  const modelTokens = z.object({
    input: count().describe("Number of input tokens."),
    output: count().describe("Number of output tokens."),
  });
  return z.object({
    credits: z.number().describe("Credits charged for the work."),
    browserMs: count().describe("Browser time in milliseconds."),
    cpuMs: count().describe("CPU time in milliseconds, estimated from the pages and bytes that were loaded."),
    bytesFetched: count().describe("Bytes received from sites."),
    operations: operations.describe("Storage operations by kind."),
    modelTokens: modelTokens.describe("Tokens of language models."),
    nanoDollars: count().describe("Estimated cost in billionths of a US dollar."),
    dollars: z.number().describe("Estimated cost in US dollars."),
  });
}

/** Usage and estimated cost of one piece of work. All integers except `dollars`, which is `nanoDollars` / 10⁹. */
export const Receipt = receiptWith(() => z.int().min(0));
export type Receipt = z.infer<typeof Receipt>;

/**
 * A stored receipt or a difference between two. Counts may be below 0: older versions have stored them of times over which
 * the clock stepped back. `withoutNegatives` makes a receipt of it.
 */
export const StoredReceipt = receiptWith(() => z.number());

export const RECEIPT_EXAMPLE: Receipt = {
  credits: 1,
  browserMs: 0,
  cpuMs: 11,
  bytesFetched: 170_000,
  operations: {
    d1RowsRead: 1,
    d1RowsWritten: 3,
    r2Writes: 1,
    r2Reads: 0,
    durableObjectRequests: 2,
    durableObjectRowsWritten: 2,
    queueMessages: 0,
  },
  modelTokens: { input: 0, output: 0 },
  nanoDollars: 10_321,
  dollars: 0.000010321,
};

export const NO_RECEIPT: Receipt = toReceipt({}, 0);

/**
 * Returns the receipt for the counts.
 * @param requests number of Worker requests for the work.
 */
export function toReceipt(counts: Partial<MeterCounts>, requests = 1): Receipt {
  const of = (name: keyof MeterCounts): number =>
    name === "credits" ? (counts[name] ?? 0) : wholeCount(counts[name] ?? 0);
  const cpuMicros = of("pages") * CPU_MICROS_A_PAGE + (of("bytesFetched") * CPU_MICROS_A_KILOBYTE) / 1000;
  const cpuMs = Math.ceil(cpuMicros / 1000) + requests;
  const browserMs = of("browserMs");
  const nanoDollars =
    requests * PRICES_NANO_DOLLARS.request +
    cpuMs * PRICES_NANO_DOLLARS.cpuMs +
    of("d1RowsRead") * PRICES_NANO_DOLLARS.d1RowRead +
    of("d1RowsWritten") * PRICES_NANO_DOLLARS.d1RowWritten +
    of("r2Writes") * PRICES_NANO_DOLLARS.r2Write +
    of("r2Reads") * PRICES_NANO_DOLLARS.r2Read +
    of("durableObjectRequests") * PRICES_NANO_DOLLARS.durableObjectRequest +
    of("durableObjectRowsWritten") * PRICES_NANO_DOLLARS.durableObjectRowWritten +
    of("queueMessages") * PRICES_NANO_DOLLARS.queueMessage +
    browserMs * PRICES_NANO_DOLLARS.browserMs +
    of("modelNanoDollars");
  return {
    credits: of("credits"),
    browserMs,
    cpuMs,
    bytesFetched: of("bytesFetched"),
    operations: {
      d1RowsRead: of("d1RowsRead"),
      d1RowsWritten: of("d1RowsWritten"),
      r2Writes: of("r2Writes"),
      r2Reads: of("r2Reads"),
      durableObjectRequests: of("durableObjectRequests"),
      durableObjectRowsWritten: of("durableObjectRowsWritten"),
      queueMessages: of("queueMessages"),
    },
    modelTokens: { input: of("modelInputTokens"), output: of("modelOutputTokens") },
    nanoDollars,
    dollars: toDollars(nanoDollars),
  };
}

/** Minimum operations to end a session: its key's ledger, slot and charge, its row, browser and object writes. */
const SESSION_OPERATIONS = { durableObjectRequests: 5, durableObjectRowsWritten: 8, d1RowsWritten: 2 };

/**
 * Returns the receipt of a browser session after its start, which has a separate receipt.
 * @param credits charged in addition to those at the start.
 */
export function sessionReceipt({ durationMs, credits }: { durationMs: number; credits: number }): Receipt {
  return toReceipt({ ...SESSION_OPERATIONS, browserMs: durationMs, credits }, 0);
}

/** Combines receipts field by field: `left + sign × right`. */
export function combineReceipts(left: Receipt, right: Receipt, sign: 1 | -1 = 1): Receipt {
  const sum = (a: number, b: number): number => a + sign * b;
  const operations = Object.fromEntries(
    Object.entries(left.operations).map(([name, value]) => [
      name,
      sum(value, right.operations[name as keyof Receipt["operations"]]),
    ]),
  ) as Receipt["operations"];
  const nanoDollars = sum(left.nanoDollars, right.nanoDollars);
  return {
    credits: sum(left.credits, right.credits),
    browserMs: sum(left.browserMs, right.browserMs),
    cpuMs: sum(left.cpuMs, right.cpuMs),
    bytesFetched: sum(left.bytesFetched, right.bytesFetched),
    operations,
    modelTokens: {
      input: sum(left.modelTokens.input, right.modelTokens.input),
      output: sum(left.modelTokens.output, right.modelTokens.output),
    },
    nanoDollars,
    dollars: toDollars(nanoDollars),
  };
}

/** Returns the nearest count that can be, also of a time over which the clock stepped back. */
function wholeCount(amount: number): number {
  return Math.max(0, Math.round(amount));
}

/** Returns a receipt that can be shown: counts below 0 are 0. */
export function withoutNegatives(stored: Receipt): Receipt {
  const { d1RowsRead, d1RowsWritten, r2Writes, r2Reads, durableObjectRequests, ...others } = stored.operations;
  const nanoDollars = wholeCount(stored.nanoDollars);
  return {
    credits: stored.credits,
    browserMs: wholeCount(stored.browserMs),
    cpuMs: wholeCount(stored.cpuMs),
    bytesFetched: wholeCount(stored.bytesFetched),
    operations: {
      d1RowsRead: wholeCount(d1RowsRead),
      d1RowsWritten: wholeCount(d1RowsWritten),
      r2Writes: wholeCount(r2Writes),
      r2Reads: wholeCount(r2Reads),
      durableObjectRequests: wholeCount(durableObjectRequests),
      durableObjectRowsWritten: wholeCount(others.durableObjectRowsWritten),
      queueMessages: wholeCount(others.queueMessages),
    },
    modelTokens: { input: wholeCount(stored.modelTokens.input), output: wholeCount(stored.modelTokens.output) },
    nanoDollars,
    dollars: toDollars(nanoDollars),
  };
}

function toDollars(nanoDollars: number): number {
  return nanoDollars / 1_000_000_000;
}
