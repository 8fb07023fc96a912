import type { FrameSender, FrameTurns } from "./frame-turns.ts";
import type { LongMessages, Sender } from "./long-messages.ts";
import { MessageFrames, type FrameStep } from "./message-frames.ts";

/**
 * The service's work for a frame of a client that is not one of DevTools, in frames of those: a message of a live view is
 * checked and wakes the session's object. A pointer moves 60 to 120 times a second.
 */
const OTHER_FRAME_COST = 10;

interface Ends {
  /** The session whose client it is; undefined for sockets on which clients only listen. */
  session: string | undefined;
  isDevTools: boolean;
  /** Whose frames they are (`callers.ts`). */
  owner: string;
  /** Hands bytes on to the service, and then the client's end. */
  write(bytes: Buffer): void;
  end(): void;
  /** Lets the client wait, and send again. */
  pause(): void;
  resume(): void;
  cut(): void;
}

export interface TunnelTurns {
  longMessages: LongMessages;
  frameTurns: FrameTurns;
}

/** Bytes that may be handed on when those before them were, and at this time. */
interface Step extends FrameStep {
  /** On the clock of `performance`. */
  notBeforeMs: number;
  /** Of its frames, in frames of DevTools; 0 once they have had their turn. */
  cost: number;
}

/** Hands the messages of a WebSocket client on to the service as they are: many or long ones in turns, others at once. */
export class Tunnel implements Sender, FrameSender {
  readonly group: string;
  readonly owner: string;
  readonly #ends: Ends;
  readonly #turns: TunnelTurns;
  readonly #frames = new MessageFrames();
  #steps: Step[] = [];
  #isWaiting = false;
  #isEnding = false;
  #hasLeft = false;

  constructor(ends: Ends, turns: TunnelTurns) {
    const { session, owner } = ends;
    this.group = session === undefined ? `owner ${owner}` : `session ${session}`;
    this.owner = owner;
    this.#ends = ends;
    this.#turns = turns;
  }

  /** True while bytes are held. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  take(bytes: Buffer): void {
    for (const step of this.#frames.read(bytes)) {
      const cost = step.frames * (this.#ends.isDevTools ? 1 : OTHER_FRAME_COST);
      const waitMs = cost === 0 ? 0 : this.#turns.frameTurns.waitOf(this.group, cost);
      this.#steps.push({ ...step, cost, notBeforeMs: waitMs === 0 ? 0 : performance.now() + waitMs });
    }
    this.#send();
  }

  /** The client has ended its side, after what it has sent. */
  end(): void {
    this.#isEnding = true;
    this.#send();
  }

  cut(): void {
    this.leave();
    this.#ends.cut();
  }

  /** The connection has ended. */
  leave(): void {
    this.#hasLeft = true;
    this.#steps = [];
    this.#turns.frameTurns.leave(this);
    this.#turns.longMessages.leave(this);
  }

  #send(): void {
    for (let step = this.#steps[0]; step !== undefined && !this.#isWaiting; step = this.#steps[0]) this.#sendStep(step);
    if (this.#hasLeft || !this.#isEnding || this.#steps.length > 0) return;
    this.#isEnding = false;
    this.#ends.end();
  }

  #sendStep(step: Step): void {
    const { bytes, waitsFor, messageBytes, notBeforeMs, cost } = step;
    const { frameTurns, longMessages } = this.#turns;
    const leftMs = notBeforeMs === 0 ? 0 : notBeforeMs - performance.now();
    if (leftMs > 0) {
      step.notBeforeMs = 0;
      setTimeout(this.#waiting(), leftMs);
    } else if (cost > 0 && !frameTurns.take(cost)) {
      step.cost = 0;
      frameTurns.enter(this, cost, this.#waiting());
    } else if (waitsFor === "nothing") this.#write(bytes);
    else if (waitsFor === "end") longMessages.end(this, messageBytes, this.#waiting(bytes));
    else if (this.#ends.session === undefined) this.cut();
    else longMessages.begin(this, this.#waiting(bytes));
  }

  /** Lets the client wait. @returns what ends the wait, and goes on after the bytes */
  #waiting(bytes?: Buffer): () => void {
    this.#isWaiting = true;
    this.#ends.pause();
    return () => {
      this.#isWaiting = false;
      if (this.#hasLeft) return;
      if (bytes !== undefined) this.#write(bytes);
      this.#send();
      if (!this.#isWaiting) this.#ends.resume();
    };
  }

  #write(bytes: Buffer): void {
    this.#steps.shift();
    this.#ends.write(bytes);
  }
}
