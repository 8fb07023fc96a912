import { Transform, type TransformCallback } from "node:stream";

/** Length in bytes from which a piece is handed on as it is. */
const LONG_BYTES = 4_096;
/** Bytes that are collected before they are handed on. */
const JOINED_BYTES = 65_536;

/**
 * Joins the short pieces of a body that arrive together. A body may come in chunks of one byte: each of them would take
 * hundreds of bytes of memory while it waits, and be written and read by itself.
 */
export class JoinedPieces extends Transform {
  #buffer: Buffer | undefined;
  #used = 0;
  #isDue = false;

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (piece.byteLength >= LONG_BYTES) {
      this.#handOn();
      this.push(piece);
    } else this.#collect(piece);
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#handOn();
    done();
  }

  #collect(piece: Buffer): void {
    if (this.#used + piece.byteLength > JOINED_BYTES) this.#handOn();
    const buffer = (this.#buffer ??= Buffer.allocUnsafe(JOINED_BYTES));
    piece.copy(buffer, this.#used);
    this.#used += piece.byteLength;
    if (this.#isDue) return;
    this.#isDue = true;
    // After all that has arrived.
    setImmediate(() => {
      this.#isDue = false;
      this.#handOn();
    });
  }

  #handOn(): void {
    if (this.#buffer === undefined || this.#used === 0 || this.destroyed) return;
    this.push(Buffer.from(this.#buffer.subarray(0, this.#used)));
    this.#used = 0;
  }
}
