import { DurableObject } from "cloudflare:workers";
import type { ViewerMode } from "../ports/live-view.ts";
import { isReady, NOTHING_SENT, type Paint } from "../sessions/live-view/frame-pace.ts";
import { encodeFrame, type Frame } from "../sessions/live-view/frame.ts";
import { readViewerMessage, type DriveMessage, type WatchMessage } from "../sessions/live-view/viewer-message.ts";
import type { BrowserSession } from "./browser-session.ts";
import { within } from "./browser/abortable.ts";
import { Caster, type CastListener } from "./live-view/caster.ts";
import { drive, pointerAt, type DriveAnswer } from "./live-view/drive.ts";

/** Kept with a viewer's socket while the object sleeps. */
interface ViewerNote {
  mode: ViewerMode;
  browserId: string;
}

/** WebSocket close codes of our own (RFC 6455 § 7.4.2). */
export const VIEW_CLOSE = { ended: 4001, refused: 4003, tooMany: 4008 } as const;

const MAX_VIEWERS = 50;
const MAX_MESSAGE_LENGTH = 1_100_000;
const POINTER_GAP_MS = 90;
const TOUCH_GAP_MS = 10_000;
const CONNECT_LIMIT_MS = 10_000;

interface LiveViewEnv {
  BROWSER?: Fetcher;
  BROWSER_SESSION: DurableObjectNamespace<BrowserSession>;
}

/**
 * Shows one browser session to those who watch it: one object a session, under the session's id. It connects to the
 * browser when the first viewer comes and lets go when the last one leaves. Viewers' sockets hibernate; the connection
 * to the browser does not, and is made anew when a viewer's message finds it gone.
 */
export class LiveView extends DurableObject<LiveViewEnv> {
  readonly #paints = new WeakMap<WebSocket, Paint>();
  #caster: Promise<Caster | undefined> | undefined;
  #casting: Caster | undefined;
  #latest: Frame | undefined;
  #driven: Promise<void> = Promise.resolve();
  #pointerMs = 0;
  #touchedMs = 0;

