import { scaleRange, type EstimateFigures, type EstimateRange } from "../../core/account/estimate.ts";
import { toReceipt } from "../../core/account/receipt.ts";

/** Expected means of a job's pages. */
export interface PageRates {
  credits: number;
  bytes: number;
  browserMs: number;
  /** Known dollars a page, without browser time; undefined to count operations. */
  dollars?: number;
}

/** Billed operations of a job, whatever its size, and of each of its pages: means of crawls of 6 to 200 pages. */
const OPERATIONS_OF_JOB = { durableObjectRequests: 11, durableObjectRowsWritten: 54, d1RowsWritten: 1, d1RowsRead: 2, r2Writes: 1, queueMessages: 0 }; // prettier-ignore
const OPERATIONS_OF_PAGE = { durableObjectRequests: 2.1, durableObjectRowsWritten: 5, d1RowsWritten: 0, d1RowsRead: 0.2, r2Writes: 0.35, queueMessages: 0 }; // prettier-ignore

/** Returns the figures of a job with so many pages. */
export function costOfPages(pages: EstimateRange, rates: PageRates): EstimateFigures {
  const { credits, browserMs } = rates;
  return {
    pages,
    credits: scaleRange(pages, credits),
    dollars: {
      low: dollarsOf(pages.low, rates) * (1 - DOLLARS_MARGIN),
      expected: dollarsOf(pages.expected, rates),
      high: dollarsOf(pages.high, rates) * (1 + DOLLARS_MARGIN),
    },
    browserSeconds: widened(scaleRange(pages, browserMs / 1000)),
  };
}

/** Operations vary with the time that a job takes. */
const DOLLARS_MARGIN = 0.25;
/** Browser time varies with the load of the machine and the site. */
const BROWSER_MARGIN = 0.4;

function widened({ low, expected, high }: EstimateRange): EstimateRange {
  return { low: low * (1 - BROWSER_MARGIN), expected, high: high * (1 + BROWSER_MARGIN) };
}

function dollarsOf(pages: number, { bytes, browserMs, dollars }: PageRates): number {
  const counts = Object.entries(OPERATIONS_OF_PAGE).map(([name, amount]) => {
    const ofJob = OPERATIONS_OF_JOB[name as keyof typeof OPERATIONS_OF_JOB];
    return [name, Math.round(ofJob + amount * pages)];
  });
  const usage = { browserMs: browserMs * pages };
  if (dollars !== undefined) return dollars * pages + toReceipt(usage, 0).dollars;
  return toReceipt({ ...Object.fromEntries(counts), ...usage, pages, bytesFetched: bytes * pages }).dollars;
}
