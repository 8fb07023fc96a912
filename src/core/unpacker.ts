import { Decompress } from "fflate";
import { AppError } from "./errors.ts";

/** Input bytes per step. Deflate expands up to about 1,030 times, so a step exceeds the limit by at most some 4 MB. */
const PIECE_BYTES = 4_096;

/** Number of bytes that distinguish gzip, zlib and raw deflate. */
const FORMAT_BYTES = 3;

/** Receives the output of a layer: the next layer, or the result. */
type Sink = (bytes: Uint8Array, isLast: boolean) => void;

/**
 * Decompresses gzip, zlib and deflate (RFC 1950 to 1952) incrementally, also in several layers. Counts the output of
 * each layer during decompression: native streams decompress their whole input first, so that one kilobyte compressed
 * twice takes a gigabyte before a limit can apply.
 */
export class Unpacker {
  readonly #maxBytes: number;
  readonly #outermost: Sink;
  #unpacked: Uint8Array[] = [];

  constructor({ layers, maxBytes }: { layers: number; maxBytes: number }) {
    this.#maxBytes = maxBytes;
    let sink: Sink = (bytes) => void this.#unpacked.push(bytes);
    for (let layer = 0; layer < layers; layer++) sink = this.#layer(sink);
    this.#outermost = sink;
  }

  /**
   * Decompresses bytes. @returns the output.
   * @throws AppError `SCRAPE_BODY_TOO_LARGE` when a layer exceeds the limit, and Error for bytes that are not packed
   */
  write(bytes: Uint8Array): Uint8Array[] {
    return this.#push(bytes, false);
  }

  /** Ends the input. @throws Error when it was incomplete */
  end(): Uint8Array[] {
    return this.#push(new Uint8Array(0), true);
  }

  #push(bytes: Uint8Array, isLast: boolean): Uint8Array[] {
    this.#outermost(bytes, isLast);
    return this.rest();
  }

  /** Returns what was unpacked before the input turned out to be too long. */
  rest(): Uint8Array[] {
    const unpacked = this.#unpacked;
    this.#unpacked = [];
    return unpacked;
  }

  #layer(next: Sink): Sink {
    let unpackedBytes = 0;
    let head = new Uint8Array(0);
    let hasBegun = false;
    const stream = new Decompress((piece, isLast) => {
      unpackedBytes += piece.byteLength;
      if (unpackedBytes > this.#maxBytes) {
        throw new AppError("SCRAPE_BODY_TOO_LARGE", `The response decompresses to more than ${this.#maxBytes} bytes`);
      }
      next(piece, isLast);
    });
    return (bytes, isLast) => {
      let rest = bytes;
      if (!hasBegun) {
        // The library drops a beginning that is too short to detect the format.
        head = joined(head, bytes);
        if (head.byteLength < FORMAT_BYTES && !isLast) return;
        // No bytes are an empty body, not an incomplete one.
        if (head.byteLength === 0) return next(head, true);
        rest = head;
        hasBegun = true;
      }
      for (let at = 0; at === 0 || at < rest.byteLength; at += PIECE_BYTES) {
        stream.push(rest.subarray(at, at + PIECE_BYTES), isLast && at + PIECE_BYTES >= rest.byteLength);
      }
    };
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.byteLength + second.byteLength);
  whole.set(first);
  whole.set(second, first.byteLength);
  return whole;
}
