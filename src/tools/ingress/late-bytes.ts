import type { Duplex } from "node:stream";

/** Bytes that a client may send after its last response; a client that writes first reads the response after them. */
const LATE_BYTES = 128 * 1024 * 1024;
/** For a client that neither reads on nor closes its side; longer for one that sends more, by a ms for so many bytes. */
export const LINGER_MS = 30_000;
const BYTES_PER_MS = 16;

/** Takes what nobody will read: a client that writes first would not come to its response otherwise. */
export class LateBytes {
  readonly #client: Duplex;
  #bytes = 0;

  /** @param client is closed some time after its last response was sent. */
  constructor(client: Duplex) {
    this.#client = client;
    client.once("finish", () => this.#closeAfter(LINGER_MS, performance.now()));
  }

  drop(bytes: Buffer): void {
    this.#bytes += bytes.byteLength;
    if (this.#bytes > LATE_BYTES) this.#client.destroy();
  }

  #closeAfter(ms: number, finishedMs: number): void {
    const close = (): void => {
      this.#client.off("close", forget);
      const leftMs = finishedMs + LINGER_MS + this.#bytes / BYTES_PER_MS - performance.now();
      if (leftMs <= 0) this.#client.destroy();
      else this.#closeAfter(leftMs, finishedMs);
    };
    const timer = setTimeout(close, ms);
    const forget = (): void => clearTimeout(timer);
    this.#client.once("close", forget);
  }
}
