import { nextTurn } from "../core/in-turns.ts";

/** Runs the work of each owner one after another, and lets other requests run between. */
export class OneAtATime {
  /** The end of the last work of each owner that has some. */
  readonly #last = new Map<string, Promise<void>>();

  /** @returns the result of the work, or its error */
  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(owner) ?? Promise.resolve();
    const result = before.then(work);
    const end = result.then(nextTurn, nextTurn);
    this.#last.set(owner, end);
    try {
      return await result;
    } finally {
      void end.then(() => {
        if (this.#last.get(owner) === end) this.#last.delete(owner);
      });
    }
  }
}
