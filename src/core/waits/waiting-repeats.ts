import { AppError } from "../errors.ts";

/** Names that are kept before those are forgotten whose repeats have gone. */
const MOST_NAMES = 1_000;

/** A repeat of a request. */
export interface Repeat {
  /** The same for all repeats of the request. */
  name: string;
}

/**
 * The repeats of requests that wait in this isolate. Each shows at every look that it still exists: a request that was
 * cancelled runs no `finally`.
 */
export class WaitingRepeats {
  readonly #most: number;
  readonly #lifeMs: number;
  /** Time of the last look of each repeat, by the name of its request. */
  readonly #names = new Map<string, Map<Repeat, number>>();

  /** @param limits.lifeMs time after which a repeat that does not look has gone */
  constructor({ most, lifeMs }: { most: number; lifeMs: number }) {
    this.#most = most;
    this.#lifeMs = lifeMs;
  }

  /**
   * Notes a look of a repeat.
   * @throws AppError RATE_LIMITED when it is new and too many others wait.
   */
  note(repeat: Repeat, nowMs: number): void {
    const { name } = repeat;
    if (this.#names.size >= MOST_NAMES) for (const known of this.#names.keys()) this.#present(known, nowMs);
    const present = this.#present(name, nowMs);
    if (!present.has(repeat) && present.size >= this.#most) {
      const message = "Too many repeats of this request wait for its answer";
      throw new AppError("RATE_LIMITED", message, { retryAfterSeconds: Math.ceil(this.#lifeMs / 1000) });
    }
    this.#names.set(name, present.set(repeat, nowMs));
  }

  /** Forgets a repeat that has its answer. */
  leave(repeat: Repeat): void {
    const present = this.#names.get(repeat.name);
    if (present?.delete(repeat) === true && present.size === 0) this.#names.delete(repeat.name);
  }

  /** Returns the repeats that still wait, and forgets the others. */
  #present(name: string, nowMs: number): Map<Repeat, number> {
    const present = this.#names.get(name) ?? new Map<Repeat, number>();
    for (const [repeat, seenMs] of present) if (nowMs - seenMs > this.#lifeMs) present.delete(repeat);
    if (present.size === 0) this.#names.delete(name);
    return present;
  }
}
