import { scaleRange, type EstimateFigures, type EstimateRange } from "../../core/account/estimate.ts";
import { toReceipt } from "../../core/account/receipt.ts";

/** Expected means of a job's pages. */
export interface PageRates {
  credits: number;
  bytes: number;
  browserMs: number;
  /** Bounds of the browser time as shares of what is expected; undefined for those of its source. */
  browserBounds?: readonly [lower: number, upper: number];
  /** Known dollars a page, without browser time, of jobs whose receipts have the browser time as well; undefined to count operations. */
  dollars?: number;
}

/** Bytes of a page that was not sampled, and its browser time where it needs a browser, in ms. */
export const PAGE_BYTES = 100_000;
export const RENDERED_MS = 3_000;

/** Billed operations of a job, whatever its size, and of each of its pages: means of crawls of 6 to 200 pages. */
const OPERATIONS_OF_JOB = { durableObjectRequests: 11, durableObjectRowsWritten: 54, d1RowsWritten: 1, d1RowsRead: 2, r2Writes: 1, queueMessages: 0 }; // prettier-ignore
const OPERATIONS_OF_PAGE = { durableObjectRequests: 1.3, durableObjectRowsWritten: 3.7, d1RowsWritten: 0, d1RowsRead: 0.2, r2Writes: 0.15, queueMessages: 0 }; // prettier-ignore

/** Returns the figures of a job with so many pages. */
export function costOfPages(pages: EstimateRange, rates: PageRates): EstimateFigures {
  const { credits, browserMs } = rates;
  const [lower, upper] = rates.browserBounds ?? (rates.dollars === undefined ? SAMPLED_BROWSER : KNOWN_BROWSER);
  return {
    pages,
    credits: scaleRange(pages, credits),
    dollars: {
      low: dollarsOf(pages.low, { ...rates, browserMs: browserMs * lower }) * (1 - DOLLARS_MARGIN),
      expected: dollarsOf(pages.expected, rates),
      high: dollarsOf(pages.high, { ...rates, browserMs: browserMs * upper }) * (1 + DOLLARS_MARGIN),
    },
    browserSeconds: {
      low: (pages.low * browserMs * lower) / 1000,
      expected: (pages.expected * browserMs) / 1000,
      high: (pages.high * browserMs * upper) / 1000,
    },
  };
}

/** Operations vary with the time that a job takes. */
const DOLLARS_MARGIN = 0.25;
/** Bounds of the browser time as shares of what is expected, from earlier jobs: it varies with the load of machine and site. */
const KNOWN_BROWSER = [0.6, 1.4] as const;
/**
 * The same from a sample: a page takes the longer, the more pages a job loads beside it. Where all browsers run on one machine of
 * two cores, jobs took 1.5 to 3 times what a sample of four pages took.
 */
const SAMPLED_BROWSER = [0.6, 3] as const;

function dollarsOf(pages: number, { bytes, browserMs, dollars }: PageRates): number {
  const counts = Object.entries(OPERATIONS_OF_PAGE).map(([name, amount]) => {
    const ofJob = OPERATIONS_OF_JOB[name as keyof typeof OPERATIONS_OF_JOB];
    return [name, Math.round(ofJob + amount * pages)];
  });
  const usage = { browserMs: browserMs * pages };
  if (dollars !== undefined) return dollars * pages + toReceipt(usage, 0).dollars;
  return toReceipt({ ...Object.fromEntries(counts), ...usage, pages, bytesFetched: bytes * pages }).dollars;
}

export function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
