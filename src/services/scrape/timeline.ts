import type { Clock } from "../../ports/system.ts";

/** Durations of the steps of one request, in ms; sent in the `Server-Timing` header. */
export class Timeline {
  readonly steps = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(step: string, ms: number): void {
    this.steps.set(step, (this.steps.get(step) ?? 0) + ms);
  }

  async measure<Value>(step: string, work: () => Promise<Value>): Promise<Value> {
    const startedAtMs = this.#clock.now();
    try {
      return await work();
    } finally {
      this.add(step, this.#clock.now() - startedAtMs);
    }
  }
}
