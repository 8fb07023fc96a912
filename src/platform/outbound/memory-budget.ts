/**
 * A reservation without a request for this long loses its position: its site is too slow to wait for, or its request was
 * cancelled, which runs no `finally`.
 */
const SILENCE_MS = 2_000;
/** One that is silent for this long is dropped when others wait for its bytes. */
const STALL_MS = 15_000;
/** One that is silent for this long is forgotten, and dropped; one that cannot be dropped gets a new position. */
const LOST_MS = 120_000;
/** How many times the capacity the earliest reservation may fill before those that are silent are dropped. */
const MOST_FILLED = 2;
/** Interval at which waiting requests check again: an abandoned reservation sends no signal. */
const RECHECK_MS = 1_000;
/** A waiter without a check for this long belongs to a cancelled request: the runtime warns of each promise of it that is resolved. */
const UNSEEN_MS = 3_000;

/** The bytes of a memory budget that one request holds. */
export interface MemoryReservation {
  /** Resolves when that many more bytes are available. Rejects with the signal's reason when it is aborted. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
  /** Keeps the bytes for a while in which no more are taken, for a reason that is not the site's. To be repeated. */
  pause(): void;
  /** Releases all bytes. May be called twice, and before any bytes were taken. */
  leave(): void;
}

/** Times after which a reservation without a request loses its position, may be dropped, and is lost. */
interface Patience {
  silenceMs: number;
  stallMs?: number;
  lostMs: number;
}

interface Place {
  bytes: number;
  heardAtMs: number;
  isPaused: boolean;
  /** Drops what is held. Without it, the bytes of a silent reservation do not count. */
  drop: (() => void) | undefined;
}

/**
 * Limit of the bytes that the requests of an isolate hold in memory together. A request for more than is available
 * waits, in order of arrival; the earliest active reservation never waits, even beyond the capacity, so that every
 * request completes. Silent reservations count as well: the longest silent ones are dropped for those that go on.
 */
export class MemoryBudget {
  readonly #capacity: number;
  readonly #nowMs: () => number;
  readonly #patience: Required<Patience>;
  /** In order of arrival. */
  readonly #places = new Map<MemoryReservation, Place>();
  /** The function that wakes each waiting request, and the time since which it waits for that. */
  readonly #waiting = new Map<() => void, number>();

  constructor(
    capacityBytes: number,
    nowMs: () => number = () => Date.now(),
    patience: Patience = { silenceMs: SILENCE_MS, lostMs: LOST_MS },
  ) {
    this.#capacity = capacityBytes;
    this.#nowMs = nowMs;
    this.#patience = { stallMs: STALL_MS, ...patience };
  }

  /**
   * @param drop Releases what a reservation holds that has been silent for too long. Another request calls it: it may change
   * values, and use no timer, signal or stream.
   */
  enter(drop?: () => void): MemoryReservation {
    const reservation: MemoryReservation = {
      take: (bytes, signal) => this.#take(reservation, { bytes, drop, signal }),
      pause: () => {
        const place = this.#places.get(reservation);
        if (place !== undefined) Object.assign(place, { heardAtMs: this.#nowMs(), isPaused: true });
      },
      leave: () => {
        this.#places.delete(reservation);
        this.#wakeOthers();
      },
    };
    return reservation;
  }

  async #take(
    reservation: MemoryReservation,
    { bytes, drop, signal }: { bytes: number; drop: (() => void) | undefined; signal: AbortSignal },
  ): Promise<void> {
    for (;;) {
      const place = this.#placeOf(reservation, drop);
      if (this.#mayTake(reservation, bytes)) {
        place.bytes += bytes;
        return;
      }
      await this.#change(signal);
    }
  }

  /** Returns a reservation's place; its position in the order dates from its first request. */
  #placeOf(reservation: MemoryReservation, drop: (() => void) | undefined): Place {
    const place = this.#places.get(reservation) ?? { bytes: 0, heardAtMs: 0, isPaused: false, drop };
    Object.assign(place, { heardAtMs: this.#nowMs(), isPaused: false });
    this.#places.set(reservation, place);
    return place;
  }

  #mayTake(reservation: MemoryReservation, bytes: number): boolean {
    const nowMs = this.#nowMs();
    const { silenceMs, stallMs, lostMs } = this.#patience;
    for (const [lost, { heardAtMs }] of this.#places) if (heardAtMs < nowMs - lostMs) this.#drop(lost);
    const isSilent = ({ heardAtMs }: Place): boolean => heardAtMs < nowMs - silenceMs;
    const places = [...this.#places];
    const isFirst = places.find(([, place]) => !place.isPaused && !isSilent(place))?.[0] === reservation;
    const counted = places.filter(([, place]) => place.drop !== undefined || !isSilent(place));
    let sum = counted.reduce((total, [, place]) => total + place.bytes, bytes);
    const most = isFirst ? this.#capacity * MOST_FILLED : this.#capacity;
    const leastMs = isFirst ? silenceMs : stallMs;
    for (const [silent, place] of this.#silentFor(leastMs, nowMs)) {
      if (sum <= most) break;
      sum -= place.bytes;
      this.#drop(silent);
    }
    return isFirst || sum <= this.#capacity;
  }

  /** Returns the reservations that may be dropped, the longest silent one first. */
  #silentFor(leastMs: number, nowMs: number): [MemoryReservation, Place][] {
    return [...this.#places]
      .filter(([, { drop, isPaused, heardAtMs }]) => drop !== undefined && !isPaused && heardAtMs < nowMs - leastMs)
      .toSorted(([, one], [, other]) => one.heardAtMs - other.heardAtMs);
  }

  #drop(reservation: MemoryReservation): void {
    const place = this.#places.get(reservation);
    this.#places.delete(reservation);
    place?.drop?.();
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
