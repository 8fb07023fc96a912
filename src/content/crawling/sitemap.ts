import type { SitemapUrl } from "./sitemap-url.ts";
import type { WorkBudget } from "../../core/work-budget.ts";
import { nextTurn } from "../../core/in-turns.ts";
import { Unpacker } from "../../core/unpacker.ts";
import { SitemapReader, type SitemapSink } from "./sitemap-reader.ts";

/** The contents of a sitemap, and the parts that could not be read. */
export interface Sitemap {
  urls: SitemapUrl[];
  /** Further sitemaps, of an index. */
  sitemaps: string[];
  problems: string[];
  /** Bytes that were read, after decompression. */
  bytesRead: number;
}

/** The protocol's bound on a file (sitemaps.org); data beyond it is not decompressed. */
const MAX_SITEMAP_BYTES = 50_000_000;

/** Reads a whole sitemap; see `streamSitemap`. */
export async function readSitemap(
  bytes: Uint8Array,
  { maxUrls = Infinity, ...options }: Omit<StreamOptions, "sink"> & { maxUrls?: number } = {},
): Promise<Sitemap> {
  const sitemap: Sitemap = { urls: [], sitemaps: [], problems: [], bytesRead: 0 };
  const sink = {
    onUrl: (url: SitemapUrl) => (sitemap.urls.length < maxUrls ? sitemap.urls.push(url) : (left += 1)),
    onSitemap: (url: string) => (sitemap.sitemaps.length < maxUrls ? sitemap.sitemaps.push(url) : (left += 1)),
  };
  let left = 0;
  const { bytesRead, problems } = await streamSitemap(bytes, { ...options, sink });
  if (left > 0) problems.push(`${left} further addresses of the file were left out`);
  return { ...sitemap, bytesRead, problems };
}

interface StreamOptions {
  contentType?: string | undefined;
  sink: SitemapSink;
  /** Decompressed bytes after which reading ends. */
  maxBytes?: number;
  /** Budget for reading; a separate one by default. */
  budget?: WorkBudget | undefined;
}

/**
 * Reads a sitemap (sitemaps.org 0.9: a set of URLs or an index), an RSS or Atom feed, or a list of one URL a line,
 * optionally compressed with gzip, and passes each address to the sink as it is read: memory does not grow with the file. A
 * broken file is read as far as possible. Other requests run meanwhile.
 * @returns the number of bytes that were read, after decompression, and the problems that were found, at most a few sentences.
 */
export async function streamSitemap(
  bytes: Uint8Array,
  { contentType, sink, maxBytes = MAX_SITEMAP_BYTES, budget }: StreamOptions,
): Promise<{ bytesRead: number; problems: string[] }> {
  const reader = new SitemapReader({ contentType, sink, budget });
  let bytesRead = 0;
  try {
    for (const piece of piecesOf(bytes)) {
      const room = maxBytes - bytesRead;
      bytesRead += Math.min(room, piece.byteLength);
      reader.write(piece.byteLength > room ? piece.subarray(0, room) : piece);
      if (piece.byteLength > room) reader.stop(`The file is longer than ${maxBytes} bytes`);
      if (reader.isStopped) break;
      if (bytesRead % TURN_BYTES < piece.byteLength) await nextTurn();
    }
  } catch (error) {
    reader.stop(`The file cannot be decompressed: ${error instanceof Error ? error.message : String(error)}`);
  }
  return { bytesRead, problems: reader.end() };
}

/** A piece of this size decompresses to at most some 4 MB. */
const PIECE_BYTES = 4_096;
/** Bytes, after decompression, that are read in some 10 ms; other requests run after each. */
const TURN_BYTES = 131_072;

/**
 * Yields the file, decompressed if necessary, in pieces after which a reader can stop. A parser goes on to the end of a
 * piece, at a cost for each element that grows with the depth.
 */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  if (!isGzip(bytes)) return yield* inPieces(bytes);
  for (const unpacked of unpack(inPieces(bytes))) yield* inPieces(unpacked);
}

function* inPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let offset = 0; offset < bytes.byteLength; offset += PIECE_BYTES) {
    yield bytes.subarray(offset, offset + PIECE_BYTES);
  }
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * Decompresses piece by piece. When the consumer stops, decompression stops, so that a decompression bomb is expanded only
 * as far as it is read. The consumer enforces the limit.
 */
function* unpack(pieces: Generator<Uint8Array>): Generator<Uint8Array> {
  const unpacker = new Unpacker({ layers: 1, maxBytes: Number.POSITIVE_INFINITY });
  for (const piece of pieces) for (const unpacked of unpacker.write(piece)) yield* unpacked;
  for (const unpacked of unpacker.end()) yield* unpacked;
}
