/** Bytes of a line with the size of a chunk, with its extensions, or of a trailer field. */
const LINE_BYTES = 8_192;
/** Trailer fields of one body. */
const MOST_TRAILERS = 100;
/** Chunks of one body, and one more for so many bytes: each costs the service as much as a thousand bytes, however small it is. */
const MOST_SMALL_CHUNKS = 10_000;
const BYTES_OF_CHUNK = 32;
const CHUNK_SIZE = /^([\da-f]{1,12})[ \t]*(?:;.*)?$/i;
const LINE_FEED = 0x0a;

/** Finds the end of the body of a message (RFC 9112 § 6), without keeping it. */
export interface MessageBody {
  readonly isComplete: boolean;
  /** Bytes that are still to come; undefined when that is not known. */
  readonly left: number | undefined;
  /**
   * @returns how many of the bytes, from the first on, belong to the body.
   * @throws Error when the body breaks its framing.
   */
  take(bytes: Buffer): number;
}

/** A body of which the number of bytes is known. */
export class SizedBody implements MessageBody {
  #left: number;

  constructor(size: number) {
    this.#left = size;
  }

  get isComplete(): boolean {
    return this.#left === 0;
  }

  get left(): number {
    return this.#left;
  }

  take(bytes: Buffer): number {
    const taken = Math.min(this.#left, bytes.byteLength);
    this.#left -= taken;
    return taken;
  }
}

/** A body that goes on until the connection ends. */
export const ENDLESS_BODY: MessageBody = {
  isComplete: false,
  left: undefined,
  take: (bytes) => bytes.byteLength,
};

/** A body in chunks (RFC 9112 § 7.1). */
export class ChunkedBody implements MessageBody {
  readonly left = undefined;
  #state: "size" | "data" | "after data" | "trailers" | "complete" = "size";
  #line = "";
  #dataLeft = 0;
  #trailers = 0;
  #chunks = 0;
  #dataBytes = 0;

  get isComplete(): boolean {
    return this.#state === "complete";
  }

  take(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.byteLength && this.#state !== "complete") {
      if (this.#state === "data") {
        const taken = Math.min(this.#dataLeft, bytes.byteLength - at);
        at += taken;
        this.#dataLeft -= taken;
        if (this.#dataLeft === 0) this.#state = "after data";
        continue;
      }
      const feed = bytes.indexOf(LINE_FEED, at);
      const end = feed < 0 ? bytes.byteLength : feed;
      this.#line += bytes.toString("latin1", at, end);
      if (this.#line.length > LINE_BYTES) throw new Error("A line of the chunked body is too long");
      at = Math.min(end + 1, bytes.byteLength);
      if (feed >= 0) this.#takeLine(lineOf(this.#line));
    }
    return at;
  }

  #takeLine(line: string): void {
    this.#line = "";
    if (this.#state === "size") this.#takeSize(line);
    else if (this.#state === "trailers") {
      if (line === "") this.#state = "complete";
      else if (++this.#trailers > MOST_TRAILERS) throw new Error("The chunked body has too many trailer fields");
    } else {
      if (line !== "") throw new Error("A chunk is longer than its size");
      this.#state = "size";
    }
  }

  #takeSize(line: string): void {
    const size = CHUNK_SIZE.exec(line)?.[1];
    if (size === undefined) throw new Error("The size of a chunk is not a hexadecimal number");
    this.#dataLeft = parseInt(size, 16);
    this.#dataBytes += this.#dataLeft;
    if (++this.#chunks > MOST_SMALL_CHUNKS + this.#dataBytes / BYTES_OF_CHUNK) {
      throw new Error(
        "The chunks of the body are too many and too small; send it in larger ones, or with Content-Length",
      );
    }
    this.#state = this.#dataLeft === 0 ? "trailers" : "data";
  }
}

/**
 * Returns a line without its end. A bare line feed ends none: readers disagree about it, and workerd waits for more after a
 * last line that ends so.
 */
function lineOf(text: string): string {
  if (!text.endsWith("\r")) throw new Error("A line of the chunked body does not end in CR LF");
  return text.slice(0, -1);
}
