/** The operations that a platform bills, and what else one piece of work used; all whole numbers. */
export interface MeterCounts {
  d1RowsRead: number;
  d1RowsWritten: number;
  /** Put, list: class A. */
  r2Writes: number;
  /** Get, head: class B. */
  r2Reads: number;
  durableObjectRequests: number;
  durableObjectRowsWritten: number;
  queueMessages: number;
  bytesFetched: number;
  browserMs: number;
  modelCalls: number;
  modelInputTokens: number;
  modelOutputTokens: number;
  /** What the models' provider asks for the tokens, in billionths of a dollar. */
  modelNanoDollars: number;
  /** What the key was charged, corrections included. */
  credits: number;
  /** Pages that were read: the measure of the processor's time beside their bytes. */
  pages: number;
}

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

/** Counts what one request costs. Adapters add to it when they are asked, not when they have answered; the edge shows it. */
export class Meter {
  readonly counts: MeterCounts = { ...NO_COUNTS };
  #taken: MeterCounts = { ...NO_COUNTS };

  add(counter: keyof MeterCounts, amount = 1): void {
    this.counts[counter] += amount;
  }

  /** What was counted since it was last taken. */
  news(): MeterCounts {
    return combineCounts(this.counts, this.#taken, -1);
  }

  /** The same, and from now on it is taken. */
  take(): MeterCounts {
    const news = this.news();
    this.#taken = { ...this.counts };
    return news;
  }
}

/** Counter by counter: `left + sign × right`. */
export function combineCounts(left: MeterCounts, right: Partial<MeterCounts>, sign: 1 | -1 = 1): MeterCounts {
  const names = Object.keys(NO_COUNTS) as (keyof MeterCounts)[];
  return Object.fromEntries(
    names.map((name) => [name, left[name] + sign * (right[name] ?? 0)]),
  ) as unknown as MeterCounts;
}
