import type { Protocol } from "devtools-protocol";
import type { CdpConnection, CdpEvent } from "../cdp-connection.ts";

const EMPTY_WAIT_MS = 100;
/** Documents of a page that come to their end are remembered no longer than the next ones. */
const MAX_REMEMBERED = 100;

/**
 * Notices documents whose transfer breaks off. Whoever takes the body of a response, as is done to add a policy to it, is
 * told nothing of how it ended: a lost connection looks like the end of the page. So a second session of the same page,
 * which stands nearer to the network because it was attached first, lets every response pass and hears of the error.
 */
export class TransferWatch {
  readonly #connection: CdpConnection;
  readonly #sessionId: string;
  readonly #errors = new Map<string, Protocol.Network.ErrorReason>();

  /** @param sessionId a session of the page that was attached before the one which takes bodies */
  constructor(connection: CdpConnection, sessionId: string) {
    this.#connection = connection;
    this.#sessionId = sessionId;
    connection.onEvent((event) => this.#receive(event));
  }

  /** To be sent before the other session intercepts anything. */
  start(): Promise<unknown> {
    const patterns = [{ urlPattern: "*", resourceType: "Document", requestStage: "Response" } as const];
    return this.#connection.send("Fetch.enable", { patterns }, this.#sessionId);
  }

  /** True for events of the watch's own session, which are dealt with here. */
  owns(event: CdpEvent): boolean {
    return event.sessionId === this.#sessionId;
  }

  /**
   * Why the transfer of a document broke off; undefined when it came to its end. To be asked once its body was read. The
   * error is on its way before the body's end, and may come in behind it: hence a round trip, and some more time for a
   * document of which nothing came.
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
