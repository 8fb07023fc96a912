import { nextByFairness, noteServed, type Owner } from "../core/fair-order.ts";
import { assertPresent, waitForGrant, type WaitLimit } from "../core/waits/wait-for-grant.ts";
import type { LoadedPage } from "../core/scrape/page.ts";
import type { Engine } from "./engine.ts";
import type { HeldBytes } from "../core/waits/held-bytes.ts";

/** A waiting request checks this often whether the queue has stopped, since a cancelled request runs no `finally`. */
const RECHECK_MS = 250;

interface Waiter {
  owner: Owner | undefined;
  start(): void;
}

/**
 * Decides which loaded page of an isolate is converted next. Conversions use the processor and run one at a time; without
 * an order of its own, the first request of a team would wait for all conversions that other teams have asked for before.
 * Teams take turns, and within a team its keys (`core/fair-order.ts`).
 */
export class FairConversions {
  #waiting: Waiter[] = [];
  #served: Owner[] = [];
  #running: { owner: Owner | undefined; sinceMs: number } | undefined;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number = Date.now) {
    this.#nowMs = nowMs;
  }

  /** True while loaded pages wait for their conversion. */
  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Resolves when the owner's next page may be converted. The next one follows when the conversion yields.
   * @throws AppError `SCRAPE_TIMEOUT` when the limit ends the wait
   */
  async admit(owner: Owner | undefined, limit?: WaitLimit): Promise<void> {
    assertPresent(limit);
    if (this.#running !== undefined && !(this.#hasStopped() && !this.isBusy)) await this.#wait(owner, limit);
    this.#run(owner);
    // Runs after the conversion, which does not yield before it ends.
    setTimeout(() => this.#next(), 0);
  }

  #wait(owner: Owner | undefined, limit: WaitLimit | undefined): Promise<void> {
    const waiter: Waiter = { owner, start: () => undefined };
    return waitForGrant({
      everyMs: RECHECK_MS,
      limit,
      enqueue: (grant: () => void) => {
        waiter.start = grant;
        this.#waiting.push(waiter);
      },
      withdraw: () => (this.#waiting = this.#waiting.filter((each) => each !== waiter)),
      recheck: () => {
        if (this.#hasStopped()) this.#next();
      },
    });
  }

  /** The request that ran last has ended without handing on. */
  #hasStopped(): boolean {
    return this.#nowMs() - (this.#running?.sinceMs ?? 0) >= RECHECK_MS;
  }

  #run(owner: Owner | undefined): void {
    this.#running = { owner, sinceMs: this.#nowMs() };
  }

  /** Starts the next conversion, or notes that none is running. */
  #next(): void {
    const place = nextByFairness(this.#waiting, { holding: [], served: this.#served });
    const [waiter] = place < 0 ? [] : this.#waiting.splice(place, 1);
    if (waiter === undefined) {
      this.#running = undefined;
      return;
    }
    this.#run(waiter.owner);
    this.#served = noteServed(this.#served, waiter.owner, [...this.#waiting, waiter]);
    waiter.start();
  }
}

/** The engine, with the pages that it loads handed over in the order of `conversions`. Those that wait count in `waiting`. */
export function withFairConversions(engine: Engine, conversions: FairConversions, waiting: HeldBytes): Engine {
  return {
    ...engine,
    async load({ waitLimit, ...request }) {
      const { owner } = request;
      const outcome = await engine.load({ ...request, hasRoom: owner && (() => waiting.hasRoom(owner)) });
      if (outcome.kind !== "loaded") return outcome;
      const release = owner && waiting.hold(owner, sizeOf(outcome.page), waitLimit?.left);
      try {
        await conversions.admit(owner, waitLimit);
      } finally {
        release?.();
      }
      return outcome;
    },
  };
}

/** Returns the characters or bytes of the page and of the files and texts that its actions made. */
export function sizeOf({ body, screenshot, actions }: LoadedPage): number {
  const { screenshots = [], pdfs = [], scrapes = [] } = actions ?? {};
  const files = [...screenshots, ...pdfs, ...(screenshot === undefined ? [] : [screenshot])];
  const bytes = files.reduce((sum, file) => sum + file.bytes.byteLength, body.length);
  return scrapes.reduce((sum, { html }) => sum + html.length, bytes);
}
