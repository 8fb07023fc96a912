/**
 * A reservation without a request for this long is ignored: its site is too slow to wait for, or its request was
 * cancelled, which runs no `finally`.
 */
const SILENCE_MS = 2_000;
/** A reservation without a request for this long loses its position; its next request gets a new one. */
const LOST_MS = 120_000;
/** Interval at which waiting requests check again: an abandoned reservation sends no signal. */
const RECHECK_MS = 1_000;
/** A waiter without a check for this long belongs to a cancelled request: the runtime warns of each promise of it that is resolved. */
const UNSEEN_MS = 3_000;

/** The bytes of a memory budget that one request holds. */
export interface MemoryReservation {
  /** Resolves when that many more bytes are available. Rejects with the signal's reason when it is aborted. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
  /** Releases all bytes. May be called twice, and before any bytes were taken. */
  leave(): void;
}

/** Times after which a reservation without a request is ignored, and is lost. */
interface Patience {
  silenceMs: number;
  lostMs: number;
}

interface Place {
  bytes: number;
  heardAtMs: number;
}

/**
 * Limit of the bytes that the requests of an isolate hold in memory together. A request for more than is available
 * waits, in order of arrival; the earliest active reservation never waits, even beyond the capacity, so that every
 * request completes.
 */
export class MemoryBudget {
  readonly #capacity: number;
  readonly #nowMs: () => number;
  readonly #patience: Patience;
  /** In order of arrival. */
  readonly #places = new Map<MemoryReservation, Place>();
  /** The function that wakes each waiting request, and the time since which it waits for that. */
  readonly #waiting = new Map<() => void, number>();

  constructor(
    capacityBytes: number,
    nowMs: () => number = Date.now,
    patience: Patience = { silenceMs: SILENCE_MS, lostMs: LOST_MS },
  ) {
    this.#capacity = capacityBytes;
    this.#nowMs = nowMs;
    this.#patience = patience;
  }

  enter(): MemoryReservation {
    const reservation: MemoryReservation = {
      take: (bytes, signal) => this.#take(reservation, bytes, signal),
      leave: () => {
        this.#places.delete(reservation);
        this.#wakeOthers();
      },
    };
    return reservation;
  }

  async #take(reservation: MemoryReservation, bytes: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const place = this.#placeOf(reservation);
      if (this.#mayTake(reservation, bytes)) {
        place.bytes += bytes;
        return;
      }
      await this.#change(signal);
    }
  }

  /** Returns a reservation's place; its position in the order dates from its first request. */
  #placeOf(reservation: MemoryReservation): Place {
    const place = this.#places.get(reservation) ?? { bytes: 0, heardAtMs: 0 };
    place.heardAtMs = this.#nowMs();
    this.#places.set(reservation, place);
    return place;
  }

  #mayTake(reservation: MemoryReservation, bytes: number): boolean {
    const nowMs = this.#nowMs();
    const sinceMs = nowMs - this.#patience.silenceMs;
    const lostMs = nowMs - this.#patience.lostMs;
    for (const [lost, { heardAtMs }] of this.#places) if (heardAtMs < lostMs) this.#places.delete(lost);
    const present = [...this.#places].filter(([, { heardAtMs }]) => heardAtMs >= sinceMs);
    if (present[0]?.[0] === reservation) return true;
    return present.reduce((sum, [, place]) => sum + place.bytes, bytes) <= this.#capacity;
  }

  #wakeOthers(): void {
    const sinceMs = this.#nowMs() - UNSEEN_MS;
    for (const [wake, waitsSinceMs] of this.#waiting) {
      if (waitsSinceMs >= sinceMs) wake();
      else this.#waiting.delete(wake);
    }
  }

  /**
   * Resolves when another reservation is released, or when it is time to check again. Another request may wake this one;
   * the timer and the signal are released by this one alone, since requests share neither.
   */
  async #change(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise: changed, resolve: wake, reject } = Promise.withResolvers<void>();
    const stop = (): void => reject(signal.reason as Error);
    const timer = setTimeout(wake, RECHECK_MS);
    this.#waiting.set(wake, this.#nowMs());
    signal.addEventListener("abort", stop, { once: true });
    try {
      await changed;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(wake);
      signal.removeEventListener("abort", stop);
    }
  }
}
