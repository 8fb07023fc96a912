import { gunzipSync, gzipSync } from "node:zlib";
import type { Packed } from "./page-shard.ts";

/** Length of a text below which compressing it does not pay. */
const MIN_PACKED_CHARS = 8_000;
/** The fastest level: a page takes a millisecond or two, and becomes a quarter of its size. */
const LEVEL = 1;

/** Returns a text for a row: as it is, or compressed when it is long. */
export function packText(text: string): Packed {
  return text.length < MIN_PACKED_CHARS ? text : compress(new TextEncoder().encode(text));
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

/** Returns the size of a packed value in bytes; of short text, at most its bytes. */
export function sizeOf(packed: Packed): number {
  return typeof packed === "string" ? packed.length * 3 : packed.byteLength;
}

function compress(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(bytes, { level: LEVEL }));
}
