/**
 * A guest that has asked for nothing for so long does not count: its site is too slow to be waited for, or its request
 * was cancelled, which runs no `finally`.
 */
const SILENCE_MS = 2_000;
/** After so long a guest's place is given up; with the next bytes that it asks for it gets a new one. */
const LOST_MS = 120_000;
/** Who waits looks again at least this often, since nobody says goodbye for those who are gone. */
const RECHECK_MS = 1_000;

/** One that holds bytes in a room. */
export interface MemoryReservation {
  /** Resolves when there is room for so many bytes more. Rejects with the signal's reason when it is aborted. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
  /** Gives back all that was taken. May be called twice, and without having taken anything. */
  leave(): void;
}

interface Place {
  bytes: number;
  heardAtMs: number;
}

/**
 * Room for what the requests of an isolate hold in memory at the same time. Whoever asks for more than there is waits, in
 * the order of coming; of those that get on, the one that came first is never kept waiting, even beyond the capacity, so
 * that all come to their end.
 */
export class MemoryBudget {
  readonly #capacity: number;
  readonly #nowMs: () => number;
  /** In the order of coming. */
  readonly #places = new Map<MemoryReservation, Place>();
  readonly #waiting = new Set<() => void>();

  constructor(capacityBytes: number, nowMs: () => number = Date.now) {
    this.#capacity = capacityBytes;
    this.#nowMs = nowMs;
  }

  enter(): MemoryReservation {
    const guest: MemoryReservation = {
      take: (bytes, signal) => this.#take(guest, bytes, signal),
      leave: () => {
        this.#places.delete(guest);
        for (const wake of this.#waiting) wake();
      },
    };
    return guest;
  }

  async #take(guest: MemoryReservation, bytes: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const place = this.#placeOf(guest);
      if (this.#mayTake(guest, bytes)) {
        place.bytes += bytes;
        return;
      }
      await this.#change(signal);
    }
  }

  /** A guest has its place in the order from the first byte that it asks for. */
  #placeOf(guest: MemoryReservation): Place {
    const place = this.#places.get(guest) ?? { bytes: 0, heardAtMs: 0 };
    place.heardAtMs = this.#nowMs();
    this.#places.set(guest, place);
    return place;
  }

  #mayTake(guest: MemoryReservation, bytes: number): boolean {
    const nowMs = this.#nowMs();
    const sinceMs = nowMs - SILENCE_MS;
    for (const [lost, { heardAtMs }] of this.#places) if (heardAtMs < nowMs - LOST_MS) this.#places.delete(lost);
    const present = [...this.#places].filter(([, { heardAtMs }]) => heardAtMs >= sinceMs);
    if (present[0]?.[0] === guest) return true;
    return present.reduce((sum, [, place]) => sum + place.bytes, bytes) <= this.#capacity;
  }

  /** Until another guest leaves, or it is time to look again. */
  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", stop);
        end();
      };
      const wake = (): void => settle(resolve);
      const stop = (): void => settle(() => reject(signal.reason as Error));
      const timer = setTimeout(wake, RECHECK_MS);
      if (signal.aborted) return stop();
      this.#waiting.add(wake);
      signal.addEventListener("abort", stop, { once: true });
    });
  }
}
