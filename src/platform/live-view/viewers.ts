import type { ViewerMode } from "../../ports/sessions/live-view.ts";
import { isReady, NOTHING_SENT, type Paint } from "../../sessions/live-view/frame-pace.ts";
import { encodeFrame, type Frame } from "../../sessions/live-view/frame.ts";
import type { ViewMessage } from "../../sessions/live-view/view-message.ts";

/** The state of a viewer's socket, stored while its object hibernates. */
export interface ViewerNote {
  mode: ViewerMode;
  browserId: string;
}

/** The viewers of a session, and the frame that each of them has reached. */
export class Viewers {
  readonly #state: DurableObjectState;
  readonly #paints = new WeakMap<WebSocket, Paint>();
  #latest: Frame | undefined;

  constructor(state: DurableObjectState) {
    this.#state = state;
  }

  all(): WebSocket[] {
    return this.#state.getWebSockets().filter((socket) => socket.readyState === WebSocket.OPEN);
  }

  isAnyoneReady(nowMs: number): boolean {
    return this.all().some((socket) => isReady(this.#paintOf(socket), nowMs));
  }

  /** Sends a frame. A viewer that lags behind gets the newest frame when it has caught up. */
  show(frame: Frame): void {
    this.#latest = frame;
    for (const socket of this.all()) if (isReady(this.#paintOf(socket), frame.atMs)) this.#send(socket, frame);
  }

  /** Sends the current frame to a new viewer. */
  showLatest(socket: WebSocket): void {
    if (this.#latest !== undefined) this.#send(socket, this.#latest);
  }

  painted(socket: WebSocket, frameNumber: number): void {
    const paint = this.#paintOf(socket);
    this.#paints.set(socket, { ...paint, painted: Math.max(paint.painted, frameNumber) });
    if (this.#latest !== undefined && this.#latest.number > paint.sent) this.#send(socket, this.#latest);
  }

  /** Drops the stored frames: a new cast counts its frames from one. */
  forgetFrames(): void {
    this.#latest = undefined;
    for (const socket of this.all()) this.#paints.delete(socket);
  }

  tellAll(message: ViewMessage): void {
    for (const socket of this.all()) tell(socket, message);
  }

  closeAll(code: number, reason: string): void {
    for (const socket of this.all()) socket.close(code, reason);
  }

  #paintOf(socket: WebSocket): Paint {
    return this.#paints.get(socket) ?? NOTHING_SENT;
  }

  #send(socket: WebSocket, frame: Frame): void {
    this.#paints.set(socket, { ...this.#paintOf(socket), sent: frame.number, sentAtMs: Date.now() });
    try {
      socket.send(encodeFrame(frame));
    } catch {
      // It is closing; its close event follows.
    }
  }
}

export function tell(socket: WebSocket, message: ViewMessage): void {
  try {
    socket.send(JSON.stringify(message));
  } catch {
    // It is closing; its close event follows.
  }
}

/** Only the live view writes the attachment: hence the cast without a parse. */
export function noteOf(socket: WebSocket): ViewerNote {
  return socket.deserializeAttachment() as ViewerNote;
}

/** Returns the internal address of a viewer's socket. */
export function viewerAddress({ mode, browserId }: ViewerNote): string {
  return `https://live-view/${mode}/${encodeURIComponent(browserId)}`;
}

export function viewerNoteOf({ url }: Request): ViewerNote {
  const [, mode, browserId = ""] = new URL(url).pathname.split("/");
  return { mode: mode === "drive" ? "drive" : "view", browserId: decodeURIComponent(browserId) };
}
