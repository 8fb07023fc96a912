import type { ViewerMode } from "../../ports/sessions/live-view.ts";
import { isReady, NOTHING_SENT, type Paint } from "../../sessions/live-view/frame-pace.ts";
import { encodeFrame, type Frame } from "../../sessions/live-view/frame.ts";

/** Kept with a viewer's socket while its object sleeps. */
export interface ViewerNote {
  mode: ViewerMode;
  browserId: string;
}

/** WebSocket close codes of our own (RFC 6455 § 7.4.2). The page knows them. */
export const VIEW_CLOSE = { ended: 4001, notShown: 4003, tooMany: 4008 } as const;

/** Those who watch a session, and how far each of them is. */
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

  /** Those who are behind get the newest frame when they have caught up. */
  show(frame: Frame): void {
    this.#latest = frame;
    for (const socket of this.all()) if (isReady(this.#paintOf(socket), frame.atMs)) this.#send(socket, frame);
  }

  /** Somebody came, and sees what there is to see. */
  showLatest(socket: WebSocket): void {
    if (this.#latest !== undefined) this.#send(socket, this.#latest);
  }

  painted(socket: WebSocket, frameNumber: number): void {
    const paint = this.#paintOf(socket);
    this.#paints.set(socket, { ...paint, painted: Math.max(paint.painted, frameNumber) });
    if (this.#latest !== undefined && this.#latest.number > paint.sent) this.#send(socket, this.#latest);
  }

  /** The cast begins anew, and its frames count from one. */
  forgetFrames(): void {
    this.#latest = undefined;
    for (const socket of this.all()) this.#paints.delete(socket);
  }

  tellAll(message: object): void {
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
      // It is leaving; its close event follows.
    }
  }
}

export function tell(socket: WebSocket, message: object): void {
  try {
    socket.send(JSON.stringify(message));
  } catch {
    // It is leaving; its close event follows.
  }
}

/** Written by the live view alone: hence the cast without a parse. */
export function noteOf(socket: WebSocket): ViewerNote {
  return socket.deserializeAttachment() as ViewerNote;
}

/** The address that a viewer's socket is asked for under, inside the service. */
export function viewerAddress({ mode, browserId }: ViewerNote): string {
  return `https://live-view/${mode}/${encodeURIComponent(browserId)}`;
}

export function viewerNoteOf({ url }: Request): ViewerNote {
  const [, mode, browserId = ""] = new URL(url).pathname.split("/");
  return { mode: mode === "drive" ? "drive" : "view", browserId: decodeURIComponent(browserId) };
}
