/** Part of a stored object that is in memory while the client reads. */
const PIECE_BYTES = 65_536;

/** Returns a stream of bytes piece by piece, each of them once it is asked for. The runtime's own pieces are of 4 kB. */
export async function* bytePieces(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  const reader = body.getReader({ mode: "byob" });
  try {
    for (;;) {
      const { value, done } = await reader.read(new Uint8Array(PIECE_BYTES));
      if (done) return undefined;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Returns pieces as a stream: each is made when the client asks for it, and none after it has left.
 * @param isLazy the first piece too; without it, it is made ahead
 */
export function streamOf(
  pieces: AsyncGenerator<Uint8Array, undefined>,
  { isLazy = false } = {},
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: isLazy ? 0 : 1 },
  );
}
