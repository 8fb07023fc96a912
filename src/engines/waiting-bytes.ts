import type { Owner } from "../core/fair-order.ts";

/** Bytes of loaded pages that may wait for their conversion, of one team and in all. A Worker has 128 MB. */
const OF_A_TEAM = 24_000_000;
const IN_ALL = 64_000_000;
/** A page that has not left by then never will: its request was cancelled without a signal, and runs no `finally`. */
const LIFE_MS = 300_000;

interface Page {
  teamId: string;
  bytes: number;
  sinceMs: number;
}

/**
 * The bytes of the loaded pages of an isolate that wait for their conversion. Beyond a limit no further pages are loaded,
 * since the converter would not be done with them sooner. A team without such pages may always load one.
 */
export class WaitingBytes {
  readonly #pages = new Set<Page>();
  readonly #teams = new Map<string, number>();
  #total = 0;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /**
   * Counts a loaded page, until its client leaves at the latest: a cancelled request runs no `finally`.
   * @returns a function that ends this, which may be called twice
   */
  hold({ teamId }: Owner, bytes: number, left?: AbortSignal): () => void {
    if (left?.aborted === true) return () => undefined;
    const page = { teamId, bytes, sinceMs: this.#nowMs() };
    this.#pages.add(page);
    this.#add(teamId, bytes);
    const release = (): void => {
      left?.removeEventListener("abort", release);
      this.#release(page);
    };
    left?.addEventListener("abort", release, { once: true });
    return release;
  }

  /** Reports whether a team may load further pages. */
  hasRoom({ teamId }: Owner): boolean {
    this.#forgetLost();
    const own = this.#teams.get(teamId) ?? 0;
    return own === 0 || (own < OF_A_TEAM && this.#total < IN_ALL);
  }

  #forgetLost(): void {
    const sinceMs = this.#nowMs() - LIFE_MS;
    // In order of their beginning.
    for (const page of this.#pages) {
      if (page.sinceMs > sinceMs) return;
      this.#release(page);
    }
  }

  #release(page: Page): void {
    if (this.#pages.delete(page)) this.#add(page.teamId, -page.bytes);
  }

  #add(teamId: string, bytes: number): void {
    this.#total += bytes;
    const own = (this.#teams.get(teamId) ?? 0) + bytes;
    if (own === 0) this.#teams.delete(teamId);
    else this.#teams.set(teamId, own);
  }
}
