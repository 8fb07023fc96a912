/** Frames a second of a group. The service takes some 10 µs for each, also for an empty one. */
const OF_GROUP_PER_SECOND = 4_000;
/** Groups that are remembered, before those that are free are forgotten. */
const MOST_GROUPS = 1_000;
/** Frames a second in all, a fifth of the service's time, and the time whose frames may come at once. */
const IN_ALL_PER_SECOND = 20_000;
const AT_ONCE_MS = 500;

/** A connection that sends frames. */
export interface FrameSender {
  readonly owner: string;
}

interface Turn {
  frames: number;
  /** Frames of its owner before these, since others began to wait. */
  after: number;
  go: () => void;
}

/** Bounds the frames that WebSocket clients send in a second: those of a group, and all, for which owners take turns. */
export class FrameTurns {
  /** When the next frames of a group may come, on the clock of `performance`. */
  readonly #groupsAtMs = new Map<string, number>();
  /** By owner, the one that waits longest first. */
  readonly #waiting = new Map<string, Map<FrameSender, Turn>>();
  /** Frames of each owner that has waited, counted from those of the others. */
  readonly #used = new Map<string, number>();
  #usedLast = 0;
  /** When all frames so far would have come, at the rate. */
  #freeAtMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @returns the ms to wait before a group's next frames, which come in one piece, are handed on */
  waitOf(group: string, frames: number): number {
    const nowMs = performance.now();
    const atMs = Math.max(nowMs, this.#groupsAtMs.get(group) ?? 0);
    this.#groupsAtMs.set(group, atMs + (frames / OF_GROUP_PER_SECOND) * 1_000);
    if (this.#groupsAtMs.size > MOST_GROUPS) {
      for (const [name, freeAtMs] of this.#groupsAtMs) if (freeAtMs <= nowMs) this.#groupsAtMs.delete(name);
    }
    return atMs - nowMs;
  }

  /** @returns true when the frames may be handed on at once; otherwise they are to `enter` */
  take(frames: number): boolean {
    if (this.#waiting.size > 0 || this.#leftMs() > 0) return false;
    this.#count(frames);
    return true;
  }

  /** Calls `go` when it is the turn of a sender's frames. The owner with the fewest frames comes first. */
  enter(sender: FrameSender, frames: number, go: () => void): void {
    const { owner } = sender;
    const after = Math.max(this.#usedLast, this.#used.get(owner) ?? 0);
    this.#used.set(owner, after + frames);
    const ofOwner = this.#waiting.get(owner) ?? new Map<FrameSender, Turn>();
    this.#waiting.set(owner, ofOwner.set(sender, { frames, after, go }));
    this.#timer ??= setTimeout(() => this.#next(), this.#leftMs());
  }

  /** Forgets a sender, whose connection may have ended. */
  leave(sender: FrameSender): void {
    const ofOwner = this.#waiting.get(sender.owner);
    ofOwner?.delete(sender);
    if (ofOwner?.size === 0) this.#waiting.delete(sender.owner);
    if (this.#waiting.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#used.clear();
    this.#usedLast = 0;
  }

  #next(): void {
    this.#timer = undefined;
    for (let first = this.#first(); first !== undefined && this.#leftMs() <= 0; first = this.#first()) {
      const [sender, { frames, after, go }] = first;
      this.#count(frames);
      this.#usedLast = after;
      this.leave(sender);
      go();
    }
    if (this.#waiting.size > 0) this.#timer ??= setTimeout(() => this.#next(), this.#leftMs());
  }

  #first(): [FrameSender, Turn] | undefined {
    let first: [FrameSender, Turn] | undefined;
    for (const [entry] of this.#waiting.values()) {
      if (entry !== undefined && (first === undefined || entry[1].after < first[1].after)) first = entry;
    }
    return first;
  }

  #leftMs(): number {
    return this.#freeAtMs - AT_ONCE_MS - performance.now();
  }

  #count(frames: number): void {
    this.#freeAtMs = Math.max(performance.now(), this.#freeAtMs) + (frames / IN_ALL_PER_SECOND) * 1_000;
  }
}
