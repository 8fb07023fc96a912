import { readFileSync } from "node:fs";

/** Connections of one caller that are handed on, and of all. */
const MOST_OF_CALLER = 1_000;
const MOST_IN_ALL = 4_000;
/** A caller with fewer is not refused for those of others. */
const FEW = 20;
/** Each connection takes two files of this process, and two of the service. */
const SHARE_OF_FILES = 1 / 5;

/** A connection of a client that is handed on to the service. */
export interface OpenConnection {
  /** Reports whether nothing is under way on it, or its client has stopped reading. */
  isIdle(): boolean;
  /** Closes it at once, for another one. */
  close(): void;
}

/**
 * Bounds the connections that are handed on to the service: it dies when it may not open another file. At a limit, an idle
 * one is closed for the next.
 */
export class OpenConnections {
  /** Those of each caller, in the order in which they were added. */
  readonly #open = new Map<string, Set<OpenConnection>>();
  readonly #mostInAll: number;
  readonly #mostOfCaller: number;
  #total = 0;

  /** @param files that this process may open at a time. */
  constructor(files = openFileLimit()) {
    this.#mostInAll = Math.min(MOST_IN_ALL, Math.floor(files * SHARE_OF_FILES));
    this.#mostOfCaller = Math.min(MOST_OF_CALLER, Math.ceil(this.#mostInAll / 2));
  }

  /** @returns false, without adding it, when there are too many, none of which is idle. */
  add(owner: string, connection: OpenConnection): boolean {
    const count = this.#open.get(owner)?.size ?? 0;
    if (count >= this.#mostOfCaller && !this.#closeIdle(owner)) return false;
    if (this.#total >= this.#mostInAll) {
      const isRoom = this.#closeIdle(owner) || this.#closeIdle(this.#longest());
      if (!isRoom && count >= FEW) return false;
    }
    const own = this.#open.get(owner) ?? new Set();
    this.#open.set(owner, own.add(connection));
    this.#total++;
    return true;
  }

  /** No effect when it is not there any more. */
  remove(owner: string, connection: OpenConnection): void {
    const own = this.#open.get(owner);
    if (own?.delete(connection) !== true) return;
    this.#total--;
    if (own.size === 0) this.#open.delete(owner);
  }

  #closeIdle(owner: string): boolean {
    for (const connection of this.#open.get(owner) ?? []) {
      if (!connection.isIdle()) continue;
      this.remove(owner, connection);
      connection.close();
      return true;
    }
    return false;
  }

  #longest(): string {
    let [longest, most] = ["", 0];
    for (const [owner, { size }] of this.#open) if (size > most) [longest, most] = [owner, size];
    return longest;
  }
}

/** The soft limit, which Node raises to the hard one when it starts; unknown outside of Linux. */
function openFileLimit(): number {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}
