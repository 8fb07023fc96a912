import type { Protocol } from "devtools-protocol";
import type { InputCommand, Viewport } from "../../sessions/live-view/input-commands.ts";
import { within } from "../browser/abortable.ts";
import type { CdpConnection, CdpEvent, CdpMethod, CdpParams, CdpResult } from "../browser/cdp-connection.ts";

/** Larger pages are scaled down by the browser. */
const MAX_PICTURE_SIDE = 1_600;
const JPEG_QUALITY = 60;
/** A busy page may answer late: the result is then left out. */
const PROBE_LIMIT_MS = 700;

/** The tab that is being cast, over a protocol session that belongs to the cast. */
export class ShownTab {
  readonly targetId: string;
  readonly sessionId: string;
  viewport: Viewport = { width: 1, height: 1 };
  /** Position at which a finger went down that has not moved since. */
  tap: { x: number; y: number } | undefined;
  readonly #connection: CdpConnection;
  #world: number | undefined;

  static async attach(connection: CdpConnection, targetId: string): Promise<ShownTab> {
    const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new ShownTab(connection, { targetId, sessionId });
    await tab.send("Page.enable");
    await tab.send("Page.startScreencast", {
      format: "jpeg",
      quality: JPEG_QUALITY,
      maxWidth: MAX_PICTURE_SIDE,
      maxHeight: MAX_PICTURE_SIDE,
    });
    return tab;
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

  input(command: InputCommand): void {
    this.fire(command.method, command.params);
  }

  isSource(event: CdpEvent): boolean {
    return event.sessionId === this.sessionId;
  }

  acknowledge(frame: Protocol.Page.ScreencastFrameEvent): void {
    this.fire("Page.screencastFrameAck", { sessionId: frame.sessionId });
  }

  /** Ends the cast and detaches from the tab. */
  async release(): Promise<void> {
    await this.send("Page.stopScreencast");
    await this.#connection.send("Target.detachFromTarget", { sessionId: this.sessionId });
  }

  /** Returns the value of a program in the page, or undefined when it does not answer in time. */
  async probe<T>(expression: string): Promise<T | undefined> {
    const asked = this.#evaluate(expression).catch(() => {
      // The document was replaced, and its world with it: evaluate once more in the new one.
      this.#world = undefined;
      return this.#evaluate(expression).catch(() => undefined);
    });
    // The programs of page-probes.ts define the shapes of their results.
    return (await within(asked, PROBE_LIMIT_MS, undefined)) as T | undefined;
  }

  async #evaluate(expression: string): Promise<unknown> {
    this.#world ??= (
      await this.send("Page.createIsolatedWorld", { frameId: this.targetId, worldName: "live-view" })
    ).executionContextId;
    const answer = await this.send("Runtime.evaluate", { expression, contextId: this.#world, returnByValue: true });
    return answer.result.value;
  }
}
