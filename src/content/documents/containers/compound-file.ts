import { AppError } from "../../../core/errors.ts";
import type { DocumentKind } from "../kind/kind.ts";

const HEADER_BYTES = 512;
const DIRECTORY_ENTRY_BYTES = 128;
const HEADER_DIFAT_ENTRIES = 109;
/** Sector numbers from here on mean "end of chain", "free" and the like. */
const FIRST_SPECIAL_SECTOR = 0xfffffffa;
const STREAM = 2;
const ROOT = 5;

interface DirectoryEntry {
  name: string;
  type: number;
  start: number;
  size: number;
}

/** The container of Office 97–2003 files, [MS-CFB]. */
export interface CompoundFile {
  names: string[];
  /** Content of a stream; undefined when there is none of this name. */
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
  const fat = numbersOf(fatSectors(view, sectorBytes, sector).slice(0, maxSectors).map(sector));
  const chained = (start: number): Uint8Array => join(chain(start, fat, maxSectors).map(sector));

  const entries = directoryEntries(chained(view.getUint32(48, true)));
  const miniFat = numbersOf(chain(view.getUint32(60, true), fat, maxSectors).map(sector));
  const root = entries.find(({ type }) => type === ROOT);
  let miniStream: Uint8Array | undefined;
  const mini = (start: number): Uint8Array => {
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
    names: entries.map(({ name }) => name),
    stream(name) {
      const entry = entries.find((candidate) => candidate.type === STREAM && candidate.name === name);
      if (entry === undefined) return undefined;
      return (entry.size < miniCutoff ? mini(entry.start) : chained(entry.start)).subarray(0, entry.size);
    },
  };
}

/**
 * Returns the office format of a compound file; undefined for an encrypted package, whose format only its name shows.
 */
export function compoundFileKind(bytes: Uint8Array): DocumentKind | undefined {
  try {
    const { names } = openCompoundFile(bytes);
    if (names.includes("WordDocument")) return "doc";
    if (names.includes("Workbook") || names.includes("Book")) return "xls";
    if (names.includes("PowerPoint Document")) return "ppt";
    return names.includes("EncryptedPackage") ? undefined : "binary";
  } catch {
    return undefined;
  }
}

function fatSectors(view: DataView, sectorBytes: number, sector: (number: number) => Uint8Array): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < HEADER_DIFAT_ENTRIES; at++) numbers.push(view.getUint32(76 + at * 4, true));
  const perSector = sectorBytes / 4 - 1;
  const seen = new Set<number>();
  for (let next = view.getUint32(68, true); next < FIRST_SPECIAL_SECTOR && !seen.has(next);) {
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

function directoryEntries(directory: Uint8Array): DirectoryEntry[] {
  const view = new DataView(directory.buffer, directory.byteOffset, directory.byteLength);
  const entries: DirectoryEntry[] = [];
  for (let at = 0; at + DIRECTORY_ENTRY_BYTES <= directory.length; at += DIRECTORY_ENTRY_BYTES) {
    const nameBytes = Math.min(64, view.getUint16(at + 64, true));
    if (nameBytes < 2) continue;
    entries.push({
      name: new TextDecoder("utf-16le").decode(directory.subarray(at, at + nameBytes - 2)),
      type: view.getUint8(at + 66),
      start: view.getUint32(at + 116, true),
      size: view.getUint32(at + 120, true),
    });
  }
  return entries;
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
