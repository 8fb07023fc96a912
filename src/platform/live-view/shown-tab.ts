import type { Protocol } from "devtools-protocol";
import { MAX_VIEWPORT_SIDE } from "../../core/sessions/browser-session.ts";
import type { InputCommand, Viewport } from "../../sessions/live-view/input-commands.ts";
import type { PageFunction } from "../../page-scripts/page-functions.ts";
import { callOf } from "../browser/page/call-function.ts";
import { within } from "../browser/abortable.ts";
import type { CdpConnection, CdpEvent, CdpMethod, CdpParams, CdpResult } from "../browser/cdp-connection.ts";

/** Larger pages, of a size that a driver has set, are scaled down by the browser. */
const MAX_PICTURE_SIDE = MAX_VIEWPORT_SIDE;
/** Text is sharp from here on; a picture has about 1.5 times the bytes of one with 60. */
const JPEG_QUALITY = 80;
const SCREENCAST = {
  format: "jpeg",
  quality: JPEG_QUALITY,
  maxWidth: MAX_PICTURE_SIDE,
  maxHeight: MAX_PICTURE_SIDE,
} as const;
/** A busy page may answer late: the result is then left out. */
const PROBE_LIMIT_MS = 700;
/** Inputs that a page has not answered; further ones are dropped: a page whose script never ends would answer none. */
const MAX_UNANSWERED = 1_000;

/** The tab that is being cast, over a protocol session that belongs to the cast. */
export class ShownTab {
  readonly targetId: string;
  readonly sessionId: string;
  viewport: Viewport = { width: 1, height: 1 };
  /** Position at which a finger went down that has not moved since. */
  tap: { x: number; y: number } | undefined;
  readonly #connection: CdpConnection;
  #world: number | undefined;
  #unanswered = 0;

  static async attach(connection: CdpConnection, targetId: string): Promise<ShownTab> {
    const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
    return new ShownTab(connection, { targetId, sessionId });
  }

  constructor(connection: CdpConnection, ids: { targetId: string; sessionId: string }) {
    this.#connection = connection;
    this.targetId = ids.targetId;
    this.sessionId = ids.sessionId;
  }

  send<M extends CdpMethod>(method: M, params?: CdpParams<M>): Promise<CdpResult<M>> {
    return this.#connection.send(method, params, this.sessionId);
  }

  /** Sends a command without waiting for it; a failure is ignored, since the tab may be gone. */
  fire<M extends CdpMethod>(method: M, params?: CdpParams<M>): void {
    this.send(method, params).catch(() => undefined);
  }

  input({ method, params }: InputCommand): void {
    if (this.#unanswered >= MAX_UNANSWERED) return;
    this.#unanswered++;
    const answered = (): void => void this.#unanswered--;
    this.send(method, params).then(answered, answered);
  }

  isSource(event: CdpEvent): boolean {
    return event.sessionId === this.sessionId;
  }

  acknowledge(frame: Protocol.Page.ScreencastFrameEvent): void {
    this.fire("Page.screencastFrameAck", { sessionId: frame.sessionId });
  }

  /** Starts the cast. Its first frame may come before this returns. */
  async cast(): Promise<void> {
    await this.send("Page.enable");
    await this.send("Page.startScreencast", SCREENCAST);
  }

  /** Starts the cast anew, which begins with a frame of the page as it is. */
  castAgain(): void {
    this.fire("Page.stopScreencast");
    this.fire("Page.startScreencast", SCREENCAST);
  }

  /** Ends the cast and detaches from the tab. */
  async release(): Promise<void> {
    // The tab may have crashed, or answer nothing.
    this.fire("Page.stopScreencast");
    await this.#connection.send("Target.detachFromTarget", { sessionId: this.sessionId });
  }

  /** Returns the result of a function in an isolated world of the page, or undefined when it does not answer in time. */
  async probe<V extends readonly unknown[], R>(probe: PageFunction<V, R>, ...values: V): Promise<R | undefined> {
    const asked = this.#call(probe, values).catch(() => {
      // The document was replaced, and its world with it: call once more in the new one.
      this.#world = undefined;
      return this.#call(probe, values).catch(() => undefined);
    });
    return await within(asked, PROBE_LIMIT_MS, undefined);
  }

  async #call<V extends readonly unknown[], R>(probe: PageFunction<V, R>, values: V): Promise<R | undefined> {
    this.#world ??= (
      await this.send("Page.createIsolatedWorld", { frameId: this.targetId, worldName: "live-view" })
    ).executionContextId;
    const { result } = await this.send("Runtime.callFunctionOn", {
      ...callOf(probe, values),
      executionContextId: this.#world,
      returnByValue: true,
    });
    // The function's signature defines the shape of its result.
    return result.value as R | undefined;
  }
}
