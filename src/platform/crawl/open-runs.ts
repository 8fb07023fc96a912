/** Pauses after worker runs that failed. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 12_000;

/** The worker runs that a frontier has heard of, by their messages. Hints, which are held in memory alone. */
export class OpenRuns {
  readonly #endsAtMs = new Map<string, number>();
  readonly #unreported = new Map<string, number>();
  #failures = 0;

  /**
   * Notes that a run is open.
   * @param endsAtMs time at which the run counts as lost without further notes, in ms since the epoch
   * @param unreported pages that the run has finished and not reported; undefined leaves the last number
   */
  note(messageId: string, endsAtMs: number, unreported?: number): void {
    this.#endsAtMs.set(messageId, endsAtMs);
    if (unreported !== undefined) this.#unreported.set(messageId, unreported);
  }

  delete(messageId: string): void {
    this.#endsAtMs.delete(messageId);
    this.#unreported.delete(messageId);
  }

  /** Forgets a run that has left in order: the next failure is the first one again. */
  left(messageId: string): void {
    this.#failures = 0;
    this.delete(messageId);
  }

  /** Forgets a run that has failed. @returns the ms until the next one: twice as many after each failure, up to 12 s */
  failed(messageId: string): number {
    this.delete(messageId);
    return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
  }

  /** Forgets the runs that were not heard of for too long. */
  dropSilent(nowMs: number): void {
    for (const [messageId, endsAtMs] of this.#endsAtMs) {
      if (endsAtMs <= nowMs) this.delete(messageId);
    }
  }

  get size(): number {
    return this.#endsAtMs.size;
  }

  /** Time at which the first of the runs counts as lost unless it is heard of (Unix time in ms); undefined without runs. */
  get firstEndMs(): number | undefined {
    return this.#endsAtMs.size === 0 ? undefined : Math.min(...this.#endsAtMs.values());
  }

  /** Number of pages that are finished and not reported, as far as it is known. */
  get unreported(): number {
    return [...this.#unreported.values()].reduce((sum, pages) => sum + pages, 0);
  }
}
