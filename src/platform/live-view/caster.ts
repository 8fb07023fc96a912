import type { PageDialog } from "../../sessions/live-view/view-message.ts";
import { Buffer } from "node:buffer";
import type { Protocol } from "devtools-protocol";
import { hasAllowedUrl } from "../../core/cdp/shown-target.ts";
import { IDLE_CAST, stepCast, type CastEffect, type CastEvent, type CastState } from "../../sessions/live-view/cast.ts";
import { frameDelayMs } from "../../sessions/live-view/frame-pace.ts";
import { FrameSizes } from "../../sessions/live-view/frame-sizes.ts";
import type { Frame } from "../../sessions/live-view/frame.ts";
import { within } from "../browser/abortable.ts";
import { CdpConnection, type CdpEvent } from "../browser/cdp-connection.ts";
import { FileChooser } from "./file-chooser.ts";
import { ShownTab } from "./shown-tab.ts";

/** The events of a cast. */
export interface CastListener {
  frame(frame: Frame): void;
  /** Tabs, address, loading state or dialog changed. */
  changed(): void;
  /** The connection to the browser ended. */
  gone(): void;
  /** False while every viewer lags behind: the browser then sends no frames. */
  isAnyoneReady(): boolean;
  /** Every browser event, for a recording. */
  event?(event: CdpEvent): void;
}

const READY_POLL_MS = 50;
const RESTART_MS = 300;
/** A page that does not change sends no other frame by itself after one that was left out. */
const REPEAT_MS = 200;
/** A cast that has sent no frame for this long is started anew. */
const FIRST_FRAME_MS = 2_000;
/** A tab that has not begun or ended its cast by then may hold up the next one no longer. */
const STEP_LIMIT_MS = 10_000;
/** Without a driver a dialog is dismissed after this, so that it does not block the page forever. */
const UNATTENDED_DIALOG_MS = 10_000;

/** The screencast of one session's browser: one connection, and at most one screencast for all viewers. */
export class Caster {
  readonly connection: CdpConnection;
  readonly #listener: CastListener;
  #state: CastState = IDLE_CAST;
  #tab: ShownTab | undefined;
  #dialog: PageDialog | undefined;
  #dialogTimer: ReturnType<typeof setTimeout> | undefined;
  #work: Promise<void> = Promise.resolve();
  #frames = 0;
  #lastFrameMs = 0;
  #sizes = new FrameSizes();
  #repeatTimer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;
  #chooser: FileChooser | undefined;
  /** Drivers answer dialogs and choose files. */
  #hasDriver = false;

