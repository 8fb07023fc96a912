import type { DocumentKind } from "../kind/document-kind.ts";
import { AppError } from "../../../core/errors.ts";
const HEADER_BYTES = 512;
const DIRECTORY_ENTRY_BYTES = 128;
const HEADER_DIFAT_ENTRIES = 109;
/** Entries of a directory; a document with a thousand embedded objects has some 5,000. */
const MAX_ENTRIES = 20_000;
/** Sector numbers from here on mean "end of chain", "free" and the like. */
const FIRST_SPECIAL_SECTOR = 0xfffffffa;
const STREAM = 2;
const ROOT = 5;

interface DirectoryEntry {
  name: string;
  type: number;
  /** Numbers of the entries that are neighbours in the tree of names, and of the first one inside of a storage. */
  left: number;
  right: number;
  child: number;
  start: number;
  size: number;
}

/** The container of Office 97–2003 files, [MS-CFB]. */
export interface CompoundFile {
  /** Names of all streams and storages in upper case, and of those that are in no storage. */
  names: ReadonlySet<string>;
  outerNames: ReadonlySet<string>;
  /**
   * Returns the content of a stream; undefined when there is none of this name. Names are compared without regard to
   * case ([MS-CFB] § 2.6.4), and a stream outside of storages precedes one of an embedded file.
   */
  stream(name: string): Uint8Array | undefined;
}

/**
 * Opens a compound file.
 * @throws SCRAPE_DOCUMENT_PREFETCH_FAILED when it is cut short or its chains do not end
 */
export function openCompoundFile(bytes: Uint8Array): CompoundFile {
  if (bytes.length < HEADER_BYTES) throw damaged();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sectorBytes = 1 << view.getUint16(30, true);
  const miniSectorBytes = 1 << view.getUint16(32, true);
  if (sectorBytes < 512 || sectorBytes > 65_536 || miniSectorBytes < 16) throw damaged();
  const miniCutoff = view.getUint32(56, true);
  const sector = (number: number): Uint8Array => {
    const start = (number + 1) * sectorBytes;
    if (start >= bytes.length) throw damaged();
    return bytes.subarray(start, start + sectorBytes);
  };
  // No chain holds more sectors than the file does.
  const maxSectors = Math.ceil(bytes.length / sectorBytes);
  const maxFatSectors = Math.ceil((maxSectors * 4) / sectorBytes);
  const fat = numbersOf(fatSectors(view, sectorBytes, sector, maxFatSectors).slice(0, maxFatSectors).map(sector));
  const chained = (start: number, most = maxSectors): Uint8Array => join(chain(start, fat, most).map(sector));

  const maxDirectorySectors = Math.ceil((MAX_ENTRIES * DIRECTORY_ENTRY_BYTES) / sectorBytes);
  const entries = directoryEntries(chained(view.getUint32(48, true), Math.min(maxSectors, maxDirectorySectors)));
  const root = entries.find((entry) => entry?.type === ROOT);
  const named = entries.filter((entry) => entry !== undefined);
  const outside = namesIn(root, entries);
  let miniFat: Uint32Array | undefined;
  let miniStream: Uint8Array | undefined;
  const mini = (start: number): Uint8Array => {
    miniFat ??= numbersOf([chained(view.getUint32(60, true))]);
    miniStream ??= root === undefined ? new Uint8Array() : chained(root.start);
    const whole = miniStream;
    const maxMiniSectors = Math.ceil(whole.length / miniSectorBytes);
    return join(
      chain(start, miniFat, maxMiniSectors).map((at) =>
        whole.subarray(at * miniSectorBytes, (at + 1) * miniSectorBytes),
      ),
    );
  };
  return {
    names: upperNames(named),
    outerNames: upperNames(outside),
    stream(name) {
      const isMeant = (each: DirectoryEntry): boolean => each.type === STREAM && isSameName(each.name, name);
      const entry = outside.find(isMeant) ?? named.find(isMeant);
      if (entry === undefined) return undefined;
      return (entry.size < miniCutoff ? mini(entry.start) : chained(entry.start)).subarray(0, entry.size);
    },
  };
}

function upperNames(entries: readonly DirectoryEntry[]): Set<string> {
  return new Set(entries.map(({ name }) => name.toUpperCase()));
}

