import { AppError, isAppError } from "../../core/errors.ts";
import { Unpacker } from "../../core/unpacker.ts";
import { bodyPieces } from "../../core/streams/body-pieces.ts";
import { MemoryBudget } from "./memory-budget.ts";

/** Below this size no body counts as a compression bomb, whatever its compression ratio. */
const BOMB_FLOOR_BYTES = 8_000_000;
/** Text compresses 3 to 30 times; a higher ratio than this is deliberate. */
const MAX_COMPRESSION_RATIO = 150;

/** Bodies up to this size are read at once. */
const SMALL_BYTES = 1_000_000;
/**
 * Memory budget of the larger bodies that are being read. A Worker has 128 MB, and several worker runs of a crawl load
 * 8 pages each; the largest page may exceed this, alone. Bodies whose sites are silent are dropped for it.
 */
const room = new MemoryBudget(32_000_000);

interface ReadOptions {
  /** Reports whether more of a large body may be read now. */
  hasRoom?: (() => boolean) | undefined;
  /** True where the beginning of a larger body is enough. */
  cutsBody?: boolean | undefined;
}

/**
 * Reads a body up to a size, counted after decompression. Large bodies wait for the memory budget, and until `hasRoom`.
 * @throws AppError `SCRAPE_BODY_TOO_LARGE` as soon as the limit or the compression ratio is exceeded; the rest is not
 * read. `SCRAPE_TIMEOUT` for a body that comes slowly while others need its memory.
 */
export async function readBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
  { hasRoom = () => true, cutsBody = false }: ReadOptions = {},
): Promise<Uint8Array> {
  const declared = Number(response.headers.get("content-length") ?? Number.NaN);
  const isPacked = (response.headers.get("content-encoding") ?? "identity") !== "identity";
  if (!isPacked && !cutsBody && declared > maxBytes) {
    await response.body?.cancel();
    throw tooLarge(`it says ${declared} bytes, the limit is ${maxBytes}`);
  }
  if (response.body === null) return new Uint8Array(0);
  if (!isPacked && declared >= 0 && declared <= Math.min(maxBytes, SMALL_BYTES))
    return new Uint8Array(await whole(response, signal));
  const layers = layersOf(response.headers.get("content-encoding") ?? "");
  const limitBytes = mostUnpackedBytes((name) => response.headers.get(name), maxBytes);
  const unpacker =
    layers === 0 ? undefined : new Unpacker({ layers, maxBytes: cutsBody ? 2 * limitBytes : limitBytes });
  return collect(response.body, { unpacker, limitBytes, signal, hasRoom, cutsBody });
}

/** Returns the number of bytes beyond which a body is not read: `maxBytes`, or fewer where more would be a compression bomb. */
export function mostUnpackedBytes(header: (name: string) => string | null | undefined, maxBytes: number): number {
  const isPacked = (header("content-encoding") ?? "identity") !== "identity";
  const declared = Number(header("content-length") ?? 0);
  if (!isPacked || !(declared > 0)) return maxBytes;
  return Math.min(maxBytes, Math.max(BOMB_FLOOR_BYTES, declared * MAX_COMPRESSION_RATIO));
}

/** Values of the header for which the runtime's fetch decodes the body while it is read, or has nothing to decode: no other spelling. */
const UNPACKED = new Set(["", "identity", "gzip", "br"]);
const KNOWN = new Set(["gzip", "x-gzip", "deflate"]);
/** Compressions that cannot be unpacked here. A value that names none, such as `utf-8`, `none` or `aws-chunked`, is ignored, as browsers do. */
const UNSUPPORTED = new Set("br zstd compress x-compress dcb dcz bzip2 x-bzip2 lzma xz exi pack200-gzip".split(" "));
/** Limit of nested codings; no legitimate page needs more. */
const MAX_LAYERS = 4;

/**
 * Returns how many content codings fetch does not decode: `deflate`, several in sequence, and gzip in another spelling
 * (RFC 9110 § 8.4).
 * @throws AppError `SCRAPE_UNSUPPORTED_FILE_ERROR` that names an unsupported coding.
 */
function layersOf(contentEncoding: string): number {
  if (UNPACKED.has(contentEncoding)) return 0;
  const codings = contentEncoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim());
  const layers = codings.filter((coding) => KNOWN.has(coding)).length;
  if (layers > MAX_LAYERS || codings.some((coding) => UNSUPPORTED.has(coding))) {
    throw new AppError(
      "SCRAPE_UNSUPPORTED_FILE_ERROR",
      `The site packs its answer as ${contentEncoding.slice(0, 100)}, which cannot be unpacked`,
    );
  }
  return layers;
}

