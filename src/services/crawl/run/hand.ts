import type { Claim } from "../../../ports/crawl/frontier.ts";

/** A leased page, with the number of its document among those of the job. */
export interface Leased {
  leaseId: number;
  item: Claim["items"][number];
  documentNumber: number;
}

/** Pages that a run leases beyond those that it begins at once, at most: with these, as many as one report has. */
const MAX_AHEAD = 24;
/** Time for which a run leases ahead, by its pace: what it holds when it stops is loaded again. */
const AHEAD_MS = 2_000;

/** Pages that a run has leased and not begun: each begins when another one has finished, so that claims are few. */
export class Hand {
  #waiting: Leased[] = [];
  #finishedAtMs: number[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  get leaseIds(): number[] {
    return this.#waiting.map(({ leaseId }) => leaseId);
  }

  put(pages: readonly Leased[]): void {
    this.#waiting.push(...pages);
  }

  /** Takes the next page to begin. */
  next(): Leased | undefined {
    return this.#waiting.shift();
  }

  /** Takes all pages, to begin none of them. */
  takeAll(): Leased[] {
    const all = this.#waiting;
    this.#waiting = [];
    return all;
  }

  /** Records that a page has finished (Unix time in ms). */
  noteFinished(nowMs: number): void {
    this.#finishedAtMs = [...this.#finishedAtMs.slice(1 - MAX_AHEAD), nowMs];
  }

  /** Returns the number of pages that finish within the time for which a run leases ahead. */
  wanted(nowMs: number): number {
    return this.#finishedAtMs.filter((atMs) => atMs > nowMs - AHEAD_MS).length;
  }
}
