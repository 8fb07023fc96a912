import type { Protocol } from "devtools-protocol";
import type { InputCommand, Viewport } from "../../sessions/live-view/input-commands.ts";
import { within } from "../browser/abortable.ts";
import type { CdpConnection, CdpEvent, CdpMethod, CdpParams, CdpResult } from "../browser/cdp-connection.ts";

/** Larger pages are scaled down by the browser. */
const MAX_PICTURE_SIDE = 1_600;
const JPEG_QUALITY = 60;
/** A page that is busy may answer late: then it is done without. */
const PROBE_LIMIT_MS = 700;

/** The tab whose picture is cast, over a session of the protocol that is the cast's own. */
export class ShownTab {
  readonly targetId: string;
  readonly sessionId: string;
  viewport: Viewport = { width: 1, height: 1 };
  /** Where a finger went down that has not moved since. */
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

  /** For what nobody waits for: the tab may have gone away meanwhile. */
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

  /** Ends the cast and lets go of the tab. */
  async release(): Promise<void> {
    await this.send("Page.stopScreencast");
    await this.#connection.send("Target.detachFromTarget", { sessionId: this.sessionId });
  }

  /** The value of a program in the page, or undefined when it does not answer in time. */
  async probe<T>(expression: string): Promise<T | undefined> {
    const asked = this.#evaluate(expression).catch(() => {
      // The document was replaced, and its world with it: once more in a new one.
      this.#world = undefined;
      return this.#evaluate(expression).catch(() => undefined);
    });
    // The programs of page-probes.ts say what they return.
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
