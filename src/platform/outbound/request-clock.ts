/** The time limit of a request. It can stand while the request waits for a connection slot. */
export class RequestClock {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #nowMs: () => number;
  #leftMs: number;
  #startedAtMs = 0;
  #pausedAtMs: number | undefined;
  #waitedMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #stop = (): void => this.#controller.abort(this.#caller?.reason);

  /**
   * The clock stands until `start` is called.
   * @param caller aborts the request as well: its caller has left
   */
  constructor(leftMs: number, { nowMs, caller }: { nowMs: () => number; caller: AbortSignal | undefined }) {
    this.#leftMs = leftMs;
    this.#nowMs = nowMs;
    this.#caller = caller;
    if (caller?.aborted === true) this.#stop();
    else caller?.addEventListener("abort", this.#stop, { once: true });
  }

  /** Aborted when the time is over, with a `TimeoutError`, or when the caller has left. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Time in which the clock stood between two starts, in ms. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  start(): void {
    this.pause();
    if (this.signal.aborted) return;
    this.#startedAtMs = this.#nowMs();
    this.#waitedMs += this.#startedAtMs - (this.#pausedAtMs ?? this.#startedAtMs);
    const expire = (): void =>
      this.#controller.abort(new DOMException("The time of the request is over", "TimeoutError"));
    this.#timer = setTimeout(expire, this.#leftMs);
  }

  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pausedAtMs = this.#nowMs();
    this.#leftMs = Math.max(0, this.#leftMs - (this.#pausedAtMs - this.#startedAtMs));
  }

  /** Ends what the request has left running, such as a load that was refused, and releases the timer and the caller's signal. */
  close(): void {
    this.pause();
    this.#caller?.removeEventListener("abort", this.#stop);
    this.#controller.abort(new DOMException("The request has ended", "AbortError"));
  }
}
