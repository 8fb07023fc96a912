/** workerd hands a plain reader at most 4 kB at a time, and switching between it, the proxy and the page costs most of a read. */
const PIECE_BYTES = 65_536;

/** Reads a body in pieces. */
export interface BodyPieces {
  /** Resolves with the next piece, of at most some 64 kB when the runtime made the stream, or undefined at the end. */
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
  return {
    async next() {
      const { done, value } = await filling.read(buffer);
      if (done) return undefined;
      buffer = new Uint8Array(value.buffer);
      return value.slice();
    },
    cancel: (reason) => filling.cancel(reason),
  };
}

function fillingReader(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    // A stream of a script, which has no bytes of its own to fill a buffer with.
    return undefined;
  }
}
