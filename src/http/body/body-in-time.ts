import { AppError } from "../../core/errors.ts";
import { bodyPieces } from "../../core/streams/body-pieces.ts";

/** Bytes that a body must have brought for each second beyond its time: 128 kbit/s. */
const LEAST_BYTES_PER_SECOND = 16_000;
/** Of a sender that is late: chunks that are accepted, and time for each. */
const LATE_CHUNKS = 3;
const GRACE_MS = 100;

/**
 * The body of a request, whose sender has a limited time for it, and a second more for each 16 kB: one that sends a byte
 * now and then holds a connection and memory for no longer.
 *
 * @param timeMs time of a body of any length, from now
 * @param waitedMs returns the time for which the service has not read the body
 * @returns the same bytes; reading them throws `REQUEST_TIMEOUT` once they are late, and what the body itself throws
 */
export function bodyInTime(
  body: ReadableStream<Uint8Array>,
  timeMs: number,
  waitedMs: () => number = () => 0,
): ReadableStream<Uint8Array> {
  const pieces = bodyPieces(body);
  const startedAtMs = Date.now();
  let size = 0;
  let lateChunks = 0;
  const remainingMs = (): number =>
    startedAtMs + timeMs + waitedMs() + (size / LEAST_BYTES_PER_SECOND) * 1000 - Date.now();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // An isolate that has been busy comes to its timers before the bytes that have arrived meanwhile.
      const waitMs = Math.max(0, remainingMs()) + GRACE_MS;
      if (waitMs === GRACE_MS) lateChunks += 1;
      const isTooLate = lateChunks > LATE_CHUNKS;
      const read = isTooLate
        ? undefined
        : await within(
            waitMs,
            pieces.next().then((piece) => ({ piece })),
          );
      if (read === undefined) {
        pieces.cancel().catch(() => undefined);
        throw new AppError("REQUEST_TIMEOUT");
      }
      if (read.piece === undefined) return controller.close();
      size += read.piece.byteLength;
      controller.enqueue(read.piece);
    },
    cancel: (reason) => pieces.cancel(reason),
  });
}

/** @returns what the promise resolves to; undefined after the time */
async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
