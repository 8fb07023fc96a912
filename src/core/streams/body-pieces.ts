/** workerd hands a plain reader at most 4 kB at a time, and switching between it, the proxy and the page costs most of a read. */
const PIECE_BYTES = 65_536;
/** After so many pieces that are shorter than this on average, the runtime collects longer ones before it hands them over. */
const FEW_PIECES = 64;
const SHORT_BYTES = 1_024;
const COLLECTED_BYTES = 8_192;

/** Reads a body in pieces. */
export interface BodyPieces {
  /**
   * Resolves with the next piece, or undefined at the end. The pieces of a stream that the runtime made have at most some 64 kB.
   * A body in chunks of a few bytes, each of which takes 50 µs to be handed over, comes in pieces of 8 kB or more, but for its
   * beginning and end.
   */
  next(): Promise<Uint8Array | undefined>;
  /** Ends the load; what was not read is lost. Pending and further reads end as well. */
  cancel(reason?: unknown): Promise<void>;
}

/** Reads a stream: into one buffer when it can fill one, as the body of a response can, and as it comes otherwise. */
export function bodyPieces(stream: ReadableStream<Uint8Array>): BodyPieces {
  const filling = fillingReader(stream);
  if (filling === undefined) {
    const reader = stream.getReader();
    return {
      next: async () => (await reader.read()).value,
      cancel: (reason) => reader.cancel(reason),
    };
  }
  let buffer = new Uint8Array(PIECE_BYTES);
  let pieces = 0;
  let bytes = 0;
  return {
    async next() {
      const areShort = pieces >= FEW_PIECES && bytes < pieces * SHORT_BYTES;
      // The last bytes may come with the end of the stream.
      const { done, value }: { done: boolean; value?: Uint8Array<ArrayBuffer> | undefined } = areShort
        ? await filling.readAtLeast(COLLECTED_BYTES, buffer)
        : await filling.read(buffer);
      if (value === undefined || (done && value.byteLength === 0)) return undefined;
      pieces += 1;
      bytes += value.byteLength;
      buffer = new Uint8Array(value.buffer);
      return value.slice();
    },
    cancel: (reason) => filling.cancel(reason),
  };
}

/** Returns a reader that fills buffers; undefined where the runtime has none that collects a number of bytes. */
function fillingReader(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  if (!("readAtLeast" in ReadableStreamBYOBReader.prototype)) return undefined;
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    // A stream of a script, which has no bytes of its own to fill a buffer with.
    return undefined;
  }
}
