import { AppError } from "../../core/errors.ts";
import { bytePieces, streamOf } from "../../core/streams/byte-pieces.ts";
import { reusedDocument, type ReuseFacts } from "../../core/scrape/document-text.ts";
import type { DocumentRun, JobProgress } from "../../ports/crawl/frontier.ts";
import type { Blobs } from "../../ports/storage/blobs.ts";
import type { Deps } from "../deps.ts";

export type { JobProgress } from "../../ports/crawl/frontier.ts";

const MAX_PAGE_BYTES = 10 * 1024 * 1024;

/** A page of a job's documents, in the order in which they were finished, with the job's progress at that moment. */
export interface JobPage {
  progress: JobProgress;
  /** Number of documents on this page; zero when there is none at this place yet. */
  count: number;
  /** Bytes of the documents as they are stored. */
  bytes: number;
  /** The documents as JSON texts separated by commas. */
  documents: ReadableStream<Uint8Array>;
}

/**
 * Reads a page of a job's documents, at least one if there is one; undefined when the frontier does not know the job. Begins
 * to read the documents, unless it `isLazy`.
 * @throws AppError JOB_NOT_FOUND when the first document is no longer stored; of a lazy page when it is read
 */
export async function readJob(
  { frontiers, blobs }: Pick<Deps, "frontiers" | "blobs">,
  id: string,
  { isLazy = false, ...page }: { skip: number; limit: number; maxBytes?: number; isLazy?: boolean },
): Promise<JobPage | undefined> {
  const found = await frontiers.documents(id, { maxBytes: MAX_PAGE_BYTES, ...page });
  if (found === undefined) return undefined;
  const { progress, count, runs } = found;
  return { progress, count, bytes: bytesOf(runs), documents: await streamRuns(blobs, runs, { isLazy }) };
}

function bytesOf(runs: readonly DocumentRun[]): number {
  return runs.reduce((sum, { documents }) => documents.reduce((bytes, { length }) => bytes + length, sum), 0);
}

interface ReadRange {
  object: string;
  offset: number;
  length: number;
  /** Documents of an earlier job in this range, whose metadata are changed; absent where the range is copied as it is. */
  kept?: { offset: number; length: number; facts: ReuseFacts }[];
}

/** Largest range that is read for several documents of an earlier job, which may lie in any order with others between. */
const MAX_KEPT_RANGE = 1_000_000;
const COMMA = new TextEncoder().encode(",");

/**
 * Returns ranges of objects: those that can be copied unchanged, documents with one comma between each two, and those with
 * documents of an earlier job.
 */
export function readRangesOf(runs: readonly DocumentRun[]): ReadRange[] {
  const ranges: ReadRange[] = [];
  for (const { object, documents } of runs) {
    let open: ReadRange | undefined;
    for (const { offset, length, kept: facts } of documents) {
      const joined = open === undefined ? undefined : join(open, { offset, length, facts });
      if (joined !== undefined && open !== undefined) Object.assign(open, joined);
      else ranges.push((open = { object, offset, length, ...(facts && { kept: [{ offset, length, facts }] }) }));
    }
  }
  return ranges;
}

/** Returns the range that also has the next document; undefined when that needs a range of its own. */
function join(
  { offset: first, length: size, kept }: ReadRange,
  { offset, length, facts }: { offset: number; length: number; facts: ReuseFacts | undefined },
): Omit<ReadRange, "object"> | undefined {
  if (facts === undefined || kept === undefined) {
    const follows = facts === undefined && kept === undefined && first + size + 1 === offset;
    return follows ? { offset: first, length: size + 1 + length } : undefined;
  }
  const start = Math.min(first, offset);
  const end = Math.max(first + size, offset + length);
  if (end - start > MAX_KEPT_RANGE) return undefined;
  return { offset: start, length: end - start, kept: [...kept, { offset, length, facts }] };
}

/**
 * Streams one range after the other, of which little is in memory: a client may take minutes to read it, or stop. The beginning
 * is read at once, so that missing documents are noticed before a response begins.
 * @param isLazy nothing is read before the first piece is asked for
 * @throws AppError JOB_NOT_FOUND
 */
export async function streamRuns(
  blobs: Pick<Blobs, "get" | "stream">,
  runs: readonly DocumentRun[],
  { isLazy = false } = {},
): Promise<ReadableStream<Uint8Array>> {
  const pieces = piecesOf(blobs, readRangesOf(runs));
  return streamOf(isLazy ? pieces : await begun(pieces), { isLazy });
}

/** Returns the pieces, of which the first one is read. */
async function begun(pieces: AsyncGenerator<Uint8Array, undefined>): Promise<AsyncGenerator<Uint8Array, undefined>> {
  const { value, done } = await pieces.next();
  return (async function* (): AsyncGenerator<Uint8Array, undefined> {
    if (done === true) return undefined;
    try {
      yield value;
      return yield* pieces;
    } finally {
      await pieces.return(undefined);
    }
  })();
}

async function* piecesOf(
  blobs: Pick<Blobs, "get" | "stream">,
  ranges: readonly ReadRange[],
): AsyncGenerator<Uint8Array, undefined> {
  for (const [place, range] of ranges.entries()) {
    if (place > 0) yield COMMA;
    if (range.kept === undefined) yield* copied(blobs, range);
    else yield* keptDocuments(blobs, range, range.kept);
  }
}

async function* copied(
  blobs: Pick<Blobs, "stream">,
  { object, offset, length }: ReadRange,
): AsyncGenerator<Uint8Array, undefined> {
  const { body } = found(object, await blobs.stream(object, { offset, length }));
  return yield* bytePieces(body);
}

async function* keptDocuments(
  blobs: Pick<Blobs, "get">,
  { object, offset: first, length: size }: ReadRange,
  kept: NonNullable<ReadRange["kept"]>,
): AsyncGenerator<Uint8Array, undefined> {
  const { bytes } = found(object, await blobs.get(object, { offset: first, length: size }));
  for (const [place, { offset, length, facts }] of kept.entries()) {
    if (place > 0) yield COMMA;
    yield reusedDocument(bytes.subarray(offset - first, offset - first + length), facts).document;
  }
}

function found<T>(object: string, blob: T | undefined): T {
  if (blob === undefined)
    throw new AppError("JOB_NOT_FOUND", "The documents of this job are no longer stored", {
      cause: new Error(`The object ${object} is gone`),
    });
  return blob;
}
