import { readFileSync } from "node:fs";

/** Connections of one caller that are handed on, and of all. */
const MOST_OF_CALLER = 1_000;
const MOST_IN_ALL = 4_000;
/** A caller with fewer is not refused for those of others. */
const FEW = 20;
/** Each connection takes two files of this process, and two of the service. */
const SHARE_OF_FILES = 1 / 5;

/** Counts the connections that are handed on to the service: it dies when it may not open another file. */
export class OpenConnections {
  readonly #counts = new Map<string, number>();
  readonly #mostInAll: number;
  readonly #mostOfCaller: number;
  #total = 0;

  /** @param files that this process may open at a time. */
  constructor(files = openFileLimit()) {
    this.#mostInAll = Math.min(MOST_IN_ALL, Math.floor(files * SHARE_OF_FILES));
    this.#mostOfCaller = Math.min(MOST_OF_CALLER, Math.ceil(this.#mostInAll / 2));
  }

  /** @returns false, without counting, when there are too many. */
  add(owner: string): boolean {
    const count = this.#counts.get(owner) ?? 0;
    if (count >= this.#mostOfCaller || (this.#total >= this.#mostInAll && count >= FEW)) return false;
    this.#counts.set(owner, count + 1);
    this.#total++;
    return true;
  }

  remove(owner: string): void {
    const count = this.#counts.get(owner) ?? 0;
    if (count === 0) return;
    this.#total--;
    if (count === 1) this.#counts.delete(owner);
    else this.#counts.set(owner, count - 1);
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
