import { nextByFairness, noteServed, type Owner } from "../fair-order.ts";
import { assertPresent, waitForGrant, type WaitLimit } from "./wait-for-grant.ts";

/** Bytes of loaded pages that may wait for their conversion, of one team and in all. A Worker has 128 MB. */
const OF_A_TEAM = 24_000_000;
const IN_ALL = 64_000_000;
/** Bytes that were not released by then never will be: their request was cancelled without a signal, and runs no `finally`. */
const LIFE_MS = 300_000;
/** Each waiter shows this often that its request still exists, and looks whether there is room. */
const TICK_MS = 1_000;
/** All waiters together look for room no more often than this: thousands may wait. What is released is handed on at once. */
const LOOK_MS = 100;
/** A first waiter for more than its team's limit is passed after this, so often, by takes of its team that fit at once. */
const PASS_AFTER_MS = 1_000;
const MOST_PASSES = 100;
/** A waiter that was not seen for this long belongs to a cancelled request. */
const LOST_MS = 30_000;

interface Held {
  owner: Owner;
  bytes: number;
  sinceMs: number;
}

interface Waiter {
  owner: Owner;
  bytes: number;
  sinceMs: number;
  seenAtMs: number;
  /** Times that others of its team were counted before it. */
  passed: number;
  start(): void;
}

interface Limits {
  /** Bytes of one team. Default: 24 MB. */
  ofTeam?: number;
  /** Bytes of all teams. Default: 64 MB. */
  inAll?: number;
  /** Ms after which what was not released is forgotten. Default: 300,000. */
  lifeMs?: number;
  /** True when a team that holds something may hold no more than is free for all others. Default: false. */
  leavesRest?: boolean;
  nowMs?: () => number;
}

/**
 * Bytes of memory that the requests and jobs of an isolate hold, by team. Open connections are counted in the same way, as one
 * each. Beyond a limit nothing begins that would hold more. A team that holds nothing may begin in any case, until all teams
 * together hold twice their limit.
 */
export class HeldBytes {
  readonly #held = new Set<Held>();
  readonly #teams = new Map<string, number>();
  #total = 0;
  #lookedAtMs = -Infinity;
  #waiting: Waiter[] = [];
  #served: Owner[] = [];
  readonly #ofTeam: number;
  readonly #inAll: number;
  readonly #lifeMs: number;
  readonly #leavesRest: boolean;
  readonly #nowMs: () => number;

  constructor(limits: Limits = {}) {
    const { ofTeam = OF_A_TEAM, inAll = IN_ALL, lifeMs = LIFE_MS, leavesRest = false, nowMs = Date.now } = limits;
    this.#leavesRest = leavesRest;
    this.#ofTeam = ofTeam;
    this.#inAll = inAll;
    this.#lifeMs = lifeMs;
    this.#nowMs = nowMs;
  }

