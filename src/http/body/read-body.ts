import type { Context } from "hono";
import { AppError, isAppError } from "../../core/errors.ts";
import type { Owner } from "../../core/fair-order.ts";
import { SHORT_BYTES, takeRoom } from "../../core/waits/take-room.ts";
import type { AppEnv } from "../context.ts";
import { bodyInTime } from "./body-in-time.ts";

/** Most that is read of a refused body so that its sender can finish: Cloudflare's limit on most plans. */
export const MAX_DISCARDED_BYTES = 100_000_000;

/** Limits of a body. */
interface BodyLimits {
  maxBytes: number;
  /** Whose memory a long body takes. */
  owner: Owner;
  /** Ms that a long body waits for room. */
  waitMs: number;
  /** Bytes that are read at most of a body that is refused, so that its sender can finish. Default: `maxBytes`. */
  mostDropped?: number;
}

/** A body on its way. */
interface LimitedBody {
  /** Throws when it is read, besides what `readWhole` throws. */
  stream: ReadableStream<Uint8Array>;
  /** Frees the room that the body has taken. It may be called twice, and at any time. */
  release(): void;
}

/**
 * The body of a request, in the time that a body has. When more than 64 kB of it have arrived, the rest waits for room for all of it:
 * for as much as it declares, or for the maximum. The rest of a refused body is dropped: a client that is still sending would report a
 * lost connection instead of the error.
 */
export function limitedBody(c: Context<AppEnv>, body: ReadableStream<Uint8Array>, limits: BodyLimits): LimitedBody {
  const { settings } = c.var.deps;
  const { maxBytes, mostDropped = maxBytes } = limits;
  const room = new BodyRoom(c, limits);
  const reader = bodyInTime(body, settings.bodyTimeMs, () => room.waitedMs).getReader();
  let refusal: AppError | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { value } = await reader.read().catch((error: unknown) => Promise.reject(brokenBody(error)));
          if (value === undefined) {
            room.shrink();
            if (refusal !== undefined) throw refusal;
            return controller.close();
          }
          room.size += value.byteLength;
          refusal ??= await room.refusal();
          if (refusal === undefined) return controller.enqueue(value);
          if (room.size > mostDropped) {
            reader.cancel().catch(() => undefined);
            throw refusal;
          }
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { stream, release: () => room.release() };
}

/** The room that one body takes. */
class BodyRoom {
  /** Bytes that have arrived. */
  size = 0;
  /** Ms for which the body has waited for room, which are not its sender's. */
  waitedMs = 0;
  #free: (() => void) | undefined;
  #isReleased = false;
  readonly #c: Context<AppEnv>;
  readonly #limits: BodyLimits;

  constructor(c: Context<AppEnv>, limits: BodyLimits) {
    this.#c = c;
    this.#limits = limits;
  }

  /** Waits for room for what has arrived, and for the rest with it. @returns why the body is refused */
  async refusal(): Promise<AppError | undefined> {
    if (this.size > this.#limits.maxBytes) {
      this.release();
      return new AppError("PAYLOAD_TOO_LARGE");
    }
    if (this.size <= SHORT_BYTES || this.#free !== undefined) return undefined;
    const { memory, clientLeft: left } = this.#c.var.deps;
    const { owner, waitMs, maxBytes } = this.#limits;
    const sinceMs = Date.now();
    try {
      const free = await takeRoom(memory, owner, declaredBytes(this.#c) ?? maxBytes, { waitMs, left });
      if (this.#isReleased) free();
      this.#free = free;
    } catch (error) {
      if (isAppError(error)) return error;
      throw error;
    } finally {
      this.waitedMs = Date.now() - sinceMs;
    }
    return undefined;
  }

  /** Frees what the body does not need, of which the length was not known. */
  shrink(): void {
    if (this.#free === undefined || this.#isReleased) return;
    const { memory, clientLeft } = this.#c.var.deps;
    const free = memory.hold(this.#limits.owner, this.size, clientLeft);
    this.#free();
    this.#free = free;
  }

  release(): void {
    this.#isReleased = true;
    this.#free?.();
  }
}

/**
 * Reads a whole body.
 * @throws AppError `PAYLOAD_TOO_LARGE` for more than `maxBytes`, `REQUEST_TIMEOUT`, `BAD_REQUEST` for a broken body, `RATE_LIMITED`
 */
export async function readWhole(
  c: Context<AppEnv>,
  limits: BodyLimits,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; release: () => void }> {
  const { body } = c.req.raw;
  if (body === null) return { bytes: new Uint8Array(), release: () => undefined };
  const { stream, release } = limitedBody(c, body, limits);
  try {
    return { bytes: await collect(stream, declaredBytes(c)), release };
  } catch (error) {
    release();
    throw brokenBody(error);
  }
}

/** @param length of the bytes, where it is known: then they are in memory once */
async function collect(
  stream: ReadableStream<Uint8Array>,
  length: number | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  let pieces: Uint8Array[] = [];
  let whole: Uint8Array<ArrayBuffer> | undefined;
  let size = 0;
  for await (const piece of stream) {
    if (whole === undefined && length !== undefined && size > SHORT_BYTES && size <= length)
      whole = joined(pieces, length);
    if (whole !== undefined && size + piece.byteLength > whole.byteLength) {
      pieces = [whole.subarray(0, size)];
      whole = undefined;
    }
    if (whole === undefined) pieces.push(piece);
    else whole.set(piece, size);
    size += piece.byteLength;
  }
  return whole === undefined ? joined(pieces, size) : whole.subarray(0, size);
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.byteLength;
  }
  return whole;
}

/** Refuses a body that declares more than a maximum. @throws AppError `PAYLOAD_TOO_LARGE` */
export async function assertDeclaredWithin(c: Context<AppEnv>, maxBytes: number): Promise<void> {
  const declared = declaredBytes(c) ?? 0;
  if (declared <= maxBytes) return;
  if (declared <= MAX_DISCARDED_BYTES) await discard(c);
  throw new AppError("PAYLOAD_TOO_LARGE");
}

/** Reads a refused body: a client that is still sending would report a lost connection instead. */
async function discard(c: Context<AppEnv>): Promise<void> {
  const { body } = c.req.raw;
  if (body === null) return;
  let size = 0;
  try {
    for await (const chunk of bodyInTime(body, c.var.deps.settings.bodyTimeMs)) {
      size += chunk.byteLength;
      if (size > MAX_DISCARDED_BYTES) return;
    }
  } catch {
    // The rest of the body is broken or late, and is not used anyway.
  }
}

/** Returns the error for a body that could not be received to its end, such as one in damaged chunks. */
export function brokenBody(cause: unknown): AppError {
  if (isAppError(cause)) return cause;
  return new AppError(
    "BAD_REQUEST",
    "The request body could not be received: its chunks are invalid, or the connection was lost",
  );
}

/** Returns the length of the body; undefined for one in chunks. */
function declaredBytes(c: Context): number | undefined {
  const { headers } = c.req.raw;
  const length = headers.get("Content-Length");
  return length === null || headers.has("Transfer-Encoding") || !/^\d+$/.test(length) ? undefined : Number(length);
}
