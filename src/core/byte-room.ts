/**
 * Room for what is held in memory at the same time. Whoever asks for more than there is waits, in the order of coming;
 * the one that came first is never kept waiting, even beyond the capacity, so that all come to their end.
 */
export class ByteRoom {
  readonly #capacity: number;
  /** Bytes held by each guest, in the order of coming. */
  readonly #guests = new Map<ByteGuest, number>();
  readonly #waiting = new Set<() => void>();

  constructor(capacityBytes: number) {
    this.#capacity = capacityBytes;
  }

  enter(): ByteGuest {
    const guest: ByteGuest = {
      take: (bytes, signal) => this.#take(guest, bytes, signal),
      leave: () => {
        this.#guests.delete(guest);
        this.#wakeAll();
      },
    };
    return guest;
  }

  async #take(guest: ByteGuest, bytes: number, signal: AbortSignal): Promise<void> {
    const held = this.#guests.get(guest) ?? 0;
    // It stands in the queue from the first byte that it asks for.
    this.#guests.set(guest, held);
    while (!this.#mayTake(guest, bytes)) await this.#change(signal);
    this.#guests.set(guest, held + bytes);
  }

  #mayTake(guest: ByteGuest, bytes: number): boolean {
    const [first] = this.#guests.keys();
    if (first === guest) return true;
    let held = 0;
    for (const taken of this.#guests.values()) held += taken;
    return held + bytes <= this.#capacity;
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener("abort", stop);
        end();
      };
      const wake = (): void => settle(resolve);
      const stop = (): void => settle(() => reject(signal.reason as Error));
      if (signal.aborted) return reject(signal.reason as Error);
      this.#waiting.add(wake);
      signal.addEventListener("abort", stop, { once: true });
    });
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake();
  }
}

/** One that holds bytes in a room. */
export interface ByteGuest {
  /** Resolves when there is room for so many bytes more. Rejects with the signal's reason when it is aborted. */
  take(bytes: number, signal: AbortSignal): Promise<void>;
  /** Gives back all that was taken. May be called twice, and without having taken anything. */
  leave(): void;
}
