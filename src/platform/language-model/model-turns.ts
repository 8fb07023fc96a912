import { AppError, isAppError } from "../../core/errors.ts";
import type { Owner } from "../../core/fair-order.ts";
import { FairAdmission } from "../../core/waits/fair-admission.ts";

/** A model may write for as long; a call that has not ended by then was cancelled without a word. */
const PLACE_LIFE_MS = 600_000;
/** Longest pause of all calls that one answer of the server causes. */
const MAX_PAUSE_MS = 20_000;

interface Waiting {
  owner: Owner;
  /** End of the wait, in ms since the epoch. */
  deadlineMs: number;
  signal: AbortSignal | undefined;
  /** Waits until a time in ms since the epoch, or until the signal is aborted. */
  waitUntil(timeMs: number): Promise<void>;
}

/** The calls that an isolate has open at a model's server. Teams take turns, and all pause when the server asks for it. */
export class ModelTurns {
  readonly #admission: FairAdmission;
  readonly #nowMs: () => number;
  #pausedUntilMs = 0;

  /** @param places calls at a time; the first ones of as many other teams are begun beside those of one */
  constructor(places: number, nowMs: () => number = Date.now) {
    this.#admission = new FairAdmission({ places, placeLifeMs: PLACE_LIFE_MS, isProcessorBusy: () => true });
    this.#nowMs = nowMs;
  }

  /**
   * Makes a call in its turn.
   * @throws AppError MODEL_TIMEOUT when the deadline ends the wait, MODEL_UNAVAILABLE when a pause is longer; the reason of the signal;
   * what the call throws
   */
  async run<Answer>(waiting: Waiting, call: () => Promise<Answer>): Promise<Answer> {
    const { owner, deadlineMs, signal, waitUntil } = waiting;
    for (;;) {
      const pauseEndMs = this.#pausedUntilMs;
      if (pauseEndMs > this.#nowMs()) {
        if (pauseEndMs >= deadlineMs) throw pausedError();
        await waitUntil(pauseEndMs);
      }
      signal?.throwIfAborted();
      const begin = async () => (this.#isPausedAfter(pauseEndMs) ? undefined : { answer: await call() });
      const made = await this.#admission.run(owner, begin, { deadlineMs, left: signal }).catch((error: unknown) => {
        signal?.throwIfAborted();
        throw isAppError(error) && error.code === "SCRAPE_TIMEOUT" ? new AppError("MODEL_TIMEOUT") : error;
      });
      if (made !== undefined) return made.answer;
    }
  }

  /** Reports whether a pause goes on that ends later than one which has been waited for. */
  #isPausedAfter(pauseEndMs: number): boolean {
    return this.#pausedUntilMs > Math.max(pauseEndMs, this.#nowMs());
  }

  /** Has all further calls wait: the server has too many. */
  pause(waitMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#nowMs() + Math.min(waitMs, MAX_PAUSE_MS));
  }
}

function pausedError(): AppError {
  const text = "The language model did not answer: it has asked for a pause with status 429";
  return new AppError("MODEL_UNAVAILABLE", text, { details: { statusCode: 429 } });
}
