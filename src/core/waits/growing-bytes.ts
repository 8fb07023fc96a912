import { AppError } from "../errors.ts";
import type { Owner } from "../fair-order.ts";
import type { HeldBytes } from "./held-bytes.ts";
import { assertPresent } from "./wait-for-grant.ts";

/** Bytes of each work that are not counted. */
const FREE_BYTES = 64_000;
/** Bytes that are counted at a time, at least. */
const STEP_BYTES = 250_000;
/** Interval in ms at which work that waits looks again whether there is room. */
const LOOK_MS = 100;
/** Work that was not heard of for this long is no longer the earliest: its request was cancelled, or its site is silent. */
const LOST_MS = 30_000;
const NO_ROOM = "Other work of this team held the memory until the deadline";

interface Part {
  bytes: number;
  release(): void;
}

/** The work that holds more than what is free, in the order in which it did, by the memory that counts it. */
const orders = new WeakMap<HeldBytes, Set<GrowingBytes>>();

/**
 * Counts the memory of work whose size is not known before, such as a map of a site. Such work holds memory while it waits for more, so
 * each would wait for the others: therefore the earliest of a team, and the earliest of all teams, grows beyond the limits.
 */
export class GrowingBytes {
  readonly #memory: HeldBytes;
  readonly #owner: Owner;
  readonly #left: AbortSignal | undefined;
  readonly #nowMs: () => number;
  readonly #order: Set<GrowingBytes>;
  #parts: Part[] = [];
  /** Bytes that the work has. */
  #bytes = 0;
  /** Bytes that are counted. */
  #held = 0;
  #heardAtMs = 0;
  #isWatching = false;
  /** The count has ended: what the work still reads, after a deadline that it could not hear of, is not counted. */
  #isReleased = false;

  /** @param left aborted when the client of the work has left */
  constructor(memory: HeldBytes, owner: Owner, left?: AbortSignal, nowMs: () => number = () => Date.now()) {
    this.#memory = memory;
    this.#owner = owner;
    this.#left = left;
    this.#nowMs = nowMs;
    this.#order = orders.get(memory) ?? new Set();
    orders.set(memory, this.#order);
  }

  /** True when the work has more than there is room for: it is to wait before it reads more. */
  get isOver(): boolean {
    return !this.#cover();
  }

  /** Counts bytes that are in memory, or that no longer are when the number is negative. */
  add(bytes: number): void {
    if (this.#isReleased) return;
    this.#bytes += bytes;
    if (bytes > 0) this.#cover();
    else this.#shrink();
  }

  /** Counts bytes that are about to be read, if there is room for them now. */
  tryAdd(bytes: number): boolean {
    if (this.#isReleased) return false;
    this.#bytes += bytes;
    if (this.#cover()) return true;
    this.#bytes -= bytes;
    return false;
  }

  /**
   * Waits until there is room for what was added.
   * @param deadlineMs ms since the epoch
   * @throws AppError `SCRAPE_TIMEOUT` when the deadline or the client ends the wait
   */
  async wait(deadlineMs: number): Promise<void> {
    while (this.isOver) {
      assertPresent({ left: this.#left });
      if (this.#nowMs() >= deadlineMs) throw new AppError("SCRAPE_TIMEOUT", NO_ROOM);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** Ends the count. May be called twice. */
  release(): void {
    this.#isReleased = true;
    this.#order.delete(this);
    this.#bytes = 0;
    this.#shrink();
  }

  #cover(): boolean {
    this.#heardAtMs = this.#nowMs();
    const missing = this.#bytes - FREE_BYTES - this.#held;
    if (missing <= 0) return true;
    this.#enter();
    const bytes = Math.max(missing, STEP_BYTES);
    const release = this.#memory.tryMore(this.#owner, bytes, this.#left) ?? this.#takeAsEarliest(bytes);
    if (release === undefined) return false;
    this.#parts.push({ bytes, release });
    this.#held += bytes;
    return true;
  }

  #enter(): void {
    if (this.#left?.aborted !== true) this.#order.add(this);
    if (this.#isWatching) return;
    this.#isWatching = true;
    // By this request: the signals of other requests may not be used.
    this.#left?.addEventListener("abort", () => this.#order.delete(this), { once: true });
  }

  #takeAsEarliest(bytes: number): (() => void) | undefined {
    const sinceMs = this.#nowMs() - LOST_MS;
    for (const each of this.#order) if (each.#heardAtMs < sinceMs) this.#order.delete(each);
    const [earliest] = this.#order;
    const ofTeam = [...this.#order].find((each) => each.#owner.teamId === this.#owner.teamId);
    const mayGrow = earliest === this || (ofTeam === this && this.#memory.mayBegin());
    return mayGrow ? this.#memory.hold(this.#owner, bytes, this.#left) : undefined;
  }

  /** Releases the last parts that are not needed. */
  #shrink(): void {
    for (let last = this.#parts.at(-1); last !== undefined; last = this.#parts.at(-1)) {
      if (this.#bytes > 0 && this.#held - last.bytes + FREE_BYTES < this.#bytes) return;
      this.#parts.pop();
      this.#held -= last.bytes;
      last.release();
    }
  }
}