/**
 * Returns the office format of a compound file by its own streams, and by those of embedded files where these tell nothing;
 * undefined for an encrypted package, whose format only its name shows.
 */
export function compoundFileKind(bytes: Uint8Array): DocumentKind | undefined {
  try {
    const { names, outerNames } = openCompoundFile(bytes);
    const kind = kindOfNames(outerNames) ?? kindOfNames(names) ?? "binary";
    return kind === "encrypted" ? undefined : kind;
  } catch {
    return undefined;
  }
}

function kindOfNames(names: ReadonlySet<string>): DocumentKind | "encrypted" | undefined {
  if (names.has("WORDDOCUMENT")) return "doc";
  if (names.has("WORKBOOK") || names.has("BOOK")) return "xls";
  if (names.has("POWERPOINT DOCUMENT")) return "ppt";
  return names.has("ENCRYPTEDPACKAGE") ? "encrypted" : undefined;
}

function fatSectors(
  view: DataView,
  sectorBytes: number,
  sector: (number: number) => Uint8Array,
  most: number,
): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < HEADER_DIFAT_ENTRIES; at++) numbers.push(view.getUint32(76 + at * 4, true));
  const perSector = sectorBytes / 4 - 1;
  const seen = new Set<number>();
  const isFull = (): boolean => numbers.length >= most + HEADER_DIFAT_ENTRIES;
  for (let next = view.getUint32(68, true); next < FIRST_SPECIAL_SECTOR && !seen.has(next) && !isFull();) {
    seen.add(next);
    const more = numbersOf([sector(next)]);
    numbers.push(...more.subarray(0, perSector));
    next = more[perSector] ?? FIRST_SPECIAL_SECTOR;
  }
  return numbers.filter((number) => number < FIRST_SPECIAL_SECTOR);
}

function numbersOf(sectors: Uint8Array[]): Uint32Array {
  const whole = join(sectors);
  const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength);
  return Uint32Array.from({ length: whole.length >> 2 }, (_, at) => view.getUint32(at * 4, true));
}

/** @throws SCRAPE_DOCUMENT_PREFETCH_FAILED for a chain that does not end, or has an invalid link */
function chain(start: number, next: Uint32Array, maxLength: number): number[] {
  const numbers: number[] = [];
  for (let at = start; at < FIRST_SPECIAL_SECTOR; at = next[at] ?? FIRST_SPECIAL_SECTOR) {
    if (numbers.length >= Math.min(next.length, maxLength)) throw damaged();
    numbers.push(at);
  }
  return numbers;
}

/** Reads the directory. An entry is known by its place; unused ones are undefined. */
function directoryEntries(directory: Uint8Array): (DirectoryEntry | undefined)[] {
  const view = new DataView(directory.buffer, directory.byteOffset, directory.byteLength);
  const entries: (DirectoryEntry | undefined)[] = [];
  const decoder = new TextDecoder("utf-16le");
  for (let at = 0; at + DIRECTORY_ENTRY_BYTES <= directory.length; at += DIRECTORY_ENTRY_BYTES) {
    const nameBytes = Math.min(64, view.getUint16(at + 64, true));
    if (nameBytes < 2) {
      entries.push(undefined);
      continue;
    }
    entries.push({
      name: decoder.decode(directory.subarray(at, at + nameBytes - 2)),
      type: view.getUint8(at + 66),
      left: view.getUint32(at + 68, true),
      right: view.getUint32(at + 72, true),
      child: view.getUint32(at + 76, true),
      start: view.getUint32(at + 116, true),
      size: view.getUint32(at + 120, true),
    });
  }
  return entries;
}

/** Returns the entries directly inside of a storage, each once, whatever circles their links make. */
function namesIn(storage: DirectoryEntry | undefined, entries: (DirectoryEntry | undefined)[]): DirectoryEntry[] {
  const found = new Set<DirectoryEntry>();
  const next = storage === undefined ? [] : [storage.child];
  for (let at = next.pop(); at !== undefined; at = next.pop()) {
    const entry = entries[at];
    if (entry === undefined || found.has(entry)) continue;
    found.add(entry);
    next.push(entry.left, entry.right);
  }
  return [...found];
}

function isSameName(one: string, other: string): boolean {
  return one.toUpperCase() === other.toUpperCase();
}

function join(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function damaged(): AppError {
  return new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The document is damaged");
}