  /**
   * @param signal closes the connection when it is aborted
   * @throws BrowserGoneError when the browser does not exist; the reason of the signal
   */
  static async open(
    { binding, browserId, signal }: { binding: Fetcher; browserId: string; signal: AbortSignal },
    listener: CastListener,
  ): Promise<Caster> {
    const connection = await CdpConnection.open(binding, browserId, signal);
    try {
      const caster = new Caster(connection, listener);
      await connection.send("Target.setDiscoverTargets", { discover: true });
      return caster;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  constructor(connection: CdpConnection, listener: CastListener) {
    this.connection = connection;
    this.#listener = listener;
    connection.onEvent((event) => this.#receive(event));
    void connection.closed.then(() => {
      this.#isOver = true;
      clearTimeout(this.#dialogTimer);
      clearTimeout(this.#repeatTimer);
      listener.gone();
    });
  }

  get state(): CastState {
    return this.#state;
  }

  get dialog(): PageDialog | undefined {
    return this.#dialog;
  }

  /** The open file chooser of the shown page, until a driver has answered it. */
  get chooser(): FileChooser | undefined {
    return this.#chooser;
  }

  /** The tab that is being cast. */
  get tab(): ShownTab | undefined {
    return this.#tab;
  }

  setAudience(viewers: number, isRecording: boolean): void {
    this.step({ kind: "audience", viewers, isRecording });
  }

  /** Sets whether a driver is connected. Without one the browser handles file choosers as usual. */
  setDriver(isThere: boolean): void {
    if (this.#hasDriver === isThere) return;
    this.#hasDriver = isThere;
    this.#tab?.fire("Page.setInterceptFileChooserDialog", { enabled: isThere });
    if (!isThere) void this.endChooser(false).catch(() => undefined);
  }

  step(event: CastEvent): void {
    if (this.#isOver) return;
    const { state, effects } = stepCast(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  answerDialog(accept: boolean, promptText?: string): void {
    if (this.#dialog === undefined) return;
    this.#tab?.fire("Page.handleJavaScriptDialog", { accept, ...(promptText === undefined ? {} : { promptText }) });
  }

  async endChooser(isChosen: boolean): Promise<void> {
    const chooser = this.#chooser;
    this.#setChooser(undefined);
    await chooser?.end(isChosen);
  }

  close(): void {
    this.connection.close();
  }

  #perform(effect: CastEffect): void {
    if (effect.kind === "tell") return this.#listener.changed();
    // Serialised: a tab that is attached while another one is released would leave two casts behind.
    this.#work = this.#work.then(() => {
      const step = effect.kind === "start" ? this.#start(effect.id) : this.#stop();
      return within(step, STEP_LIMIT_MS, undefined);
    });
  }

  async #start(targetId: string): Promise<void> {
    if (this.#state.casting !== targetId) return;
    let tab: ShownTab | undefined;
    try {
      tab = await ShownTab.attach(this.connection, targetId);
      // It took longer than a step may, and another tab is shown.
      if (this.#state.casting !== targetId) return tab.release().catch(() => undefined);
      // Before the cast starts: the browser sends nothing more after a frame that is not acknowledged.
      this.#tab = tab;
      this.#castAgainLater(tab, FIRST_FRAME_MS);
      await tab.cast();
      if (this.#hasDriver) tab.fire("Page.setInterceptFileChooserDialog", { enabled: true });
    } catch {
      // The tab closed meanwhile, or is being replaced; the cast restarts soon.
      if (this.#tab?.targetId === targetId) this.#forgetTab();
      // Its protocol session would last as long as the connection.
      tab?.release().catch(() => undefined);
      setTimeout(() => this.step({ kind: "cast_lost", id: targetId }), RESTART_MS);
    }
  }

  /** Starts the cast anew, and again, until a frame comes. */
  #castAgainLater(tab: ShownTab, ms: number): void {
    clearTimeout(this.#repeatTimer);
    this.#repeatTimer = setTimeout(() => {
      if (this.#isOver || tab !== this.#tab) return;
      tab.castAgain();
      this.#castAgainLater(tab, FIRST_FRAME_MS);
    }, ms);
  }

  async #stop(): Promise<void> {
    const tab = this.#tab;
    this.#forgetTab();
    await tab?.release().catch(() => undefined);
  }

  #receive(event: CdpEvent): void {
    this.#listener.event?.(event);
    switch (event.method) {
      case "Target.targetCreated":
        if (isTab(event.params.targetInfo)) this.step({ kind: "tab_opened", tab: toTab(event.params.targetInfo) });
        return;
      case "Target.targetInfoChanged":
        if (isTab(event.params.targetInfo)) this.step({ kind: "tab_changed", tab: toTab(event.params.targetInfo) });
        return;
      case "Target.targetDestroyed":
      case "Target.targetCrashed":
        return this.#tabClosed(event.params.targetId);
      case "Target.detachedFromTarget":
        if (event.params.sessionId === this.#tab?.sessionId) this.#castLost();
        return;
    }
    if (this.#tab?.isSource(event) === true) this.#receiveFromTab(event, this.#tab);
  }

  #receiveFromTab(event: CdpEvent, tab: ShownTab): void {
    switch (event.method) {
      case "Page.screencastFrame":
        return this.#frame(event.params, tab);
      case "Page.frameStartedLoading":
      case "Page.frameStoppedLoading":
        if (event.params.frameId !== tab.targetId) return;
        if (event.method === "Page.frameStoppedLoading") this.#readTitle(tab.targetId);
        else this.#setChooser(undefined);
        return this.step({ kind: "loading", isLoading: event.method === "Page.frameStartedLoading" });
      case "Page.javascriptDialogOpening": {
        const { type, message, defaultPrompt } = event.params;
        return this.#setDialog({ kind: type, message, defaultText: defaultPrompt ?? "" });
      }
      case "Page.javascriptDialogClosed":
        return this.#setDialog(undefined);
      case "Page.fileChooserOpened":
        FileChooser.open(tab, event.params).then(
          (chooser) => tab === this.#tab && this.#setChooser(chooser),
          () => undefined,
        );
        return;
    }
  }

  #frame(params: Protocol.Page.ScreencastFrameEvent, tab: ShownTab): void {
    const { deviceWidth, deviceHeight } = params.metadata;
    tab.viewport = { width: deviceWidth, height: deviceHeight };
    const atMs = Date.now();
    const jpeg = Buffer.from(params.data, "base64");
    const size = { width: Math.round(deviceWidth), height: Math.round(deviceHeight) };
    clearTimeout(this.#repeatTimer);
    if (!this.#sizes.isShown(size, jpeg, atMs)) return this.#repeatLater(params, tab);
    this.#listener.frame({ number: ++this.#frames, atMs, ...size, jpeg });
    const delayMs = frameDelayMs(this.#lastFrameMs, atMs, this.#state.viewers > 0);
    this.#lastFrameMs = atMs;
    this.#acknowledgeLater(params, tab, delayMs);
  }

  /** Lets the browser make the next frame, and makes it repeat the picture when none comes. */
  #repeatLater(params: Protocol.Page.ScreencastFrameEvent, tab: ShownTab): void {
    tab.acknowledge(params);
    this.#castAgainLater(tab, REPEAT_MS);
  }

  /** Acknowledges a frame after `delayMs`; the browser sends the next one after that. */
  #acknowledgeLater(params: Protocol.Page.ScreencastFrameEvent, tab: ShownTab, delayMs: number): void {
    setTimeout(() => {
      if (tab !== this.#tab) return;
      if (this.#listener.isAnyoneReady()) tab.acknowledge(params);
      else this.#acknowledgeLater(params, tab, READY_POLL_MS);
    }, delayMs);
  }

  /** Reads a tab's title: the browser sends no event for a title that is set after the address. */
  #readTitle(targetId: string): void {
    this.connection.send("Target.getTargetInfo", { targetId }).then(
      ({ targetInfo }) => this.step({ kind: "tab_changed", tab: toTab(targetInfo) }),
      () => undefined,
    );
  }

  #tabClosed(id: string): void {
    if (this.#tab?.targetId === id) this.#forgetTab();
    this.step({ kind: "tab_closed", id });
  }

  #castLost(): void {
    const id = this.#tab?.targetId;
    this.#forgetTab();
    if (id !== undefined) this.step({ kind: "cast_lost", id });
  }

  #forgetTab(): void {
    this.#tab = undefined;
    this.#sizes = new FrameSizes();
    this.#setDialog(undefined);
    this.#setChooser(undefined);
  }

  #setChooser(chooser: FileChooser | undefined): void {
    if (this.#chooser === chooser) return;
    this.#chooser = chooser;
    this.#listener.changed();
  }

  #setDialog(dialog: PageDialog | undefined): void {
    if (this.#dialog === undefined && dialog === undefined) return;
    this.#dialog = dialog;
    clearTimeout(this.#dialogTimer);
    if (dialog !== undefined) this.#dismissUnattended();
    this.#listener.changed();
  }

  #dismissUnattended(): void {
    this.#dialogTimer = setTimeout(() => {
      if (this.#dialog === undefined) return;
      if (this.#hasDriver) this.#dismissUnattended();
      else this.answerDialog(false);
    }, UNATTENDED_DIALOG_MS);
  }
}

function isTab(target: Protocol.Target.TargetInfo): boolean {
  return target.type === "page" && hasAllowedUrl(target);
}

function toTab({ targetId, title, url }: Protocol.Target.TargetInfo) {
  return { id: targetId, title: title.slice(0, 300), url: url.slice(0, 2_000) };
}
