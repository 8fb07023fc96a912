import type { Protocol } from "devtools-protocol";
import { mostUnpackedBytes } from "../../outbound/read-body.ts";
import { within } from "../abortable.ts";
import type { CdpConnection } from "../cdp-connection.ts";
import { bodyRoomOf, type BodyPlace } from "./body-room.ts";

/** The first chunk is all of most bodies. Each further one is as long as those before it, up to the limit. */
const FIRST_CHUNK_BYTES = 500_000;
const MAX_CHUNK_BYTES = 4_000_000;
/** A request that is gone may not be answered. */
const HAND_ON_LIMIT_MS = 5_000;

interface BodyOptions {
  connection: Pick<CdpConnection, "send" | "closed">;
  paused: Pick<Protocol.Fetch.RequestPausedEvent, "requestId" | "responseHeaders">;
  sessionId: string | undefined;
  maxBytes: number;
}

/** The decoded body of a paused response, which has its place in the memory of the service until it is released. */
export class ResponseBody {
  readonly #options: BodyOptions;
  #place: BodyPlace | undefined;

  constructor(options: BodyOptions) {
    this.#options = options;
  }

  /**
   * Returns the body, or undefined when it is longer than `maxBytes`, or than its compression explains. Reads in chunks:
   * an endless body, or one that decompresses to gigabytes, is abandoned as soon as it is too long. Long bodies wait for
   * one another. Afterwards the request must be fulfilled or failed.
   * @throws Error when there is no room for the body
   */
  async read(): Promise<Buffer | undefined> {
    const { connection, paused, sessionId } = this.#options;
    const { requestId } = paused;
    this.#place = await bodyRoomOf(connection).enter();
    const { stream: handle } = await connection.send("Fetch.takeResponseBodyAsStream", { requestId }, sessionId);
    try {
      return await this.#collect(handle, this.#place);
    } finally {
      connection.send("IO.close", { handle }, sessionId).catch(() => undefined);
    }
  }

  /** Fulfills the request, and resolves when the browser has the body. */
  async fulfill(params: Protocol.Fetch.FulfillRequestRequest): Promise<void> {
    const { connection, sessionId } = this.#options;
    const fulfilled = connection.send("Fetch.fulfillRequest", params, sessionId).catch(() => undefined);
    await within(fulfilled, HAND_ON_LIMIT_MS, undefined);
  }

  /** Gives the place of the body back. */
  release(): void {
    this.#place?.leave();
  }

  async #collect(handle: string, place: BodyPlace): Promise<Buffer | undefined> {
    const { connection, paused, sessionId, maxBytes } = this.#options;
    const limitBytes = mostUnpackedBytes((name) => headerOf(paused, name), maxBytes);
    const chunks: Buffer[] = [];
    let length = 0;
    for (;;) {
      const size = Math.min(MAX_CHUNK_BYTES, Math.max(FIRST_CHUNK_BYTES, length));
      if (length > 0) await place.take(size);
      const { data, base64Encoded, eof } = await connection.send("IO.read", { handle, size }, sessionId);
      const chunk = Buffer.from(data, base64Encoded === true ? "base64" : "utf8");
      chunks.push(chunk);
      length += chunk.byteLength;
      place.count(chunk.byteLength);
      if (length > limitBytes) return undefined;
      if (eof) return chunks.length === 1 ? chunk : Buffer.concat(chunks);
    }
  }
}

function headerOf({ responseHeaders = [] }: BodyOptions["paused"], wanted: string): string | undefined {
  return responseHeaders.find(({ name }) => name.toLowerCase() === wanted)?.value;
}