  /**
   * Counts bytes that are in memory already, until their client leaves at the latest: a cancelled request runs no `finally`.
   * @returns a function that ends this, which may be called twice
   */
  hold(owner: Owner, bytes: number, left?: AbortSignal): () => void {
    if (left?.aborted === true) return () => undefined;
    return untilLeft(this.#begin(owner, bytes), left);
  }

  #begin(owner: Owner, bytes: number): () => void {
    const held = { owner, bytes, sinceMs: this.#nowMs() };
    this.#held.add(held);
    this.#add(owner.teamId, bytes);
    return () => {
      if (!this.#held.has(held)) return;
      this.#release(held);
      this.#startNext();
    };
  }

  /** Reports whether a team may begin what holds memory: it holds nothing, or less than the limits. */
  hasRoom({ teamId }: Owner): boolean {
    this.#forgetLost();
    const own = this.#teams.get(teamId) ?? 0;
    return own === 0 || (own < this.#ofTeam && this.#total < this.#inAll);
  }

  /** Reports whether a team that holds nothing may begin: however many teams come together, the sum stays bounded. */
  mayBegin(): boolean {
    this.#forgetLost();
    return this.#total < 2 * this.#inAll;
  }

  /** Returns the bytes that a team holds. */
  bytesOf(teamId: string): number {
    this.#forgetLost();
    return this.#teams.get(teamId) ?? 0;
  }

  /** Returns the bytes that a team may still hold before it reaches a limit. */
  roomFor({ teamId }: Pick<Owner, "teamId">): number {
    return Math.max(0, Math.min(this.#ofTeam - this.bytesOf(teamId), this.#inAll - this.#total));
  }

  /** Counts bytes that are about to be read, if there is room for them now. @returns as `hold` does, or undefined */
  tryTake(owner: Owner, bytes: number, left?: AbortSignal): (() => void) | undefined {
    this.#forgetLost();
    if (!this.#fits(owner, bytes)) return undefined;
    const first = this.#waiting.find((waiter) => waiter.owner.teamId === owner.teamId);
    if (first !== undefined) {
      if (!this.#mayPass(first)) return undefined;
      first.passed++;
    }
    return this.hold(owner, bytes, left);
  }

  /**
   * Counts more bytes of work that has begun, if there is room for them now. It goes before work that waits for it to end.
   * @param beyond bytes by which it may exceed the limits
   */
  tryMore(owner: Owner, bytes: number, left?: AbortSignal, beyond = 0): (() => void) | undefined {
    this.#forgetLost();
    return this.#fits(owner, bytes - beyond) ? this.hold(owner, bytes, left) : undefined;
  }

  /**
   * Waits until there is room for bytes that are about to be read, and counts them. Teams take turns, and what a team waits for
   * comes in order.
   * @returns as `hold` does
   * @throws AppError `SCRAPE_TIMEOUT` when the limit ends the wait
   */
  async take(owner: Owner, bytes: number, limit?: WaitLimit): Promise<() => void> {
    assertPresent(limit);
    const now = this.tryTake(owner, bytes, limit?.left);
    if (now !== undefined) return now;
    const sinceMs = this.#nowMs();
    const waiter: Waiter = { owner, bytes, sinceMs, seenAtMs: sinceMs, passed: 0, start: () => undefined };
    const start = (grant: (release: () => void) => void): void => {
      this.#served = noteServed(this.#served, owner, [...this.#waiting, ...this.#held]);
      grant(this.#begin(owner, bytes));
    };
    const release = await waitForGrant<() => void>({
      everyMs: TICK_MS,
      limit,
      withdraw: () => this.#withdraw(waiter),
      enqueue: (grant) => {
        waiter.start = () => start(grant);
        this.#waiting.push(waiter);
        this.#startNext();
      },
      recheck: () => {
        waiter.seenAtMs = this.#nowMs();
        if (!this.#waiting.includes(waiter)) this.#waiting.push(waiter);
        if (this.#nowMs() - this.#lookedAtMs >= LOOK_MS) this.#startNext();
      },
    });
    // By this request: those of other requests may not be listened to.
    return untilLeft(release, limit?.left);
  }

  /** Reports whether a waiter holds up its team: it fits only when the team holds nothing, and others end meanwhile. */
  #mayPass({ owner, bytes, sinceMs, passed }: Waiter): boolean {
    const fitsAlone = bytes > Math.min(this.#ofTeam, this.#inAll) && this.bytesOf(owner.teamId) > 0;
    return fitsAlone && this.#nowMs() - sinceMs >= PASS_AFTER_MS && passed < MOST_PASSES;
  }

  #withdraw(waiter: Waiter): void {
    this.#waiting = this.#waiting.filter((each) => each !== waiter);
    this.#startNext();
  }

  #startNext(): void {
    this.#lookedAtMs = this.#nowMs();
    this.#forgetLost();
    for (;;) {
      const next = this.#next();
      if (next === undefined) return;
      this.#waiting = this.#waiting.filter((each) => each !== next);
      next.start();
    }
  }

  /** Returns the waiter to begin: of each team the first one, where there is room for it. */
  #next(): Waiter | undefined {
    const lostMs = this.#nowMs() - LOST_MS;
    this.#waiting = this.#waiting.filter(({ seenAtMs }) => seenAtMs >= lostMs);
    const teams = new Set<string>();
    const first = this.#waiting.filter(({ owner: { teamId } }) => !teams.has(teamId) && teams.add(teamId));
    const fitting = first.filter(({ owner, bytes }) => this.#fits(owner, bytes));
    if (fitting.length === 0) return undefined;
    return fitting[nextByFairness(fitting, { holding: [...this.#held], served: this.#served })];
  }

  #fits({ teamId }: Owner, bytes: number): boolean {
    const own = this.#teams.get(teamId) ?? 0;
    if (own === 0) return this.mayBegin();
    if (this.#leavesRest && own + bytes > this.#inAll - this.#total) return false;
    return own + bytes <= this.#ofTeam && this.#total + bytes <= this.#inAll;
  }

  #forgetLost(): void {
    const sinceMs = this.#nowMs() - this.#lifeMs;
    // In order of their beginning.
    for (const held of this.#held) {
      if (held.sinceMs > sinceMs) return;
      this.#release(held);
    }
  }

  #release(held: Held): void {
    if (this.#held.delete(held)) this.#add(held.owner.teamId, -held.bytes);
  }

  #add(teamId: string, bytes: number): void {
    this.#total += bytes;
    const own = (this.#teams.get(teamId) ?? 0) + bytes;
    if (own === 0) this.#teams.delete(teamId);
    else this.#teams.set(teamId, own);
  }
}

/** Returns the function, which is also called when the client leaves. */
function untilLeft(release: () => void, left: AbortSignal | undefined): () => void {
  if (left === undefined) return release;
  const end = (): void => {
    left.removeEventListener("abort", end);
    release();
  };
  left.addEventListener("abort", end, { once: true });
  if (left.aborted) end();
  return end;
}
