import { once } from "node:events";
import { constants, crc32, createBrotliCompress, deflateRawSync } from "node:zlib";

const MEGABYTE = 1024 * 1024;
const PREFIX = Buffer.from("<!doctype html><html><head><title>Small parcel</title></head><body><p>It grows. ");
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** An empty last block with fixed codes (RFC 1951 section 3.2.6): ends a deflate stream. */
const DEFLATE_END = Buffer.from([3, 0]);

const gzipBombs = new Map<number, Buffer>();
const brotliBombs = new Map<number, Promise<Buffer>>();

/**
 * A gzip file (RFC 1952) of about `megabytes` kB that unfolds to `megabytes` MB: the start of a page, then zeros.
 * One megabyte is compressed up to a byte border (a full flush) and that piece repeated, so the work is a megabyte's.
 */
export function gzipBomb(megabytes: number): Buffer {
  const known = gzipBombs.get(megabytes);
  if (known) return known;
  const zeros = Buffer.alloc(MEGABYTE);
  const flushed = { level: 9, finishFlush: constants.Z_FULL_FLUSH };
  const piece = deflateRawSync(zeros, flushed);
  let checksum = crc32(PREFIX);
  for (let index = 0; index < megabytes; index += 1) checksum = crc32(zeros, checksum);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(bombBytes(megabytes) % 2 ** 32, 4);
  const body = Array.from({ length: megabytes }, () => piece);
  const bomb = Buffer.concat([GZIP_HEADER, deflateRawSync(PREFIX, flushed), ...body, DEFLATE_END, trailer]);
  gzipBombs.set(megabytes, bomb);
  return bomb;
}

/** The same page as a brotli stream, which needs less than a kilobyte for a gigabyte of zeros. */
export function brotliBomb(megabytes: number): Promise<Buffer> {
  const known = brotliBombs.get(megabytes);
  if (known) return known;
  const bomb = compressZeros(megabytes);
  brotliBombs.set(megabytes, bomb);
  return bomb;
}

/** Bytes a bomb unfolds to. */
export function bombBytes(megabytes: number): number {
  return PREFIX.length + megabytes * MEGABYTE;
}

async function compressZeros(megabytes: number): Promise<Buffer> {
  const compressor = createBrotliCompress({
    params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  const chunks: Buffer[] = [];
  compressor.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = once(compressor, "end");
  const zeros = Buffer.alloc(MEGABYTE);
  compressor.write(PREFIX);
  for (let index = 0; index < megabytes; index += 1) {
    if (!compressor.write(zeros)) await once(compressor, "drain");
  }
  compressor.end();
  await ended;
  return Buffer.concat(chunks);
}
