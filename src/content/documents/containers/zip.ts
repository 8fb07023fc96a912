import { inflateRawSync } from "node:zlib";
import { Inflate, zipSync } from "fflate";
import { AppError } from "../../../core/errors.ts";
import { WorkBudget } from "../../../core/work-budget.ts";
import { countElements, limitXml } from "../xml-limit.ts";
import { findElements, parseXml, type XmlElement } from "./xml-tree.ts";

/** Unpacked size limit of one archive, pictures not counted; an isolate has 128 MB for that and for the results. */
export const MAX_UNPACKED_BYTES = 50 * 1024 * 1024;
/** Bytes of files that are read again: any number of slides may refer to the same chart, notes or comments. */
const MAX_READ_AGAIN_BYTES = 10_000_000;
/** Characters of the addresses of links that are written: any number of links may have the same one. */
const MAX_LINK_CHARACTERS = 4_000_000;
const MAX_ENTRIES = 20_000;
/** Files that are unpacked; a presentation of a thousand slides has some 4,000. */
const MAX_FILES = 6_000;
/** Packed bytes of all files, as a multiple of the archive: no two files of a sound archive have bytes in common. */
const MAX_PACKED_SHARE = 2;
/** Packed bytes that are read in one step: they need not unpack to anything. */
const PACKED_BYTES_PER_STEP = 16;
/** Deflate grows at most about 1,030 times, so that one piece cannot overshoot the limit by much. */
const MAX_GROWTH = 1_032;
const INFLATE_PIECE_BYTES = 16_384;
/** The smallest one that zlib takes. */
const LEAST_CHUNK_BYTES = 64;
/** Bytes of a text that are decoded at once by `zipTextPieces`. */
const TEXT_PIECE_BYTES = 131_072;

const ODF_MANIFEST = "META-INF/manifest.xml";
const ODF_CONTENT = "content.xml";
const MAX_MANIFEST_BYTES = 4_000_000;
/** Content that is encrypted by itself, and a whole package that is. */
const ENCRYPTED_CONTENT = new Set([ODF_CONTENT, "encrypted-package"]);

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const MAX_COMMENT_BYTES = 0xffff;

export interface ZipEntry {
  name: string;
  method: number;
  isEncrypted: boolean;
  packedBytes: number;
  declaredBytes: number;
  headerAt: number;
}

/** Files of an archive by their path, with the budget for reading them. */
export class ZipFiles extends Map<string, Uint8Array> {
  readonly budget: WorkBudget;
  /** Bytes for the addresses of links. */
  readonly links: WorkBudget;
  readonly #readAgain: WorkBudget;
  readonly #read = new Set<string>();

  constructor(budget: WorkBudget, files: Iterable<readonly [string, Uint8Array]> = []) {
    super(files);
    this.budget = budget;
    this.links = budget.within({ bytes: MAX_LINK_CHARACTERS });
    this.#readAgain = budget.within({ bytes: MAX_READ_AGAIN_BYTES });
  }

  /** Reports whether a file may be read as a tree: once, and again within a limit for all files. */
  mayRead(name: string): boolean {
    const isFirst = !this.#read.has(name);
    this.#read.add(name);
    return isFirst || this.#readAgain.takeBytes(this.get(name)?.byteLength ?? 0);
  }
}

/**
 * Lists an archive by its central directory (APPNOTE.TXT § 4.3), the last entry of each name; empty when it has none, as in a
 * truncated file. Zip64 is not supported: it begins at 4 GB.
 */
export function listZip(bytes: Uint8Array): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEndOfDirectory(view);
  if (end === undefined) return [];
  const entries = new Map<string, ZipEntry>();
  const decoder = new TextDecoder();
  let at = view.getUint32(end + 16, true);
  for (let count = 0; count < MAX_ENTRIES && at + 46 <= end; count++) {
    if (view.getUint32(at, true) !== DIRECTORY_ENTRY) break;
    const nameBytes = view.getUint16(at + 28, true);
    const name = decoder.decode(bytes.subarray(at + 46, at + 46 + nameBytes)).replaceAll("\\", "/");
    entries.set(name, {
      name,
      method: view.getUint16(at + 10, true),
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      packedBytes: view.getUint32(at + 20, true),
      declaredBytes: view.getUint32(at + 24, true),
      headerAt: view.getUint32(at + 42, true),
    });
    at += 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return [...entries.values()];
}

/**
 * Unpacks the wanted files of an archive, never more than `MAX_UNPACKED_BYTES` in all, whatever sizes it declares.
 * @throws SCRAPE_UNSUPPORTED_FILE_ERROR for a zip bomb or a password, SCRAPE_DOCUMENT_PREFETCH_FAILED for a broken file
 */
