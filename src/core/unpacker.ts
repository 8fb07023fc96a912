import { Decompress } from "fflate";
import { AppError } from "./errors.ts";

/** Deflate grows at most about 1,030 times, so that one piece cannot pass the limit by more than some 4 MB. */
const PIECE_BYTES = 4_096;

/** So much tells gzip, zlib and bare deflate apart. */
const FORMAT_BYTES = 3;

/** Called for what one layer gives: the next layer, or the result. */
type Sink = (bytes: Uint8Array, isLast: boolean) => void;

/**
 * Undoes gzip, zlib and deflate (RFC 1950 to 1952), several on top of each other if need be, as the bytes come in. What
 * each layer unpacks to is counted while it is unpacked: the native streams unpack all that they are given first, so that
 * one kilobyte that was packed twice holds a gigabyte before anybody sees it.
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
   * Takes bytes in. @returns what they unpack to.
   * @throws AppError `SCRAPE_BODY_TOO_LARGE` as soon as a layer passes the limit, and Error for bytes that are not packed
   */
  write(bytes: Uint8Array): Uint8Array[] {
    return this.#push(bytes, false);
  }

  /** Ends the input. @throws Error when it broke off */
  end(): Uint8Array[] {
    return this.#push(new Uint8Array(0), true);
  }

  #push(bytes: Uint8Array, isLast: boolean): Uint8Array[] {
    this.#outermost(bytes, isLast);
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
        throw new AppError("SCRAPE_BODY_TOO_LARGE", `The response unpacks to more than ${this.#maxBytes} bytes`);
      }
      next(piece, isLast);
    });
    return (bytes, isLast) => {
      let rest = bytes;
      if (!hasBegun) {
        // The library forgets a beginning that is too short to tell the format by.
        head = joined(head, bytes);
        if (head.byteLength < FORMAT_BYTES && !isLast) return;
        // Nothing at all is an empty body, not one that broke off.
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
