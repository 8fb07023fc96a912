import { z } from "zod";
import { digestOf, fromWarcRecord, join, toWarcRecord } from "../../content/archive/warc.ts";
import { dayKey } from "../../core/account/day-key.ts";
import { AppError } from "../../core/errors.ts";
import { bytePieces } from "../../core/streams/byte-pieces.ts";
import type { LoadedPage } from "../../core/scrape/page.ts";
import { readStored } from "../../core/stored-state.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { Deps } from "../deps.ts";

/** A job with an archive. */
export interface ArchivedJob {
  id: string;
  createdAtMs: number;
}

/** Facts of an archived page; its object begins with them, as a line of JSON. */
const ArchivedFacts = z.object({
  /** URL as the job had it. */
  itemUrl: z.string(),
  url: z.string(),
  atMs: z.number(),
  statusCode: z.number(),
  contentType: z.string().optional(),
  digest: z.string(),
  /** True for the HTML of a page that a browser has rendered. */
  isText: z.boolean(),
  /** Bytes of the compressed record that follows. */
  length: z.number(),
});
export type ArchivedFacts = z.infer<typeof ArchivedFacts>;

const NEW_LINE = 10;

/** Folder of a job's archive. It is deleted with the results of the job, and with those of its day. */
export function archiveFolder({ id, createdAtMs }: ArchivedJob): string {
  return `results/${dayKey(createdAtMs)}/${id}/archive/`;
}

/** Stores the response of a page as a compressed WARC record. A page that is loaded again replaces it. */
export async function archivePage(
  { blobs, clock }: Pick<Deps, "blobs" | "clock">,
  job: ArchivedJob,
  { itemUrl, page }: { itemUrl: string; page: LoadedPage },
): Promise<void> {
  const body = typeof page.body === "string" ? new TextEncoder().encode(page.body) : page.body;
  const { url, statusCode, headers, contentType } = page;
  const atMs = page.cachedAtMs ?? clock.now();
  const record = await toWarcRecord({ url, atMs, statusCode, headers, body }, crypto.randomUUID());
  const packed = await gzip(record);
  const facts: ArchivedFacts = {
    itemUrl,
    url,
    atMs,
    statusCode,
    ...(contentType === undefined ? {} : { contentType }),
    digest: await digestOf(body),
    isText: typeof page.body === "string",
    length: packed.byteLength,
  };
  const line = new TextEncoder().encode(`${JSON.stringify(facts)}\n`);
  await blobs.put(await keyOf(job, itemUrl), join([line, packed]), { contentType: "application/octet-stream" });
}

/** An archived page, with its compressed WARC record. */
export interface ArchivedPage {
  facts: ArchivedFacts;
  record: Uint8Array;
}

/** Reads an object of an archive; undefined when it does not exist. */
export async function readArchived({ blobs }: { blobs: Blobs }, key: string): Promise<ArchivedPage | undefined> {
  const blob = await blobs.get(key);
  if (blob === undefined) return undefined;
  const end = blob.bytes.indexOf(NEW_LINE);
  const facts = readStored(ArchivedFacts, new TextDecoder().decode(blob.bytes.subarray(0, end)), "archived page");
  return { facts, record: blob.bytes.subarray(end + 1) };
}

/** An archived page whose record is read while it is sent. */
export interface OpenedPage {
  facts: ArchivedFacts;
  record: AsyncGenerator<Uint8Array, undefined>;
}

/** Opens an object of an archive, of which little is in memory at a time; undefined when it does not exist. */
export async function openArchivedPage(
  { blobs }: { blobs: Pick<Blobs, "stream"> },
  key: string,
): Promise<OpenedPage | undefined> {
  const blob = await blobs.stream(key);
  if (blob === undefined) return undefined;
  const pieces = bytePieces(blob.body);
  try {
    const head = await readLine(pieces);
    const facts = readStored(ArchivedFacts, new TextDecoder().decode(head.line), "archived page");
    return { facts, record: after(head.rest, pieces) };
  } catch (error) {
    await pieces.return(undefined);
    throw error;
  }
}

/** Reads the first line; `rest` is what was read after it. */
async function readLine(pieces: AsyncGenerator<Uint8Array>): Promise<{ line: Uint8Array; rest: Uint8Array }> {
  let read: Uint8Array = new Uint8Array(0);
  for (;;) {
    const { value, done } = await pieces.next();
    if (done === true) return { line: read, rest: new Uint8Array(0) };
    const from = read.byteLength;
    read = join([read, value]);
    const end = read.indexOf(NEW_LINE, from);
    if (end !== -1) return { line: read.subarray(0, end), rest: read.subarray(end + 1) };
  }
}

async function* after(
  first: Uint8Array,
  pieces: AsyncGenerator<Uint8Array, undefined>,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    if (first.byteLength > 0) yield first;
    return yield* pieces;
  } finally {
    // Also when the reader leaves before it has come to them.
    await pieces.return(undefined);
  }
}

/** Bytes that are read first for the facts of a page. */
const HEAD_BYTES = 16_384;

/** Reads the facts of an archived page without its record; undefined when the object does not exist. */
export async function readFacts({ blobs }: { blobs: Blobs }, key: string): Promise<ArchivedFacts | undefined> {
  const head = await blobs.get(key, { offset: 0, length: HEAD_BYTES });
  const end = head?.bytes.indexOf(NEW_LINE) ?? -1;
  if (head === undefined) return undefined;
  // Only a page with very long URLs has a longer line.
  if (end === -1) return (await readArchived({ blobs }, key))?.facts;
  return readStored(ArchivedFacts, new TextDecoder().decode(head.bytes.subarray(0, end)), "archived page");
}

/**
 * Returns a page of an archive as it was loaded.
 * @throws AppError `SCRAPE_NO_CACHED_DATA` when the archive does not have it
 */
export async function loadArchived(deps: { blobs: Blobs }, job: ArchivedJob, itemUrl: string): Promise<LoadedPage> {
  const archived = await readArchived(deps, await keyOf(job, itemUrl));
  if (archived === undefined) {
    throw new AppError("SCRAPE_NO_CACHED_DATA", "The archive of the crawl has no response of this page");
  }
  const { facts, record } = archived;
  const { url, statusCode, headers, body } = fromWarcRecord(await gunzip(record));
  return {
    engine: "cache",
    url,
    statusCode,
    headers,
    contentType: facts.contentType,
    body: facts.isText ? new TextDecoder().decode(body) : body,
    cachedAtMs: facts.atMs,
    warnings: [],
  };
}

async function keyOf(job: ArchivedJob, itemUrl: string): Promise<string> {
  return `${archiveFolder(job)}${await sha256Hex(itemUrl)}`;
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  return await through(bytes, new CompressionStream("gzip"));
}

async function gunzip(bytes: Uint8Array): Promise<Uint8Array> {
  return await through(bytes, new DecompressionStream("gzip"));
}

async function through(bytes: Uint8Array, transform: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const stream = new Response(bytes as BodyInit).body?.pipeThrough(transform as unknown as ReadableWritablePair);
  return new Uint8Array(await new Response(stream as BodyInit).arrayBuffer());
}
