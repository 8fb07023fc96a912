/** Requests of one invocation that may wait for response headers at once; the platform holds back the seventh. */
export const PLATFORM_CONNECTIONS = 6;
/** Slots for requests to sites: one connection stays free for R2, queues and the cache. */
const SITE_SLOTS = PLATFORM_CONNECTIONS - 1;

/**
 * Slots for the requests of one invocation that wait for response headers. The platform lets six wait and holds back the
 * others without a sign, so that their clocks would run out in its queue. Requests to sites take a slot first, in order
 * of arrival, and release it when the headers have arrived: their clocks start with the slot.
 */
export class ConnectionSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(slots: number = SITE_SLOTS) {
    this.#free = slots;
  }

  /**
   * Waits for a slot. @returns the function that releases it, which may be called twice.
   * @throws the signal's reason when it is aborted first
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    let isHeld = true;
    return () => {
      if (isHeld) this.#leave();
      isHeld = false;
    };
  }

  /** Returns a `fetch` that takes a slot until the response headers have arrived. */
  limit(fetcher: typeof fetch): typeof fetch {
    return async (input, init) => {
      const leave = await this.enter(init?.signal ?? undefined);
      try {
        return await fetcher(input, init);
      } finally {
        leave();
      }
    };
  }

  /** Hands the slot to the request that has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(next), 1);
        reject(signal?.reason as Error);
      };
      const next = (): void => {
        signal?.removeEventListener("abort", stop);
        resolve();
      };
      this.#waiting.push(next);
      signal?.addEventListener("abort", stop, { once: true });
    });
  }
}
