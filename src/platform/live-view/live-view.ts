import { DurableObject } from "cloudflare:workers";
import { randomToken } from "../../core/text/hash.ts";
import { VIEW_CLOSE, type ViewState } from "../../sessions/live-view/view-message.ts";
import { readViewerMessage, type DriveMessage, type WatchMessage } from "../../sessions/live-view/viewer-message.ts";
import type { BrowserSession } from "../sessions/browser-session.ts";
import { withOwnBrowsers } from "../browser/own-browsers.ts";
import { untilLimit } from "../browser/with-connection.ts";
import type { CdpEvent } from "../browser/cdp-connection.ts";
import { Caster, type CastListener } from "./caster.ts";
import { drive, pointerAt } from "./drive.ts";
import { DriveQueue } from "./drive-queue.ts";
import { NetworkWatch } from "./network-watch.ts";
import { Recorder, type RecordingNote } from "./recorder.ts";
import { lastingAlarm } from "../lasting-alarm.ts";
import { noteOf, tell, viewerNoteOf, Viewers } from "./viewers.ts";
import { logEvent } from "../log-event.ts";
import { createR2Blobs } from "../r2-blobs.ts";

const MAX_VIEWERS = 50;
const MAX_MESSAGE_LENGTH = 1_100_000;
/** Close code of RFC 6455: the client is to try again later. */
const TRY_AGAIN_LATER = 1013;
const POINTER_GAP_MS = 90;
const TOUCH_GAP_MS = 10_000;
const CONNECT_LIMIT_MS = 10_000;
/** Time after which a browser that could not be reached is tried again. */
const AGAIN_MS = 2_000;
/** Interval at which a recording is written; a crash loses at most this much. */
const FLUSH_MS = 10_000;

interface LiveViewEnv {
  BROWSER?: Fetcher;
  BUCKET: R2Bucket;
  BROWSER_SESSION: DurableObjectNamespace<BrowserSession>;
}

/** A running cast with its listeners and state. */
interface Cast {
  caster: Caster;
  network: NetworkWatch | undefined;
}

/** Why there is no cast: the session has ended, or its browser could not be reached this time. */
type NoCast = "ended" | "unreachable";

/**
 * Shows one browser session to its viewers and records it: one object per session, under the session's id. It is
 * connected to the browser while there are viewers or a recording runs. Viewers' sockets hibernate; the connection to
 * the browser does not, and is reopened when a viewer's message or the recording's alarm finds it closed.
 */
export class LiveView extends DurableObject<LiveViewEnv> {
  readonly #viewers: Viewers;
  #opening: Promise<Cast | NoCast> | undefined;
  #cast: Cast | undefined;
  #againTimer: ReturnType<typeof setTimeout> | undefined;
  /** Undefined while the session is not recorded. */
  #note: RecordingNote | undefined;
  /** Opened when it is needed, and again after a failure. */
  #recorder: Promise<Recorder> | undefined;
  /** The recorder of the running cast. */
  #filming: Recorder | undefined;
  readonly #driven = new DriveQueue<WebSocket>((socket) => socket.close(TRY_AGAIN_LATER, "Too many messages"));
  #pointerMs = 0;
  #touchedMs = 0;

  constructor(state: DurableObjectState, env: LiveViewEnv) {
    super(state, withOwnBrowsers(env));
    this.#viewers = new Viewers(state);
    this.#note = state.storage.kv.get<RecordingNote>("recording");
  }

