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

/** Hands the messages of a WebSocket client on to the service as they are: short ones at once, long ones in turns. */
export class Tunnel implements Sender {
  readonly group: string;
  readonly #ends: Ends;
  readonly #turns: LongMessages;
  readonly #frames = new MessageFrames();
  #steps: FrameStep[] = [];
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
    this.#steps.push(...this.#frames.read(bytes));
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
      const { bytes, waitsFor, messageBytes } = step;
      if (waitsFor === "nothing") this.#write(bytes);
      else {
        this.#isWaiting = true;
        this.#ends.pause();
        const go = (): void => {
          this.#isWaiting = false;
          if (this.#hasLeft) return;
          this.#write(bytes);
          this.#send();
          if (!this.#isWaiting) this.#ends.resume();
        };
        if (waitsFor === "begin") this.#turns.begin(this, go);
        else this.#turns.end(this, messageBytes, go);
      }
    }
  }

  #write(bytes: Buffer): void {
    this.#steps.shift();
    this.#ends.write(bytes);
  }
}
