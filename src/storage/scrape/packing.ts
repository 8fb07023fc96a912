import { createGunzip, createGzip, gunzipSync, gzipSync, type Gunzip, type Gzip } from "node:zlib";
import { nextTurn } from "../../core/in-turns.ts";

/** Content of a row: text, or text that was compressed. */
export type Packed = string | Uint8Array<ArrayBuffer>;

/** Length of a text below which compressing it does not pay. */
const MIN_PACKED_CHARS = 8_000;
/** The fastest level: a page takes a millisecond or two, and becomes a quarter of its size. */
const LEVEL = 1;
/** Bytes that are compressed before other requests have their turn: some 5 to 10 ms. */
const TURN_BYTES = 500_000;
/** The same of compressed bytes, which unpack to three or four times as many, in half of the time. */
const TURN_PACKED_BYTES = 200_000;

/** Returns a text for a row: as it is, or compressed when it has `minChars` characters or more. */
export function packText(text: string, minChars = MIN_PACKED_CHARS): Packed {
  return text.length < minChars ? text : compress(new TextEncoder().encode(text));
}

export function unpackText(packed: Packed): string {
  return typeof packed === "string"
    ? packed
    : new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(gunzipSync(packed));
}

/** As `packText`; other requests run while a long text is compressed. */
export async function packTextInTurns(text: string): Promise<Packed> {
  return text.length < MIN_PACKED_CHARS ? text : await packBytesInTurns(new TextEncoder().encode(text));
}

/** Compresses bytes; other requests run meanwhile when they are many. */
export async function packBytesInTurns(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return bytes.byteLength <= TURN_BYTES
    ? compress(bytes)
    : await transformInTurns(createGzip({ level: LEVEL, chunkSize: TURN_BYTES }), bytes, TURN_BYTES);
}

/** As `unpackText`; other requests run while a long text is unpacked. */
export async function unpackTextInTurns(packed: Packed): Promise<string> {
  if (typeof packed === "string" || packed.byteLength <= TURN_PACKED_BYTES) return unpackText(packed);
  return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(await unpackBytesInTurns(packed));
}

/** Returns the bytes that were packed; other requests run meanwhile when they are many. */
export async function unpackBytesInTurns(packed: Packed): Promise<Uint8Array> {
  if (typeof packed === "string") return new TextEncoder().encode(packed);
  if (packed.byteLength <= TURN_PACKED_BYTES) return new Uint8Array(gunzipSync(packed));
  return await transformInTurns(createGunzip({ chunkSize: TURN_BYTES }), packed, TURN_PACKED_BYTES);
}

/** Returns what an object holds: compressed bytes begin with the signature of gzip (RFC 1952), which no text does. */
export function toPacked(bytes: Uint8Array): Packed {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
    ? new Uint8Array(bytes)
    : new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
}

/** Returns text or bytes of a row; a Durable Object returns bytes as a buffer, and SQLite for Node as a view. */
export function storedPacked(value: unknown): Packed | undefined {
  if (typeof value === "string") return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return value instanceof Uint8Array ? new Uint8Array(value) : undefined;
}

/** Returns the size of a packed value in bytes; of short text, at most its bytes. */
export function sizeOf(packed: Packed): number {
  return typeof packed === "string" ? packed.length * 3 : packed.byteLength;
}

function compress(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(bytes, { level: LEVEL }));
}

async function transformInTurns(
  transform: Gzip | Gunzip,
  bytes: Uint8Array,
  turnBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  transform.on("data", (piece: Uint8Array) => void pieces.push(piece));
  const ended = new Promise<void>((resolve, reject) => transform.once("end", resolve).once("error", reject));
  for (let from = 0; from < bytes.byteLength; from += turnBytes) {
    const piece = bytes.subarray(from, from + turnBytes);
    await Promise.race([new Promise<void>((resolve) => void transform.write(piece, () => resolve())), ended]);
    await nextTurn();
  }
  transform.end();
  await ended;
  return new Uint8Array(Buffer.concat(pieces));
}
