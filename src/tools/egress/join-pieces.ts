import type { Readable, Writable } from "node:stream";

/** Length in bytes from which a piece is handed on as it is. */
const LONG_BYTES = 4_096;
/** Short pieces that wait for others, at most: bytes, and number. */
const JOINED_BYTES = 65_536;
const MOST_JOINED = 1_024;

/**
 * Copies one stream to another, and joins the short pieces that arrive together: a body may come in chunks of one byte,
 * and each would be written and read by itself. It reads no faster than the other stream is written. When one of the
 * streams ends early, the other is destroyed.
 */
export function passJoined(from: Readable, to: Writable): void {
  const pieces = new JoinedPieces(to, () => from.pause());
  const breakOff = (): void => {
    from.destroy();
    to.destroy();
  };
  if (from.destroyed || to.destroyed) return breakOff();
  from.on("data", (piece: Buffer) => pieces.add(piece));
  from.once("end", () => pieces.end());
  from.on("error", breakOff);
  from.once("close", () => {
    if (!from.readableEnded) breakOff();
  });
  to.on("drain", () => from.resume());
  to.on("error", breakOff);
  to.once("close", () => {
    if (!from.readableEnded) from.destroy();
  });
}

class JoinedPieces {
  readonly #to: Writable;
  readonly #onFull: () => void;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #isDue = false;

  /** @param onFull is called when no more should be added until the stream drains */
  constructor(to: Writable, onFull: () => void) {
    this.#to = to;
    this.#onFull = onFull;
  }

  add(piece: Buffer): void {
    const isLong = piece.byteLength >= LONG_BYTES;
    if (isLong) this.#handOn();
    this.#waiting.push(piece);
    this.#bytes += piece.byteLength;
    if (isLong || this.#bytes >= JOINED_BYTES || this.#waiting.length >= MOST_JOINED) this.#handOn();
    else this.#handOnSoon();
  }

  /** After all that has arrived. */
  #handOnSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#handOn();
    });
  }

  end(): void {
    const last = this.#take();
    if (this.#to.destroyed) return;
    if (last === undefined) this.#to.end();
    else this.#to.end(last);
  }

  #handOn(): void {
    const piece = this.#take();
    if (piece !== undefined && !this.#to.destroyed && !this.#to.write(piece)) this.#onFull();
  }

  #take(): Buffer | undefined {
    const [pieces, bytes] = [this.#waiting, this.#bytes];
    [this.#waiting, this.#bytes] = [[], 0];
    return pieces.length > 1 ? Buffer.concat(pieces, bytes) : pieces[0];
  }
}
