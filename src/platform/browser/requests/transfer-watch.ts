import type { Protocol } from "devtools-protocol";
import type { CdpConnection, CdpEvent } from "../cdp-connection.ts";

const EMPTY_WAIT_MS = 100;
/** Limit of stored errors. Documents that load completely are not stored. */
const MAX_REMEMBERED = 100;

/**
 * Detects documents whose transfer breaks off. A client that takes the body of a response, as is done to add a policy
 * to it, cannot see how the transfer ended: a lost connection looks like the end of the page. So a second session of
 * the same page, nearer to the network because it was attached first, continues every response and receives its error.
 */
export class TransferWatch {
  readonly #connection: CdpConnection;
  readonly #sessionId: string;
  readonly #errors = new Map<string, Protocol.Network.ErrorReason>();

  /** @param sessionId a session of the page that was attached before the one that takes bodies */
  constructor(connection: CdpConnection, sessionId: string) {
    this.#connection = connection;
    this.#sessionId = sessionId;
    connection.onEvent((event) => this.#receive(event));
  }

  /** Starts to watch. Must be called before the other session intercepts requests. */
  start(): Promise<unknown> {
    const patterns = [{ urlPattern: "*", resourceType: "Document", requestStage: "Response" } as const];
    return this.#connection.send("Fetch.enable", { patterns }, this.#sessionId);
  }

  /** True for events of the watch's own session, which are handled here. */
  owns(event: CdpEvent): boolean {
    return event.sessionId === this.#sessionId;
  }

  /**
   * Returns why the transfer of a document broke off; undefined when it is complete. Call it after the body was read.
   * The error is sent before the body's end but may arrive after it: hence a round trip, and an extra wait for an empty
   * document.
   */
  async errorOf(
    { networkId = "" }: Pick<Protocol.Fetch.RequestPausedEvent, "networkId">,
    { isEmpty }: { isEmpty: boolean },
  ): Promise<string | undefined> {
    if (!this.#errors.has(networkId)) await this.#connection.send("Browser.getVersion").catch(() => undefined);
    if (!this.#errors.has(networkId) && isEmpty) await new Promise((resolve) => setTimeout(resolve, EMPTY_WAIT_MS));
    return this.#errors.get(networkId);
  }

  #receive(event: CdpEvent): void {
    if (event.method !== "Fetch.requestPaused" || !this.owns(event)) return;
    const { requestId, networkId, responseErrorReason } = event.params;
    if (networkId !== undefined && responseErrorReason !== undefined) {
      if (this.#errors.size >= MAX_REMEMBERED) this.#errors.clear();
      this.#errors.set(networkId, responseErrorReason);
    }
    this.#connection.send("Fetch.continueRequest", { requestId }, this.#sessionId).catch(() => undefined);
  }
}
