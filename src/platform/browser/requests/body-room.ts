import { MemoryBudget, type MemoryReservation } from "../../outbound/memory-budget.ts";
import type { CdpConnection } from "../cdp-connection.ts";

/** Larger bodies of all browsers of an isolate that are under way at a time. One that is silent for two seconds is left out of the count. */
const all = new MemoryBudget(48_000_000);
/** Those of one connection, which is one page of a scrape or all pages of a session, however long they are silent. */
const MAX_OF_CONNECTION = 24_000_000;
/** Bodies of a connection that wait for it; further ones fail. */
const MAX_WAITING = 50;
/** A body that has waited longer fails: others take the room and do not end. */
const WAIT_LIMIT_MS = 30_000;
/** Bytes of bodies that a connection reads in a second, after those that it reads at once. A body counts as some by itself. */
const BYTES_PER_SECOND = 8_000_000;
const BYTES_AT_ONCE = 64_000_000;
const BYTES_OF_A_BODY = 64_000;
/** Bodies of a connection that are held at a time: the first 500 kB of each take no room of the budgets. */
const MAX_HELD = 48;

/** The room of one body, from its first byte until it is handed on. */
export interface BodyPlace {
  /**
   * Resolves when the body may have that many more bytes.
   * @throws Error when too many bodies wait, or for too long
   */
  take(bytes: number): Promise<void>;
  /** Counts bytes that were read. */
  count(bytes: number): void;
  /** Releases all bytes. May be called twice. */
  leave(): void;
}

const rooms = new WeakMap<object, BodyRoom>();

/** Returns the room for bodies that come over a connection. */
export function bodyRoomOf(connection: Pick<CdpConnection, "send" | "closed">): BodyRoom {
  const known = rooms.get(connection);
  if (known !== undefined) return known;
  const room = new BodyRoom();
  rooms.set(connection, room);
  void connection.closed.then(() => room.close());
  return room;
}

/**
 * Limits what the bodies of one connection take: the site of a page decides how many there are, and how long. The earliest one
 * is never kept waiting, so that one after the other is read.
 */
export class BodyRoom {
  readonly #held = new MemoryBudget(MAX_OF_CONNECTION, Date.now, { silenceMs: Infinity, lostMs: Infinity });
  readonly #waits = new Set<AbortController>();
  #places = MAX_HELD;
  /** Those that wait for a place, in the order of their arrival. */
  readonly #arrivals = new Set<Pick<PromiseWithResolvers<void>, "resolve" | "reject">>();
  /** Time at which the bytes that were read are within `BYTES_PER_SECOND`. */
  #evenAtMs = 0;

  /**
   * Resolves when a further body may be read.
   * @throws Error when that takes too long
   */
  async enter(): Promise<BodyPlace> {
    const delayMs = this.#evenAtMs - Date.now() - (BYTES_AT_ONCE / BYTES_PER_SECOND) * 1_000;
    if (delayMs > WAIT_LIMIT_MS) throw new Error("The page loads too many documents");
    this.#count(BYTES_OF_A_BODY);
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    await this.#arrive();
    let isHeld = true;
    const reservations = [this.#held.enter(), all.enter()] as const;
    return {
      take: (bytes) => this.#take(reservations, bytes),
      count: (bytes) => this.#count(bytes),
      leave: () => {
        reservations.forEach((reservation) => reservation.leave());
        if (isHeld) this.#depart();
        isHeld = false;
      },
    };
  }

  async #arrive(): Promise<void> {
    if (this.#places > 0) {
      this.#places--;
      return;
    }
    const arrival = Promise.withResolvers<void>();
    const late = (): void => arrival.reject(new Error("The documents of the page take too long"));
    const timer = setTimeout(late, WAIT_LIMIT_MS);
    this.#arrivals.add(arrival);
    try {
      await arrival.promise;
    } finally {
      clearTimeout(timer);
      this.#arrivals.delete(arrival);
    }
  }

  /** The place goes to the earliest that waits. */
  #depart(): void {
    const [next] = this.#arrivals;
    if (next === undefined) this.#places++;
    else {
      this.#arrivals.delete(next);
      next.resolve();
    }
  }

  /** Ends all waits: the connection is gone. */
  close(): void {
    const ended = new Error("The connection to the browser ended");
    for (const wait of this.#waits) wait.abort(ended);
    for (const arrival of this.#arrivals) arrival.reject(ended);
  }

  #count(bytes: number): void {
    this.#evenAtMs = Math.max(this.#evenAtMs, Date.now()) + (bytes / BYTES_PER_SECOND) * 1_000;
  }

  async #take([held, shared]: readonly [MemoryReservation, MemoryReservation], bytes: number): Promise<void> {
    if (this.#waits.size >= MAX_WAITING) throw new Error("Too many documents of the page wait");
    const wait = new AbortController();
    this.#waits.add(wait);
    const late = (): void => wait.abort(new Error("The documents of the page take too long"));
    const timer = setTimeout(late, WAIT_LIMIT_MS);
    try {
      await held.take(bytes, wait.signal);
      clearTimeout(timer);
      await shared.take(bytes, wait.signal);
    } finally {
      clearTimeout(timer);
      this.#waits.delete(wait);
    }
  }
}
