import type { ItemOutcome } from "../item-task.ts";
import { charsOf } from "./page-memory.ts";

/** A page that is finished, and its lease. */
export interface Finished {
  leaseId: number;
  outcome: ItemOutcome;
}

/** Pages, bytes and links at which a report is full: each is an object in R2, and writes some rows. */
const FULL_PAGES = 32;
const FULL_BYTES = 4_000_000;
const FULL_LINKS = 20_000;

/** The finished pages of a run that are not reported yet. */
export class FinishedPages {
  #pages: Finished[] = [];
  #bytes = 0;
  #links = 0;
  #firstAtMs = 0;

  get count(): number {
    return this.#pages.length;
  }

  get leaseIds(): number[] {
    return this.#pages.map(({ leaseId }) => leaseId);
  }

  /** Time at which the first of them was finished (Unix time in ms). */
  get firstAtMs(): number {
    return this.#firstAtMs;
  }

  get isFull(): boolean {
    return this.#pages.length >= FULL_PAGES || this.#bytes >= FULL_BYTES || this.#links >= FULL_LINKS;
  }

  add(page: Finished, nowMs: number): void {
    if (this.#pages.length === 0) this.#firstAtMs = nowMs;
    this.#pages.push(page);
    const { discoveries } = page.outcome;
    this.#bytes += charsOf(page.outcome);
    this.#links += discoveries.candidates.length + discoveries.filtered.length;
  }

  /** Takes all pages, to report them. */
  takeAll(): Finished[] {
    const pages = this.#pages;
    this.#pages = [];
    this.#bytes = 0;
    this.#links = 0;
    return pages;
  }
}