export function readZip(
  bytes: Uint8Array,
  isWanted: (name: string, entry?: ZipEntry) => boolean,
  budget = new WorkBudget(),
): ZipFiles {
  // A protected office file is not an archive but a compound file around an encrypted one, [MS-OFFCRYPTO] § 2.3.
  if (bytes[0] === 0xd0 && bytes[1] === 0xcf) throw passwordProtected();
  const entries = listZip(bytes);
  if (entries.length === 0) throw damaged();
  if (sharesBytes(entries, bytes.length)) throw damaged();
  const manifest = isWanted(ODF_CONTENT) ? entries.find(({ name }) => name === ODF_MANIFEST) : undefined;
  if (manifest !== undefined && encryptsContent(bytes, manifest, budget)) throw passwordProtected();
  const files = new ZipFiles(budget);
  let left = MAX_UNPACKED_BYTES;
  const wanted = entries.filter((entry) => !entry.name.endsWith("/") && isWanted(entry.name, entry));
  checkFileCount(wanted.length);
  for (const entry of wanted) {
    spendPacked(entry, budget);
    const content = unpack(bytes, entry, left);
    left -= content.length;
    budget.spendBytes(content.length);
    files.set(entry.name, content);
  }
  return files;
}

/** @throws SCRAPE_UNSUPPORTED_FILE_ERROR when more files of an archive are to be unpacked than any document has */
export function checkFileCount(count: number): void {
  if (count <= MAX_FILES) return;
  throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", `The document is made of more than ${MAX_FILES} files`);
}

/** Counts the packed bytes of a file as work. @throws SCRAPE_WORK_LIMIT when the budget is spent */
export function spendPacked({ packedBytes }: ZipEntry, budget: WorkBudget): void {
  budget.spend(packedBytes / PACKED_BYTES_PER_STEP);
}

/** Reports whether many files have packed bytes in common; those that reach beyond the archive are damaged by themselves. */
function sharesBytes(entries: readonly ZipEntry[], archiveBytes: number): boolean {
  const within = entries.filter(({ packedBytes }) => packedBytes <= archiveBytes);
  return within.reduce((sum, { packedBytes }) => sum + packedBytes, 0) > archiveBytes * MAX_PACKED_SHARE;
}

/**
 * Reports whether the list of an OpenDocument's files (ODF 1.3 part 2 § 4.8) names an encrypted content. The archive itself does
 * not show it: an encrypted file is stored like any other.
 */
function encryptsContent(bytes: Uint8Array, manifest: ZipEntry, budget: WorkBudget): boolean {
  const content = unpack(bytes, manifest, MAX_MANIFEST_BYTES);
  budget.spendBytes(content.length);
  const text = decoderOf(content).decode(content);
  if (!text.includes("encryption-data")) return false;
  return findElements(parseXml(text, budget), "manifest:file-entry").some(
    ({ attributes, children }) =>
      ENCRYPTED_CONTENT.has(attributes["manifest:full-path"] ?? "") &&
      children.some((child) => typeof child !== "string" && child.name === "manifest:encryption-data"),
  );
}

/** Packs files without compression, to pass checked data to a library that reads archives itself. */
export function storeZip(files: ZipFiles): Uint8Array<ArrayBuffer> {
  return new Uint8Array(zipSync(Object.fromEntries(files), { level: 0 }));
}

/** Elements that count as one step, for readers that count nothing themselves. */
const ELEMENTS_PER_STEP = 8;

/**
 * Cuts the XML files of an archive to a number of elements in all; the first files in the list take precedence.
 * @param checkedFrom number of elements from which the form of a file is limited as well, for readers that take quadratic
 * time on deep elements, or on many outside of the root
 * @param texts decoded files, which stand for those in the archive and are cut in place: a copy of a large one is saved
 * @returns names of the files that were cut
 */
export function limitZipXml(
  files: ZipFiles,
  maxElements: number,
  checkedFrom = maxElements,
  texts = new Map<string, string>(),
): { files: ZipFiles; cut: string[] } {
  const { budget } = files;
  const limited = new ZipFiles(budget, files);
  const cut: string[] = [];
  // A part without a root element would be a damaged one.
  let left = maxElements;
  for (const name of files.keys()) {
    if (!/\.(xml|rels|vml)$/i.test(name)) continue;
    const decoded = texts.get(name);
    const whole = decoded ?? zipText(files, name) ?? "";
    const elements = countElements(whole);
    budget.take(elements / ELEMENTS_PER_STEP);
    const hasType = /<!DOCTYPE/i.test(whole.slice(0, 2_000));
    if (elements > left || elements > checkedFrom || hasType) {
      const { text, isCut } = limitXml(whole, { maxElements: Math.max(1, left), budget });
      if (decoded === undefined) limited.set(name, new TextEncoder().encode(text));
      else texts.set(name, text);
      if (isCut) cut.push(name);
    }
    left -= elements;
  }
  return { files: limited, cut };
}

/** Returns the text of one file in UTF-8 or UTF-16, as XML in archives is; undefined when the archive lacks it. */
export function zipText(files: ZipFiles, name: string): string | undefined {
  const content = files.get(name);
  return content === undefined ? undefined : decoderOf(content).decode(content);
}