  /** A viewer's socket. Its token was checked by the Worker, which says what it may do. */
  override async fetch(request: Request): Promise<Response> {
    const note = viewerNoteOf(request);
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    server.serializeAttachment(note);
    if (this.#viewers().length > MAX_VIEWERS) server.close(VIEW_CLOSE.tooMany, "Too many viewers");
    else this.ctx.waitUntil(this.#welcome(server, note));
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    if (typeof data !== "string" || data.length > MAX_MESSAGE_LENGTH) return socket.close(1009, "Message too big");
    const note = noteOf(socket);
    const read = readViewerMessage(data, note.mode);
    if (read.kind === "refused") return tell(socket, { type: "refused" });
    if (read.kind === "unknown") return;
    const caster = await this.#cast(note.browserId);
    if (caster === undefined) return;
    if (read.kind === "watch") return this.#watch(socket, read.message);
    this.#noteActivity();
    // One after the other: a click that waits for what is under the mouse must not be overtaken by the next key.
    this.#driven = this.#driven.then(() => this.#drive(socket, caster, read.message)).catch(() => undefined);
  }

  override webSocketClose(socket: WebSocket): void {
    this.#left(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.#left(socket);
  }

  /** The session has ended: everybody is told. */
  end(): void {
    this.#casting?.close();
    this.#ended();
  }

  /** Who watches, and whether the browser is being filmed for them. */
  status(): { viewers: number; isCasting: boolean } {
    return { viewers: this.#viewers().length, isCasting: this.#casting?.tab !== undefined };
  }

  async #welcome(socket: WebSocket, note: ViewerNote): Promise<void> {
    tell(socket, { type: "hello", mode: note.mode });
    if ((await this.#cast(note.browserId)) === undefined) return;
    tell(socket, this.#stateMessage());
    if (this.#latest !== undefined) this.#sendFrame(socket, this.#latest);
  }

  /** The running cast; a new one when there is none. Undefined when the browser is gone, which everybody is told. */
  async #cast(browserId: string): Promise<Caster | undefined> {
    const opening = (this.#caster ??= this.#open(browserId));
    const caster = await opening;
    if (caster === undefined) {
      if (this.#caster === opening) this.#caster = undefined;
      this.#ended();
      return undefined;
    }
    this.#casting = caster;
    this.#setAudience(caster);
    return caster;
  }

  async #open(browserId: string): Promise<Caster | undefined> {
    if (this.env.BROWSER === undefined || (await this.#hasSessionEnded())) return undefined;
    const opening = Caster.open(this.env.BROWSER, browserId, this.#listener(browserId));
    return await within(opening, CONNECT_LIMIT_MS, undefined).catch(() => undefined);
  }

  async #hasSessionEnded(): Promise<boolean> {
    const session = await this.#session()?.find();
    return session === undefined || session.life.end !== undefined;
  }

  #session() {
    const { name } = this.ctx.id;
    return name === undefined ? undefined : this.env.BROWSER_SESSION.getByName(name);
  }

  #listener(browserId: string): CastListener {
    return {
      frame: (frame) => this.#show(frame),
      changed: () => this.#broadcast(this.#stateMessage()),
      gone: () => this.#lost(browserId),
      isAnyoneReady: () => this.#viewers().some((socket) => isReady(this.#paintOf(socket), Date.now())),
    };
  }

  /** The connection ended. Unless the browser did too, those who watch get a new one. */
  #lost(browserId: string): void {
    const wasClosedByUs = this.#caster === undefined;
    this.#caster = undefined;
    this.#casting = undefined;
    this.#latest = undefined;
    if (!wasClosedByUs && this.#viewers().length > 0) this.ctx.waitUntil(this.#cast(browserId));
  }

  #ended(): void {
    for (const socket of this.#viewers()) {
      tell(socket, { type: "ended" });
      socket.close(VIEW_CLOSE.ended, "The session has ended");
    }
  }

  #left(leaving: WebSocket): void {
    try {
      leaving.close(1000);
    } catch {
      // Closed by the other side already.
    }
    const caster = this.#casting;
    if (caster === undefined) return;
    const remaining = this.#viewers().filter((socket) => socket !== leaving);
    this.#setAudience(caster, remaining);
    if (remaining.length > 0) return;
    this.#caster = undefined;
    this.#casting = undefined;
    this.#latest = undefined;
    caster.close();
  }

  #setAudience(caster: Caster, viewers: readonly WebSocket[] = this.#viewers()): void {
    caster.hasDriver = viewers.some((socket) => noteOf(socket).mode === "drive");
    caster.setAudience(viewers.length, false);
  }

  #watch(socket: WebSocket, message: WatchMessage): void {
    if (message.type === "ping") return tell(socket, { type: "pong" });
    const paint = this.#paintOf(socket);
    this.#paints.set(socket, { ...paint, painted: Math.max(paint.painted, message.frame) });
    // It skipped frames while it was behind: now it gets the newest.
    if (this.#latest !== undefined && this.#latest.number > paint.sent) this.#sendFrame(socket, this.#latest);
  }

  async #drive(socket: WebSocket, caster: Caster, message: DriveMessage): Promise<void> {
    if (message.type === "mouse" || message.type === "wheel") this.#movePointer(socket, caster, message);
    await drive(caster, message, (told) => tell(socket, told));
  }

  /** The driver sees the pointer's shape, and the others see where it is. */
  #movePointer(driver: WebSocket, { tab }: Caster, { x, y }: { x: number; y: number }): void {
    const nowMs = Date.now();
    if (tab === undefined || nowMs - this.#pointerMs < POINTER_GAP_MS) return;
    this.#pointerMs = nowMs;
    const showing = pointerAt(tab, { x, y }).then((cursor) => {
      for (const socket of this.#viewers()) {
        tell(socket, { type: "pointer", x, y, cursor, isOwn: socket === driver });
      }
    });
    this.ctx.waitUntil(showing);
  }

  /** Driving keeps the session from falling idle. */
  #noteActivity(): void {
    const nowMs = Date.now();
    const session = this.#session();
    if (nowMs - this.#touchedMs < TOUCH_GAP_MS || session === undefined) return;
    this.#touchedMs = nowMs;
    this.ctx.waitUntil(Promise.resolve(session.touch()).catch(() => undefined));
  }

  #show(frame: Frame): void {
    this.#latest = frame;
    for (const socket of this.#viewers()) {
      if (isReady(this.#paintOf(socket), frame.atMs)) this.#sendFrame(socket, frame);
    }
  }

  #sendFrame(socket: WebSocket, frame: Frame): void {
    const paint = this.#paintOf(socket);
    this.#paints.set(socket, { ...paint, sent: frame.number, sentAtMs: Date.now() });
    try {
      socket.send(encodeFrame(frame));
    } catch {
      // It is leaving; its close event follows.
    }
  }

  #paintOf(socket: WebSocket): Paint {
    return this.#paints.get(socket) ?? NOTHING_SENT;
  }

  #stateMessage(): object {
    const { tabs = [], shown, isLoading } = this.#casting?.state ?? {};
    return { type: "state", tabs, shown, isLoading, dialog: this.#casting?.dialog };
  }

  #broadcast(message: object): void {
    for (const socket of this.#viewers()) tell(socket, message);
  }

  #viewers(): WebSocket[] {
    return this.ctx.getWebSockets().filter((socket) => socket.readyState === WebSocket.OPEN);
  }
}

type Told = DriveAnswer | object;

function tell(socket: WebSocket, message: Told): void {
  try {
    socket.send(JSON.stringify(message));
  } catch {
    // It is leaving; its close event follows.
  }
}

/** Written by this class alone: hence the cast without a parse. */
function noteOf(socket: WebSocket): ViewerNote {
  return socket.deserializeAttachment() as ViewerNote;
}

/** The address that the Worker's port asks for a viewer's socket under. */
export function viewerAddress({ mode, browserId }: ViewerNote): string {
  return `https://live-view/${mode}/${encodeURIComponent(browserId)}`;
}

function viewerNoteOf({ url }: Request): ViewerNote {
  const [, mode, browserId = ""] = new URL(url).pathname.split("/");
  return { mode: mode === "drive" ? "drive" : "view", browserId: decodeURIComponent(browserId) };
}
