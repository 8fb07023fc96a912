/** The operations that a platform bills, counted over one request. */
export interface MeterCounts {
  d1RowsRead: number;
  d1RowsWritten: number;
  /** Put, list: class A. */
  r2Writes: number;
  /** Get, head: class B. */
  r2Reads: number;
  durableObjectRequests: number;
  queueMessages: number;
  bytesFetched: number;
  browserMs: number;
  modelCalls: number;
  modelInputTokens: number;
  modelOutputTokens: number;
}

/** Counts what one request costs. Adapters add to it; the edge shows it. */
export class Meter {
  readonly counts: MeterCounts = {
    d1RowsRead: 0,
    d1RowsWritten: 0,
    r2Writes: 0,
    r2Reads: 0,
    durableObjectRequests: 0,
    queueMessages: 0,
    bytesFetched: 0,
    browserMs: 0,
    modelCalls: 0,
    modelInputTokens: 0,
    modelOutputTokens: 0,
  };

  add(counter: keyof MeterCounts, amount = 1): void {
    this.counts[counter] += amount;
  }
}