/** Yields the same text piece by piece, so that a large one never is in memory as a whole; nothing for a missing file. */
export function* zipTextPieces(files: ZipFiles, name: string): Generator<string> {
  const content = files.get(name) ?? new Uint8Array();
  const decoder = decoderOf(content);
  for (let at = 0; at < content.length; at += TEXT_PIECE_BYTES) {
    const isLast = at + TEXT_PIECE_BYTES >= content.length;
    yield decoder.decode(content.subarray(at, at + TEXT_PIECE_BYTES), { stream: !isLast });
  }
}

/** Returns a decoder for a text in UTF-8 or UTF-16 by its first bytes. */
export function decoderOf(content: Uint8Array): TextDecoder {
  const isUtf16 = (content[0] === 0xff && content[1] === 0xfe) || (content[0] === 0xfe && content[1] === 0xff);
  return new TextDecoder(isUtf16 ? (content[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8");
}

/** Returns the tree of one XML file; an empty one when the archive lacks it, or when it was read too often. */
export function zipXml(files: ZipFiles, name: string): XmlElement {
  const isRead = files.mayRead(name);
  if (!isRead) files.budget.cut("parts that the document refers to repeatedly");
  return parseXml(isRead ? (zipText(files, name) ?? "") : "", files.budget);
}

function findEndOfDirectory(view: DataView): number | undefined {
  const lowest = Math.max(0, view.byteLength - 22 - MAX_COMMENT_BYTES);
  for (let at = view.byteLength - 22; at >= lowest; at--) {
    if (view.getUint32(at, true) === END_OF_DIRECTORY) return at;
  }
  return undefined;
}

function unpack(bytes: Uint8Array, entry: ZipEntry, maxBytes: number): Uint8Array {
  if (entry.isEncrypted) throw passwordProtected();
  if (entry.declaredBytes > maxBytes) throw tooLarge();
  const packed = packedContent(bytes, entry);
  return entry.method === 0 ? packed : inflate(packed, entry.declaredBytes, maxBytes);
}

/** Returns the packed bytes of a file. @throws AppError for a damaged one, and for a packing other than none and deflate */
export function packedContent(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  if (entry.isEncrypted) throw passwordProtected();
  if (entry.method !== 0 && entry.method !== 8) {
    throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", `The document uses zip compression ${entry.method}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (entry.headerAt + 30 > bytes.length) throw damaged();
  const start =
    entry.headerAt + 30 + view.getUint16(entry.headerAt + 26, true) + view.getUint16(entry.headerAt + 28, true);
  if (start + entry.packedBytes > bytes.length) throw damaged();
  return bytes.subarray(start, start + entry.packedBytes);
}

function inflate(packed: Uint8Array, declaredBytes: number, maxBytes: number): Uint8Array {
  return inflateDeclared(packed, declaredBytes) ?? inflatePieces(packed, maxBytes);
}

/**
 * Inflates content natively, up to the declared size; undefined for damaged content and for more of it. The reader in
 * JavaScript leaves five times the output as garbage, and some 100 kB for each small file, which is collected late.
 */
function inflateDeclared(packed: Uint8Array, declaredBytes: number): Uint8Array | undefined {
  if (declaredBytes === 0) return undefined;
  try {
    const { buffer, byteOffset, byteLength } = inflateRawSync(packed, {
      maxOutputLength: declaredBytes,
      // One buffer, with the room in which zlib sees that the output ends.
      chunkSize: Math.max(LEAST_CHUNK_BYTES, Math.min(declaredBytes + 1, packed.length * MAX_GROWTH)),
    });
    return byteLength === declaredBytes ? new Uint8Array(buffer, byteOffset, byteLength) : undefined;
  } catch {
    return undefined;
  }
}

/** Inflates content whose declared size is wrong, up to a limit. */
function inflatePieces(packed: Uint8Array, maxBytes: number): Uint8Array {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const stream = new Inflate((piece) => {
    length += piece.length;
    if (length > maxBytes) throw tooLarge();
    pieces.push(piece);
  });
  try {
    for (let at = 0; at === 0 || at < packed.length; at += INFLATE_PIECE_BYTES) {
      stream.push(packed.subarray(at, at + INFLATE_PIECE_BYTES), at + INFLATE_PIECE_BYTES >= packed.length);
    }
  } catch (error) {
    throw error instanceof AppError ? error : damaged(error);
  }
  return concat(pieces, length);
}

function concat(pieces: Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export function tooLarge(): AppError {
  return new AppError(
    "SCRAPE_UNSUPPORTED_FILE_ERROR",
    `The document unpacks to more than ${MAX_UNPACKED_BYTES / 1024 / 1024} MB`,
  );
}

export function passwordProtected(): AppError {
  return new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", "The document is protected by a password");
}

export function damaged(cause?: unknown): AppError {
  return new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The document is a damaged archive", { cause });
}
