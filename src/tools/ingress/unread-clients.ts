/** Time after which a client that reads nothing has stopped; sooner where its caller has more of them than `MOST_UNREAD`. */
const UNREAD_MS = 60_000;
const UNREAD_BESIDE_OTHERS_MS = 30_000;
const MOST_UNREAD = 50;

/** A client with more to read than is kept for it. */
export interface Unread {
  /** Reports whether it has read nothing for so long that its connection gives way to others. */
  isLong(): boolean;
  /** The client reads again, or has left. */
  end(): void;
}

interface Waiting {
  cut(): void;
}

/**
 * Cuts off clients that do not read: the service keeps a part of each response, or all of it, until the client has read
 * it. Of a caller with many of them, the one that has not read for longest goes first.
 */
export class UnreadClients {
  /** Those of each caller, the one that has not read for longest first. */
  readonly #waiting = new Map<string, Set<Waiting>>();

  /** @param cut closes the connection of the client, and thereby ends its wait. */
  begin(owner: string, cut: () => void): Unread {
    const sinceMs = performance.now();
    const waiting: Waiting = { cut };
    this.#waiting.set(owner, (this.#waiting.get(owner) ?? new Set()).add(waiting));
    let timer = setTimeout(() => {
      timer = setTimeout(cut, UNREAD_MS - UNREAD_BESIDE_OTHERS_MS);
      this.#cutFirst(owner);
    }, UNREAD_BESIDE_OTHERS_MS);
    return {
      isLong: () => performance.now() - sinceMs > UNREAD_BESIDE_OTHERS_MS,
      end: () => {
        clearTimeout(timer);
        const ofOwner = this.#waiting.get(owner);
        ofOwner?.delete(waiting);
        if (ofOwner?.size === 0) this.#waiting.delete(owner);
      },
    };
  }

  #cutFirst(owner: string): void {
    const ofOwner = this.#waiting.get(owner) ?? new Set();
    const [first] = ofOwner;
    if (first === undefined || ofOwner.size <= MOST_UNREAD) return;
    // Its connection ends later.
    ofOwner.delete(first);
    first.cut();
  }
}
