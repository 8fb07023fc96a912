import type { LongMessages, Sender } from "./long-messages.ts";
import { MessageFrames, type FrameStep } from "./message-frames.ts";

interface Ends {
  /** Those whose long messages come one after another. */
  group: string;
  /** Hands bytes on to the service. */
  write(bytes: Buffer): void;
  /** Lets the client wait, and send again. */
  pause(): void;
  resume(): void;
  cut(): void;
}

/** Bytes that may be handed on when those before them were, and at this time. */
interface Step extends FrameStep {
  /** On the clock of `performance`. */
  notBeforeMs: number;
}

/** Hands the messages of a WebSocket client on to the service as they are: many or long ones in turns, others at once. */
export class Tunnel implements Sender {
  readonly group: string;
  readonly #ends: Ends;
  readonly #turns: LongMessages;
  readonly #frames = new MessageFrames();
  #steps: Step[] = [];
  #isWaiting = false;
  #hasLeft = false;

  constructor(ends: Ends, turns: LongMessages) {
    this.group = ends.group;
    this.#ends = ends;
    this.#turns = turns;
  }

  /** True while bytes are held. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  take(bytes: Buffer): void {
    const { steps, frames } = this.#frames.read(bytes);
    const waitMs = frames === 0 ? 0 : this.#turns.waitForFrames(this.group, frames);
    const notBeforeMs = waitMs === 0 ? 0 : performance.now() + waitMs;
    for (const step of steps) this.#steps.push({ ...step, notBeforeMs });
    this.#send();
  }

  cut(): void {
    this.#ends.cut();
  }

  /** The connection has ended. */
  leave(): void {
    this.#hasLeft = true;
    this.#steps = [];
    this.#turns.leave(this);
  }

  #send(): void {
    for (let step = this.#steps[0]; step !== undefined && !this.#isWaiting; step = this.#steps[0]) {
      const { bytes, waitsFor, messageBytes, notBeforeMs } = step;
      const leftMs = notBeforeMs === 0 ? 0 : notBeforeMs - performance.now();
      if (leftMs > 0) {
        step.notBeforeMs = 0;
        setTimeout(
          this.#waiting(() => undefined),
          leftMs,
        );
      } else if (waitsFor === "nothing") this.#write(bytes);
      else {
        const go = this.#waiting(() => this.#write(bytes));
        if (waitsFor === "begin") this.#turns.begin(this, go);
        else this.#turns.end(this, messageBytes, go);
      }
    }
  }

  /** Lets the client wait. @returns what ends the wait, and goes on after `work` */
  #waiting(work: () => void): () => void {
    this.#isWaiting = true;
    this.#ends.pause();
    return () => {
      this.#isWaiting = false;
      if (this.#hasLeft) return;
      work();
      this.#send();
      if (!this.#isWaiting) this.#ends.resume();
    };
  }

  #write(bytes: Buffer): void {
    this.#steps.shift();
    this.#ends.write(bytes);
  }
}

const SEGMENTS = "/v2/browser/ID".split("/").length;

/**
 * Returns the part of a target's path that names a session, as in `/v2/browser/ID/cdp`: in one spelling, so that one session is
 * one group.
 */
export function sessionPath(target: string): string {
  const { pathname = target } = URL.parse(target.startsWith("/") ? `http://service${target}` : target) ?? {};
  return decoded(pathname).toLowerCase().split("/", SEGMENTS).join("/");
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // The service has no such path either.
    return path;
  }
}
