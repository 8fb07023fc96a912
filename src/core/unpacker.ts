import { Gunzip, Inflate, Unzlib } from "fflate";
import { AppError } from "./errors.ts";

/** Input bytes per step. Deflate expands up to about 1,030 times, so a step exceeds the limit by at most some 4 MB. */
const PIECE_BYTES = 4_096;

/** Number of bytes that distinguish gzip, zlib and raw deflate. */
const FORMAT_BYTES = 3;

/** Files in a row that a gzip body may have (RFC 1952 § 2.2): each costs about 0.2 ms, also one of 20 bytes without content. */
const MAX_MEMBERS = 500;
/** Further members for each of so many bytes of output; block-wise compressors write one for each 64 kB. */
const BYTES_PER_MEMBER = 16_384;
/**
 * Input of a layer that may unpack to nothing, and how many times as long as its output the input may be beyond that.
 * Compressed data is longer than its content only where a server flushes single bytes. Blocks without content cost as
 * much time as others, and no limit of the output would apply to them.
 */
const EMPTY_INPUT_BYTES = 65_536;
const MAX_INPUT_RATIO = 8;
/**
 * Input that waits for more of it. The formats need some 64 kB at most, for a block that is not packed or the extra field of
 * a header; names without an end, and bytes behind the end of a stream, would be copied and read again with each piece.
 */
const MAX_PENDING_BYTES = 131_072;

/**
 * Decompresses gzip, zlib and deflate (RFC 1950 to 1952) incrementally, also in several layers. Counts the output of
 * each layer during decompression: native streams decompress their whole input first, so that one kilobyte compressed
 * twice takes a gigabyte before a limit can apply.
 */
export class Unpacker {
  readonly #layers: readonly Layer[];
  #unpacked: Uint8Array[] = [];

  constructor({ layers, maxBytes }: { layers: number; maxBytes: number }) {
    this.#layers = Array.from({ length: layers }, () => new Layer(maxBytes));
  }

  /**
   * Decompresses bytes in steps of some 4 kB of a layer's input; the caller may give way between them.
   * @yields the output of each step.
   * @throws AppError `SCRAPE_BODY_TOO_LARGE` when a layer exceeds the limit, and Error for bytes that are not packed or
   * that unpack to almost nothing
   */
  *write(bytes: Uint8Array): Generator<Uint8Array[]> {
    for (const _ of this.#push(bytes, { depth: 0, isLast: false })) yield this.rest();
  }

  /** Ends the input, like `write`. @throws Error when it was incomplete */
  *end(): Generator<Uint8Array[]> {
    for (const _ of this.#push(new Uint8Array(0), { depth: 0, isLast: true })) yield this.rest();
  }

  /** Returns what was unpacked before the input turned out to be too long. */
  rest(): Uint8Array[] {
    const unpacked = this.#unpacked;
    this.#unpacked = [];
    return unpacked;
  }

  *#push(bytes: Uint8Array, { depth, isLast }: { depth: number; isLast: boolean }): Generator<void> {
    const layer = this.#layers[depth];
    if (layer === undefined) return void this.#unpacked.push(bytes);
    for (const output of layer.unpack(bytes, isLast)) {
      for (const piece of output) yield* this.#push(piece.bytes, { depth: depth + 1, isLast: piece.isLast });
      yield;
    }
  }
}

interface Piece {
  bytes: Uint8Array;
  isLast: boolean;
}

class Layer {
  readonly #maxBytes: number;
  #head = new Uint8Array(0);
  #stream: Gunzip | Inflate | Unzlib | undefined;
  #output: Piece[] = [];
  #inputBytes = 0;
  #outputBytes = 0;
  #members = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @yields the output of each step. */
  *unpack(bytes: Uint8Array, isLast: boolean): Generator<readonly Piece[]> {
    let rest = bytes;
    if (this.#stream === undefined) {
      // Too short a beginning does not tell the format.
      this.#head = joined(this.#head, bytes);
      if (this.#head.byteLength < FORMAT_BYTES && !isLast) return;
      // No bytes are an empty body, not an incomplete one.
      if (this.#head.byteLength === 0) return yield [{ bytes: this.#head, isLast: true }];
      rest = this.#head;
      this.#stream = this.#open(rest);
    }
    for (let at = 0; at === 0 || at < rest.byteLength; at += PIECE_BYTES) {
      const piece = rest.subarray(at, at + PIECE_BYTES);
      this.#inputBytes += piece.byteLength;
      this.#stream.push(piece, isLast && at + PIECE_BYTES >= rest.byteLength);
      this.#assertContent();
      assertProgress(this.#stream);
      const output = this.#output;
      this.#output = [];
      yield output;
    }
  }

  #open([first = 0, second = 0, third = 0]: Uint8Array): Gunzip | Inflate | Unzlib {
    const take = (bytes: Uint8Array, isLast: boolean): void => this.#take(bytes, isLast);
    if (first === 0x1f && second === 0x8b && third === 8) {
      const stream = new Gunzip(take);
      stream.onmember = () => {
        this.#members += 1;
        this.#assertContent();
      };
      return stream;
    }
    const isZlib = (first & 15) === 8 && first >> 4 <= 7 && ((first << 8) | second) % 31 === 0;
    return isZlib ? new Unzlib(take) : new Inflate(take);
  }

  #take(bytes: Uint8Array, isLast: boolean): void {
    this.#outputBytes += bytes.byteLength;
    if (this.#outputBytes > this.#maxBytes) {
      throw new AppError("SCRAPE_BODY_TOO_LARGE", `The response decompresses to more than ${this.#maxBytes} bytes`);
    }
    if (bytes.byteLength > 0 || isLast) this.#output.push({ bytes, isLast });
  }

  #assertContent(): void {
    if (
      this.#members > MAX_MEMBERS + this.#outputBytes / BYTES_PER_MEMBER ||
      this.#inputBytes > EMPTY_INPUT_BYTES + this.#outputBytes * MAX_INPUT_RATIO
    ) {
      throw new Error(`${this.#inputBytes} packed bytes unpack to no more than ${this.#outputBytes}`);
    }
  }
}

/** The library keeps the input that waits in `p`, which its types do not have. */
function assertProgress(stream: object): void {
  const pending: unknown = Reflect.get(stream, "p");
  if (pending instanceof Uint8Array && pending.byteLength <= MAX_PENDING_BYTES) return;
  throw new Error("The packed bytes have a header or a block without an end, or go on behind their end");
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.byteLength + second.byteLength);
  whole.set(first);
  whole.set(second, first.byteLength);
  return whole;
}