/** Reads a small body of known length in one piece, for less than half the cost of reading its chunks. */
async function whole(response: Response, signal: AbortSignal): Promise<ArrayBuffer> {
  if (signal.aborted) throw signal.reason;
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([response.arrayBuffer(), stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

interface Collecting {
  unpacker: Unpacker | undefined;
  limitBytes: number;
  signal: AbortSignal;
  hasRoom(): boolean;
  cutsBody: boolean;
}

/** Pieces of a body that are read without a pause for other requests. */
const PIECES_IN_A_TURN = 32;
/** Steps of unpacking without a pause: a piece of the body may have layers that unpack to thousands of steps. */
const STEPS_IN_A_TURN = 16;
/** Interval in ms at which a body that waits for room asks again. */
const ROOM_MS = 100;
const TOO_SLOW = "The site sends the page too slowly: others needed the memory that its beginning took";

async function collect(
  stream: ReadableStream<Uint8Array>,
  { unpacker, limitBytes, signal, hasRoom, cutsBody }: Collecting,
): Promise<Uint8Array> {
  const body = bodyPieces(stream);
  const stop = (): void => void body.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  const chunks: Uint8Array[] = [];
  let isDropped = false;
  const reservation = room.enter(() => {
    isDropped = true;
    chunks.length = 0;
  });
  let total = 0;
  let taken = SMALL_BYTES;
  let steps = 0;
  try {
    for (let pieces = 1; ; pieces++) {
      const read = await body.next();
      if (pieces % PIECES_IN_A_TURN === 0) await nextTask();
      if (signal.aborted) throw signal.reason;
      if (isDropped) throw new AppError("SCRAPE_TIMEOUT", TOO_SLOW);
      for (const { pieces: found, tooLong } of unpacked(read, unpacker)) {
        for (const piece of found) {
          total += piece.byteLength;
          chunks.push(piece);
        }
        if (tooLong !== undefined && cutsBody && total > 0) return join(chunks, total);
        if (tooLong !== undefined) throw tooLong;
        if (total > limitBytes && cutsBody) return join(chunks, total);
        if (total > limitBytes) throw tooLarge(`it is longer than ${limitBytes} bytes`);
        if (unpacker === undefined || ++steps % STEPS_IN_A_TURN > 0) continue;
        await nextTask();
        if (signal.aborted) throw signal.reason;
        if (isDropped) throw new AppError("SCRAPE_TIMEOUT", TOO_SLOW);
      }
      if (read === undefined) return join(chunks, total);
      if (total > taken) {
        await nextTask();
        while (!hasRoom() && !signal.aborted) {
          reservation.pause();
          await new Promise((resolve) => setTimeout(resolve, ROOM_MS));
        }
        await reservation.take(total - taken + SMALL_BYTES, signal);
        taken = total + SMALL_BYTES;
      }
    }
  } finally {
    reservation.leave();
    signal.removeEventListener("abort", stop);
    body.cancel().catch(() => undefined);
  }
}

interface Unpacked {
  pieces: readonly Uint8Array[];
  /** Set when the body is longer than the unpacker's limit: the pieces are those before that. */
  tooLong?: AppError;
}

/** Unpacks a piece of the body step by step, or ends the unpacking when there is none. */
function* unpacked(read: Uint8Array | undefined, unpacker: Unpacker | undefined): Generator<Unpacked> {
  if (unpacker === undefined) return yield { pieces: read === undefined ? [] : [read] };
  try {
    for (const pieces of read === undefined ? unpacker.end() : unpacker.write(read)) yield { pieces };
  } catch (error) {
    if (!isAppError(error) || error.code !== "SCRAPE_BODY_TOO_LARGE") throw error;
    yield { pieces: unpacker.rest(), tooLong: error };
  }
}

/**
 * Resolves after other events of the isolate. Chunks that are there already are read and unpacked without a pause, so a
 * few kilobytes that unpack to the limit, in many requests at once, would keep everything else waiting for seconds.
 */
function nextTask(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, 0));
}

const EMPTY = new Uint8Array(0);

/** Joins the chunks and releases each one after it is copied, so that the peak is close to one copy. */
function join(chunks: Uint8Array[], total: number): Uint8Array {
  const only = chunks[0];
  if (chunks.length === 1 && only !== undefined) return only;
  const joined = new Uint8Array(total);
  let offset = 0;
  for (const [index, chunk] of chunks.entries()) {
    joined.set(chunk, offset);
    offset += chunk.byteLength;
    chunks[index] = EMPTY;
  }
  return joined;
}

function tooLarge(why: string): AppError {
  return new AppError("SCRAPE_BODY_TOO_LARGE", `The response is larger than this service reads: ${why}`);
}
