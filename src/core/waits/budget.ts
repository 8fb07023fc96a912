/** A pause that counts in full. */
const PAUSE_MS = 2_000;

interface BudgetOptions {
  most: number;
  perSecond: number;
  /** The most time between two calls that fills it, unless it is a pause. */
  mostMs?: number;
}

/** The rest of a budget that fills with time. */
export class Budget {
  readonly #most: number;
  readonly #perSecond: number;
  readonly #mostMs: number;
  #left: number;
  #filledAtMs = 0;

  constructor({ most, perSecond, mostMs = Infinity }: BudgetOptions) {
    this.#most = most;
    this.#perSecond = perSecond;
    this.#mostMs = mostMs;
    this.#left = most;
  }

  /** Takes an amount. @returns false when the budget is used up */
  take(amount: number, nowMs: number): boolean {
    // A clock may be set back.
    const passedMs = Math.max(0, nowMs - this.#filledAtMs);
    const filledMs = passedMs >= PAUSE_MS ? passedMs : Math.min(passedMs, this.#mostMs);
    this.#filledAtMs = nowMs;
    this.#left = Math.min(this.#most, this.#left + (filledMs / 1_000) * this.#perSecond) - amount;
    return this.#left >= 0;
  }

  /** Reports whether less than a part of the whole is used up. */
  hasUsedLessThan(part: number): boolean {
    return this.#left > this.#most * (1 - part);
  }

  /** Returns an amount that was taken. */
  giveBack(amount: number): void {
    this.#left = Math.min(this.#most, this.#left + amount);
  }
}
