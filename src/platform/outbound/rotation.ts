import type { Clock } from "../../ports/system.ts";

/** An endpoint that failed is chosen again after this time, or when all others failed later. */
const PAUSE_MS = 30_000;

/** The order in which a route's endpoints are used. Create one for an isolate. */
export class Rotation {
  readonly #clock: Clock;
  readonly #turns = new Map<string, number>();
  /** Times of failures, in ms since the epoch, by route and index. */
  readonly #failedAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the index of the endpoint to use next: each in turn, those that failed lately only when all did. */
  next(route: string, count: number): number {
    const turn = this.#turns.get(route) ?? 0;
    const order = Array.from({ length: count }, (_, offset) => (turn + offset) % count);
    const sound = order.find((index) => !this.#isPaused(route, index));
    const chosen = sound ?? this.#longestPaused(route, order);
    this.#turns.set(route, (chosen + 1) % count);
    return chosen;
  }

  failed(route: string, index: number): void {
    this.#failedAtMs.set(`${route} ${index}`, this.#clock.now());
  }

  worked(route: string, index: number): void {
    this.#failedAtMs.delete(`${route} ${index}`);
  }

  #isPaused(route: string, index: number): boolean {
    const failedAtMs = this.#failedAtMs.get(`${route} ${index}`);
    return failedAtMs !== undefined && this.#clock.now() - failedAtMs < PAUSE_MS;
  }

  #longestPaused(route: string, order: readonly number[]): number {
    const failedAtMs = (index: number): number => this.#failedAtMs.get(`${route} ${index}`) ?? 0;
    return order.toSorted((left, right) => failedAtMs(left) - failedAtMs(right))[0] ?? 0;
  }
}
