import { gunzipSync, gzipSync } from "node:zlib";

/** Content of a row: text, or text that was compressed. */
export type Packed = string | Uint8Array<ArrayBuffer>;

/** Length of a text below which compressing it does not pay. */
const MIN_PACKED_CHARS = 8_000;
/** The fastest level: a page takes a millisecond or two, and becomes a quarter of its size. */
const LEVEL = 1;

/** Returns a text for a row: as it is, or compressed when it has `minChars` characters or more. */
export function packText(text: string, minChars = MIN_PACKED_CHARS): Packed {
  return text.length < minChars ? text : compress(new TextEncoder().encode(text));
}

export function unpackText(packed: Packed): string {
  return typeof packed === "string"
    ? packed
    : new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(gunzipSync(packed));
}

export function packBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return compress(bytes);
}

export function unpackBytes(packed: Packed): Uint8Array {
  return typeof packed === "string" ? new TextEncoder().encode(packed) : new Uint8Array(gunzipSync(packed));
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
