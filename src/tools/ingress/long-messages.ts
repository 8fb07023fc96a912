/** Long messages that clients may be sending at once: the service keeps each in memory until its end. */
const AT_ONCE = 8;
/** Bytes a second. The service decodes 30 MB in 0.2 to 1.5 s, during which it does nothing else. */
const BYTES_PER_SECOND = 8_000_000;
/** A client that takes longer for a message is cut off; sooner when others wait. */
const SENDING_MS = 60_000;
const SENDING_BESIDE_OTHERS_MS = 8_000;

/** A connection that sends a long message. */
export interface Sender {
  /** Those of one group, such as the clients of a session, send one after another. */
  readonly group: string;
  cut(): void;
}

interface Options {
  atOnce?: number;
  bytesPerSecond?: number;
  sendingMs?: number;
  sendingBesideOthersMs?: number;
}

/** Lets long messages of WebSocket clients begin and end in turns: groups of senders take turns, and ends come at a rate. */
export class LongMessages {
  readonly #atOnce: number;
  readonly #bytesPerSecond: number;
  readonly #sendingMs: number;
  readonly #sendingBesideOthersMs: number;
  readonly #sending = new Map<Sender, NodeJS.Timeout>();
  /** By group, the one that waits longest first. */
  readonly #waiting = new Map<string, Map<Sender, () => void>>();
  /** Those whose messages are to end, in their order. */
  readonly #ending = new Map<Sender, { bytes: number; go: () => void }>();
  #endTimer: NodeJS.Timeout | undefined;
  /** When the next message may end, on the clock of `performance`. */
  #freeAtMs = 0;

  constructor({
    atOnce = AT_ONCE,
    bytesPerSecond = BYTES_PER_SECOND,
    sendingMs = SENDING_MS,
    sendingBesideOthersMs = SENDING_BESIDE_OTHERS_MS,
  }: Options = {}) {
    this.#atOnce = atOnce;
    this.#sendingBesideOthersMs = sendingBesideOthersMs;
    this.#bytesPerSecond = bytesPerSecond;
    this.#sendingMs = sendingMs;
  }

  /** Calls `go` when the sender may begin with a long message, at once or later. */
  begin(sender: Sender, go: () => void): void {
    const group = this.#waiting.get(sender.group);
    if (group === undefined) this.#waiting.set(sender.group, new Map([[sender, go]]));
    else group.set(sender, go);
    this.#next();
  }

  /** Calls `go` when the message may end, at once or later. */
  end(sender: Sender, bytes: number, go: () => void): void {
    clearTimeout(this.#sending.get(sender));
    this.#ending.set(sender, { bytes, go });
    this.#endNext();
  }

  /** Forgets a sender, whose connection may have ended. */
  leave(sender: Sender): void {
    clearTimeout(this.#sending.get(sender));
    this.#sending.delete(sender);
    this.#ending.delete(sender);
    const group = this.#waiting.get(sender.group);
    group?.delete(sender);
    if (group?.size === 0) this.#waiting.delete(sender.group);
    this.#next();
  }

  /** Ends messages whose time has come. One takes its time when it ends: a sender that leaves before takes none. */
  #endNext(): void {
    for (const [sender, { bytes, go }] of this.#ending) {
      const nowMs = performance.now();
      if (nowMs < this.#freeAtMs) {
        clearTimeout(this.#endTimer);
        this.#endTimer = setTimeout(() => this.#endNext(), this.#freeAtMs - nowMs);
        return;
      }
      this.#freeAtMs = nowMs + (bytes / this.#bytesPerSecond) * 1_000;
      this.leave(sender);
      go();
    }
  }

  #next(): void {
    const busy = new Set([...this.#sending.keys()].map(({ group }) => group));
    for (const [name, group] of this.#waiting) {
      if (this.#sending.size >= this.#atOnce) return;
      const [first] = group;
      if (first === undefined || busy.has(name)) continue;
      const [sender, go] = first;
      group.delete(sender);
      // The next turn is that of another group.
      this.#waiting.delete(name);
      if (group.size > 0) this.#waiting.set(name, group);
      busy.add(name);
      this.#sending.set(sender, this.#limit(sender, performance.now()));
      go();
    }
  }

  /** Cuts a sender off that takes too long. */
  #limit(sender: Sender, startedMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      const isLate = performance.now() - startedMs >= this.#sendingMs;
      if (isLate || this.#waiting.size > 0) sender.cut();
      else this.#sending.set(sender, this.#limit(sender, startedMs));
    }, this.#sendingBesideOthersMs);
  }
}
