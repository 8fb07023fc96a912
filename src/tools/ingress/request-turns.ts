export interface TurnOptions {
  /** Requests that are on their way to the service at a time, without a sign that it has come to them. */
  mostUnseen: number;
  /** Requests of one owner that may wait; the next one is refused. */
  mostWaiting: number;
  /** Requests that may wait in all; beyond that, the latest one of the owner with most of them is refused. */
  mostInAll: number;
  /**
   * Sends the service a request of its own. It comes to that one after those that were sent before.
   * @returns a promise that resolves when it has been answered.
   */
  ask: () => Promise<void>;
}

/** Each is called at most once, and one of them unless the request gives up its wait. */
export interface Waiter {
  /** Called when it is the request's turn, with a place for `noteSeen`. */
  begin: (place: number) => void;
  /** Called when too many requests wait. */
  refuse: () => void;
}

/** A request that waits for its turn. */
export interface Wait {
  /** Gives up the wait. No effect when the request has begun. */
  leave(): void;
}

/**
 * Decides which request is sent to the service next: owners take turns, and few requests are on their way at a time. The
 * service works on connections in the order in which they become readable, and is not told of clients that have left.
 * Thousands of requests of one client would otherwise lie before each request of another.
 */
export class RequestTurns {
  /** The waiting requests of each owner, in the order in which the owners are served. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  readonly #options: TurnOptions;
  /** Requests that were sent, and the latest one that the service has come to. */
  #sent = 0;
  #seen = 0;
  #isAsking = false;
  #count = 0;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** Begins the request when it is its turn, at once if few are on their way. */
  enter(owner: string, waiter: Waiter): Wait {
    const ofOwner = this.#waiting.get(owner) ?? new Set();
    ofOwner.add(waiter);
    this.#waiting.set(owner, ofOwner);
    this.#count++;
    if (ofOwner.size > this.#options.mostWaiting) this.#refuse(owner);
    else if (this.#count > this.#options.mostInAll) this.#refuse(this.#longest());
    this.#sendNext();
    return {
      leave: () => {
        if (ofOwner.has(waiter)) this.#remove(owner, waiter);
      },
    };
  }

  /** Takes a response as a sign that the service has come to the request with this place, and to all before it. */
  noteSeen(place: number): void {
    if (place <= this.#seen) return;
    this.#seen = place;
    this.#sendNext();
  }

  #sendNext(): void {
    while (this.#sent - this.#seen < this.#options.mostUnseen) {
      const waiter = this.#take();
      if (waiter === undefined) return;
      waiter.begin(++this.#sent);
    }
    if (this.#waiting.size > 0) void this.#ask();
  }

  /** Clients leave, and requests take minutes: their responses alone would not tell. */
  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const place = this.#sent;
    await this.#options.ask();
    this.#isAsking = false;
    this.#seen = Math.max(this.#seen, place);
    this.#sendNext();
  }

  #take(): Waiter | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [owner, waiters] = first;
    const [waiter] = waiters;
    if (waiter === undefined) return undefined;
    this.#remove(owner, waiter);
    // The owner's next turn is after those of all others.
    if (this.#waiting.delete(owner)) this.#waiting.set(owner, waiters);
    return waiter;
  }

  #refuse(owner: string): void {
    const latest = [...(this.#waiting.get(owner) ?? [])].at(-1);
    if (latest === undefined) return;
    this.#remove(owner, latest);
    latest.refuse();
  }

  #longest(): string {
    let [longest, most] = ["", 0];
    for (const [owner, { size }] of this.#waiting) if (size > most) [longest, most] = [owner, size];
    return longest;
  }

  #remove(owner: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(owner);
    if (waiters?.delete(waiter) !== true) return;
    this.#count--;
    if (waiters.size === 0) this.#waiting.delete(owner);
  }
}