  /** Accepts a viewer's socket. The Worker has checked its token and passes its mode. */
  override async fetch(request: Request): Promise<Response> {
    const note = viewerNoteOf(request);
    const { 0: client, 1: server } = new WebSocketPair();
    if (this.#viewers.all().length >= MAX_VIEWERS) {
      // The runtime does not pass on the close of a socket that hibernates before its response is returned.
      server.accept();
      server.close(VIEW_CLOSE.tooMany, "Too many viewers");
    } else {
      this.ctx.acceptWebSocket(server);
      server.serializeAttachment(note);
      this.ctx.waitUntil(this.#sendState(server));
    }
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    if (typeof data !== "string" || data.length > MAX_MESSAGE_LENGTH) return socket.close(1009, "Message too big");
    const note = noteOf(socket);
    const read = readViewerMessage(data, note.mode);
    if (read.kind === "refused") return tell(socket, { type: "refused" });
    if (read.kind === "unknown") return;
    const cast = await this.#running(note.browserId);
    if (typeof cast === "string") return;
    if (read.kind === "watch") return this.#watch(socket, read.message);
    this.#noteActivity();
    // Serialised: a click that waits for the hit test must not be overtaken by the next key.
    this.#driven.add(socket, data.length, () => this.#drive(socket, cast.caster, read.message));
  }

  override webSocketClose(socket: WebSocket): void {
    this.#left(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.#left(socket);
  }

  /** Starts to record the session. */
  async record(recording: { sessionId: string; teamId: string; browserId: string }): Promise<void> {
    if (this.#note !== undefined) return;
    const note: RecordingNote = { ...recording, playToken: randomToken(), startedMs: Date.now() };
    this.ctx.storage.kv.put("recording", note);
    this.#note = note;
    await this.ctx.storage.setAlarm(Date.now() + FLUSH_MS);
    const cast = await this.#running(note.browserId);
    if (typeof cast === "object") this.#listenToNetwork(cast);
  }

  /**
   * Ends the recording and writes the rest of it.
   * @throws Error when the bucket refuses it; the alarm, which is set until everything is written, then tries again.
   */
  async finishRecording(): Promise<void> {
    const recorder = await this.#recording();
    if (recorder === undefined) return;
    await this.#written(recorder.finish(Date.now()));
    // Another call may have finished it meanwhile.
    if (this.#note === undefined) return;
    this.#note = undefined;
    this.#recorder = undefined;
    this.#filming = undefined;
    // Both are called at once, before another call may store something. Deleting everything may leave the alarm.
    await Promise.all([this.ctx.storage.deleteAlarm(), this.ctx.storage.deleteAll()]);
    this.#setAudience();
    this.#closeIfUnused();
  }

  /** Returns the number of viewers, and whether the browser is connected, cast and recorded. */
  status(): { viewers: number; isConnected: boolean; isCasting: boolean; isRecording: boolean } {
    return {
      viewers: this.#viewers.all().length,
      isConnected: this.#cast !== undefined,
      isCasting: this.#cast?.caster.tab !== undefined,
      isRecording: this.#note !== undefined,
    };
  }

  override alarm(): Promise<void> {
    return lastingAlarm(this.ctx.storage, () => this.#writeRecording());
  }

  /**
   * Writes the running recording and reopens its connection if necessary.
   * @throws Error when the bucket refuses the recording; it is written with the next alarm.
   */
  async #writeRecording(): Promise<void> {
    const recorder = await this.#recording();
    if (recorder === undefined) return;
    const flushing = this.#written(recorder.flush(Date.now()));
    await flushing.catch(() => undefined);
    const cast = await this.#running(recorder.note.browserId);
    if (cast === "ended") return await this.finishRecording();
    // The recorder may have been opened after the cast.
    if (typeof cast === "object") this.#listenToNetwork(cast);
    await flushing;
    if (this.#note !== undefined) await this.ctx.storage.setAlarm(Date.now() + FLUSH_MS);
  }

  /** Waits for a write of the recording. @throws Error when the bucket refuses a part */
  async #written(writing: Promise<void>): Promise<void> {
    await writing.catch((error: unknown) => {
      this.#noteUnwritten(true);
      throw error;
    });
    this.#noteUnwritten(false);
  }

  /** Stores whether this object alone has parts of the recording: if it restarts, the recording is incomplete. */
  #noteUnwritten(isUnwritten: boolean): void {
    if (this.#note === undefined || (this.#note.isUnwritten ?? false) === isUnwritten) return;
    this.#note = { ...this.#note, isUnwritten };
    this.ctx.storage.kv.put("recording", this.#note);
  }

  /** Returns the recorder of a session that is recorded. @throws Error when the recording so far cannot be read */
  async #recording(): Promise<Recorder | undefined> {
    if (this.#note === undefined) return undefined;
    const opening = (this.#recorder ??= Recorder.open(this.#note, createR2Blobs(this.env.BUCKET)));
    opening.catch(() => {
      if (this.#recorder === opening) this.#recorder = undefined;
    });
    return await opening;
  }

  async #sendState(socket: WebSocket): Promise<void> {
    const { browserId, mode } = noteOf(socket);
    const session = await Promise.resolve(this.#session()?.find()).catch(() => "unknown" as const);
    if (session === "unknown") return socket.close(TRY_AGAIN_LATER, "The session cannot be read now");
    if (session?.life.streamWebView === false) return socket.close(VIEW_CLOSE.notShown, "Opened without a live view");
    tell(socket, { type: "hello", mode });
    if (typeof (await this.#running(browserId)) === "string") return;
    tell(socket, this.#stateMessage());
    this.#viewers.showLatest(socket);
  }

  /**
   * Returns the running cast, or opens one. The end of the session is sent to all viewers; a browser that cannot be reached is
   * tried again.
   */
  async #running(browserId: string): Promise<Cast | NoCast> {
    if (this.#againTimer !== undefined) return "unreachable";
    const opening = (this.#opening ??= this.#open(browserId).catch((error: unknown) => {
      logEvent({ event: "live_view_not_opened", reason: String(error) });
      return "unreachable" as const;
    }));
    const cast = await opening;
    if (typeof cast === "object") {
      this.#setAudience();
      // The viewers may have left meanwhile.
      this.#closeIfUnused();
      return cast;
    }
    if (this.#opening === opening) this.#opening = undefined;
    if (cast === "ended") {
      this.#viewers.tellAll({ type: "ended" });
      this.#viewers.closeAll(VIEW_CLOSE.ended, "The session has ended");
    } else this.#tryAgain(browserId);
    return cast;
  }

  #tryAgain(browserId: string): void {
    if (this.#viewers.all().length === 0 && this.#note === undefined) return;
    this.#againTimer ??= setTimeout(() => {
      this.#againTimer = undefined;
      this.ctx.waitUntil(this.#running(browserId));
    }, AGAIN_MS);
  }

  async #open(browserId: string): Promise<Cast | NoCast> {
    if (this.env.BROWSER === undefined || (await this.#hasSessionEnded())) return "ended";
    // Viewers see a session whose recording cannot be read; the alarm opens it again.
    this.#filming = await this.#recording().catch(() => undefined);
    const { BROWSER: binding } = this.env;
    let own: Caster | undefined;
    const isOther = (): boolean => this.#cast?.caster !== own;
    const listener: CastListener = {
      frame: (frame) => {
        if (isOther()) return;
        this.#viewers.show(frame);
        const shown = this.#shownTab();
        if (shown !== undefined) this.#filming?.frame(shown, frame);
      },
      changed: () => {
        if (isOther()) return;
        this.#filming?.describe(this.#cast?.caster.state.tabs ?? [], Date.now());
        this.#viewers.tellAll(this.#stateMessage());
      },
      gone: () => {
        if (own !== undefined && !isOther()) this.ctx.waitUntil(this.#lost(browserId));
      },
      isAnyoneReady: () => !isOther() && (this.#filming !== undefined || this.#viewers.isAnyoneReady(Date.now())),
      event: (event) => {
        if (!isOther()) this.#receiveEvent(event);
      },
    };
    const opening = untilLimit(CONNECT_LIMIT_MS, (signal) => Caster.open({ binding, browserId, signal }, listener));
    own = await opening.catch(() => undefined);
    if (own === undefined) return (await this.#hasSessionEnded()) ? "ended" : "unreachable";
    const cast: Cast = { caster: own, network: undefined };
    this.#cast = cast;
    if (this.#filming !== undefined) this.#listenToNetwork(cast);
    this.#viewers.tellAll(this.#stateMessage());
    return cast;
  }

  #listenToNetwork(cast: Cast): void {
    cast.network ??= new NetworkWatch(
      cast.caster.connection,
      (tabId, entry) => this.#filming?.request(tabId, entry) ?? true,
    );
    for (const { id } of cast.caster.state.tabs) cast.network.watchTab(id);
    const filming = this.#recording().then((recorder) => (this.#filming = recorder));
    this.ctx.waitUntil(filming.catch(() => undefined));
  }

  #receiveEvent(event: CdpEvent): void {
    const network = this.#cast?.network;
    if (network === undefined) return;
    const isNewTab = event.method === "Target.targetCreated" && event.params.targetInfo.type === "page";
    if (isNewTab) network.watchTab(event.params.targetInfo.targetId);
    network.receive(event);
  }

  /** Handles the end of the running cast's connection. Unless the session has ended too, a new one is opened for the viewers. */
  async #lost(browserId: string): Promise<void> {
    this.#cast = undefined;
    this.#opening = undefined;
    this.#viewers.forgetFrames();
    const recorder = await this.#recording().catch(() => undefined);
    // The alarm writes the rest.
    if (recorder !== undefined) await this.#written(recorder.flush(Date.now())).catch(() => undefined);
    if ((await this.#running(browserId)) === "ended") await this.finishRecording().catch(() => undefined);
  }

  #left(leaving: WebSocket): void {
    try {
      leaving.close(1000);
    } catch {
      // Closed by the other side already.
    }
    const remaining = this.#viewers.all().filter((socket) => socket !== leaving);
    this.#setAudience(remaining);
    if (remaining.length === 0) this.#closeIfUnused(remaining);
  }

  #closeIfUnused(viewers = this.#viewers.all()): void {
    // A connection that is being opened is checked when it is open.
    if (this.#cast === undefined || viewers.length > 0 || this.#note !== undefined) return;
    const { caster } = this.#cast;
    this.#opening = undefined;
    this.#cast = undefined;
    caster.close();
    this.#viewers.forgetFrames();
  }

  #setAudience(viewers = this.#viewers.all()): void {
    const caster = this.#cast?.caster;
    if (caster === undefined) return;
    caster.setDriver(viewers.some((socket) => noteOf(socket).mode === "drive"));
    caster.setAudience(viewers.length, this.#note !== undefined);
  }

  #watch(socket: WebSocket, message: WatchMessage): void {
    if (message.type === "ping") tell(socket, { type: "pong" });
    else this.#viewers.painted(socket, message.frame);
  }

  async #drive(socket: WebSocket, caster: Caster, message: DriveMessage): Promise<void> {
    if (message.type === "mouse" || message.type === "wheel") this.#movePointer(socket, caster, message);
    await drive(caster, message, (response) => tell(socket, response));
  }

  /** Sends the pointer's position and shape to all viewers, with a flag for the driver. */
  #movePointer(driver: WebSocket, { tab }: Caster, { x, y }: { x: number; y: number }): void {
    const nowMs = Date.now();
    if (tab === undefined || nowMs - this.#pointerMs < POINTER_GAP_MS) return;
    this.#pointerMs = nowMs;
    const showing = pointerAt(tab, { x, y }).then((cursor) => {
      for (const socket of this.#viewers.all()) {
        tell(socket, { type: "pointer", x, y, cursor, isOwn: socket === driver });
      }
    });
    this.ctx.waitUntil(showing);
  }

  /** Reports activity: driving counts as use of the session. */
  #noteActivity(): void {
    const nowMs = Date.now();
    const session = this.#session();
    if (nowMs - this.#touchedMs < TOUCH_GAP_MS || session === undefined) return;
    this.#touchedMs = nowMs;
    this.ctx.waitUntil(Promise.resolve(session.touch()).catch(() => undefined));
  }

  async #hasSessionEnded(): Promise<boolean> {
    const session = await this.#session()?.find();
    return session === undefined || session.life.end !== undefined;
  }

  #session() {
    const { name } = this.ctx.id;
    return name === undefined ? undefined : this.env.BROWSER_SESSION.getByName(name);
  }

  #shownTab() {
    const { tabs, casting } = this.#cast?.caster.state ?? {};
    return tabs?.find(({ id }) => id === casting);
  }

  #stateMessage(): ViewState {
    const { tabs = [], shown, isLoading = false } = this.#cast?.caster.state ?? {};
    const { dialog, chooser } = this.#cast?.caster ?? {};
    return { type: "state", tabs, shown, isLoading, dialog, chooser: chooser?.requested };
  }
}
