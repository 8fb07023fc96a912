import { createHash } from "node:crypto";
import { Zip, ZipPassThrough } from "fflate";
import { toCdxj, type IndexLine } from "../../content/archive/warc.ts";
import { streamOf } from "../../core/streams/byte-pieces.ts";
import { AppError } from "../../core/errors.ts";
import type { Deps } from "../deps.ts";
import { archiveFolder, openArchivedPage, type ArchivedJob } from "./page-archive.ts";

/** Pages of one file: each is an object that is read, and the platform limits the reads of a request. */
export const PAGES_A_PART = 5_000;
const WARC = "data.warc.gz";
/** ZIP without its extension for large files, which few readers of archives have. */
const MAX_BYTES = 4_000_000_000;

/** A part of an archive: the keys of its objects. */
export interface ArchivePart {
  keys: string[];
  hasMore: boolean;
}

/**
 * Lists the objects of a part of an archive, from 1.
 * @throws AppError `NOT_FOUND` when the job has no archive, or no such part
 */
export async function listArchive(
  { blobs }: Pick<Deps, "blobs">,
  job: ArchivedJob,
  part: number,
): Promise<ArchivePart> {
  const folder = archiveFolder(job);
  const keys: string[] = [];
  let toSkip = (part - 1) * PAGES_A_PART;
  let after: string | undefined;
  for (;;) {
    // A call may return fewer objects than asked for, also while there are more.
    const limit = Math.min(1_000, toSkip > 0 ? toSkip : PAGES_A_PART - keys.length);
    const { objects, hasMore } = await blobs.list(folder, { after, limit });
    after = objects.at(-1)?.key ?? after;
    if (toSkip > 0) toSkip -= objects.length;
    else keys.push(...objects.map(({ key }) => key));
    if (hasMore && keys.length < PAGES_A_PART) continue;
    if (keys.length === 0) throw new AppError("NOT_FOUND", "This job has no archive, or no such part of it");
    return { keys, hasMore };
  }
}

/** Writes a part of an archive as WACZ 1.1.1: a ZIP file with WARC, CDXJ and the list of pages. Streams piece by piece. */
export function writeWacz(deps: Pick<Deps, "blobs" | "clock">, { keys }: ArchivePart): ReadableStream<Uint8Array> {
  return streamOf(waczPieces(deps, keys));
}

async function* waczPieces(
  deps: Pick<Deps, "blobs" | "clock">,
  keys: readonly string[],
): AsyncGenerator<Uint8Array, undefined> {
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error !== null) throw error;
    ready.push(bytes);
  });
  const files = new Files(zip);
  const index: IndexLine[] = [];
  const pages: string[] = [JSON.stringify({ format: "json-pages-1.0", id: "pages", title: "All pages" })];
  const warc = files.open(`archive/${WARC}`);
  let offset = 0;
  for (const key of keys) {
    const archived = await openArchivedPage(deps, key);
    // Deleted while the file is written.
    if (archived === undefined) continue;
    const { url, atMs, statusCode, contentType = "application/octet-stream", digest, length } = archived.facts;
    const mime = contentType.split(";")[0]?.trim() ?? "";
    index.push({ url, atMs, statusCode, mime, digest, offset, length });
    pages.push(JSON.stringify({ id: digest.slice(7, 23), url, ts: new Date(atMs).toISOString() }));
    offset += length;
    for await (const piece of archived.record) {
      if (offset > MAX_BYTES) throw new AppError("PAYLOAD_TOO_LARGE", "This part of the archive has more than 4 GB");
      warc.write(piece);
      yield* ready.splice(0);
    }
  }
  warc.end();
  files.add("indexes/index.cdx", toCdxj(index, WARC));
  files.add("pages/pages.jsonl", `${pages.join("\n")}\n`);
  const created = new Date(deps.clock.now()).toISOString();
  const description = { profile: "data-package", wacz_version: "1.1.1", software: "Orbweaver", created };
  files.add("datapackage.json", JSON.stringify({ ...description, resources: files.resources }, null, 2));
  zip.end();
  yield* ready.splice(0);
  return undefined;
}

interface Resource {
  name: string;
  path: string;
  hash: string;
  bytes: number;
}

/** The files of the ZIP, which are stored without compression, as readers of archives seek in them. */
class Files {
  readonly resources: Resource[] = [];
  readonly #zip: Zip;

  constructor(zip: Zip) {
    this.#zip = zip;
  }

  open(path: string): { write(bytes: Uint8Array): void; end(): void } {
    const file = new ZipPassThrough(path);
    this.#zip.add(file);
    const hash = createHash("sha256");
    let bytes = 0;
    return {
      write(piece) {
        hash.update(piece);
        bytes += piece.byteLength;
        file.push(piece);
      },
      end: () => {
        file.push(new Uint8Array(0), true);
        const name = path.slice(path.lastIndexOf("/") + 1);
        this.resources.push({ name, path, hash: `sha256:${hash.digest("hex")}`, bytes });
      },
    };
  }

  add(path: string, text: string): void {
    const file = this.open(path);
    file.write(new TextEncoder().encode(text));
    file.end();
  }
}
