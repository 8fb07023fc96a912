import type { Clock } from "../../ports/system.ts";
import type { Telemetry } from "../../ports/telemetry.ts";

/** Durations of the steps of one request, in ms; sent in the `Server-Timing` header, and counted in the metrics. */
export class Timeline {
  readonly steps = new Map<string, number>();
  readonly #clock: Clock;
  readonly #telemetry: Telemetry;

  constructor({ clock, telemetry }: { clock: Clock; telemetry: Telemetry }) {
    this.#clock = clock;
    this.#telemetry = telemetry;
  }

  add(step: string, ms: number): void {
    this.steps.set(step, (this.steps.get(step) ?? 0) + ms);
    this.#telemetry.observe("stage_seconds", { stage: step }, ms);
  }

  async measure<Value>(step: string, work: () => Promise<Value>): Promise<Value> {
    const startedAtMs = this.#clock.now();
    try {
      return await this.#telemetry.span(step, work);
    } finally {
      this.add(step, this.#clock.now() - startedAtMs);
    }
  }
}
