import { AppError } from "../../../core/errors.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";

const WORD_97 = 0xa5ec;
const IS_ENCRYPTED = 0x0100;
const USES_TABLE_1 = 0x0200;
const IS_8_BIT = 0x40000000;

/** The parts of a Word 97–2003 file that make up its text, [MS-DOC] § 2.5. */
export interface WordFile {
  document: DataView;
  table: DataView;
  pieces: Piece[];
  /** Lengths in characters of the main text and of the footnotes behind it. */
  textLength: number;
  footnoteLength: number;
  budget: WorkBudget;
}

/** A stretch of characters that is contiguous in the file. */
export interface Piece {
  start: number;
  end: number;
  offset: number;
  bytesPerCharacter: 1 | 2;
}

/** Pieces that are examined in one step. */
const PIECES_PER_STEP = 32;

/**
 * Names of the tables that are used, with the position of their entry in the file information block, [MS-DOC] § 2.5.6.
 */
export const TABLES = { characterRuns: 0xfa, paragraphRuns: 0x102, pieces: 0x1a2 } as const;

/**
 * Reads the file information block and the piece table.
 * @throws SCRAPE_UNSUPPORTED_FILE_ERROR for a password or a version before Word 97
 */
export function openWordFile(stream: (name: string) => Uint8Array | undefined, budget: WorkBudget): WordFile {
  const main = stream("WordDocument");
  if (main === undefined || main.length < 0x1aa)
    throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The Word document is damaged");
  const document = viewOf(main);
  if (document.getUint16(0, true) !== WORD_97 || document.getUint16(2, true) < 0xc0) {
    throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", "Word documents of versions before Word 97 cannot be read");
  }
  const flags = document.getUint16(0x0a, true);
  if ((flags & IS_ENCRYPTED) !== 0) {
    throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", "The Word document is protected by a password");
  }
  const table = viewOf(stream((flags & USES_TABLE_1) === 0 ? "0Table" : "1Table") ?? new Uint8Array());
  return {
    document,
    table,
    pieces: readPieces(document, table),
    textLength: document.getUint32(0x4c, true),
    footnoteLength: document.getUint32(0x50, true),
    budget,
  };
}

/** Returns the characters from one position to another; 8-bit pieces are Windows-1252. */
export function textBetween(file: WordFile, from: number, to: number): string {
  return file.pieces
    .filter((piece) => piece.start < to && piece.end > from)
    .map((piece) => {
      // Pieces may refer to the same characters repeatedly.
      if (!file.budget.takeBytes(piece.end - piece.start)) return "";
      const start = Math.max(from, piece.start);
      const length = (Math.min(to, piece.end) - start) * piece.bytesPerCharacter;
      const offset = piece.offset + (start - piece.start) * piece.bytesPerCharacter;
      const available = Math.max(0, Math.min(length, file.document.byteLength - offset));
      const bytes = new Uint8Array(
        file.document.buffer,
        file.document.byteOffset + Math.min(offset, file.document.byteLength),
        available,
      );
      return new TextDecoder(piece.bytesPerCharacter === 1 ? "windows-1252" : "utf-16le").decode(bytes);
    })
    .join("");
}

/** Returns the file offset of a character; formatting is stored by file offset. */
export function offsetOf(file: WordFile, position: number): number {
  const at = file.pieces.findIndex(({ start, end }) => start <= position && position < end);
  const piece = file.pieces[at];
  file.budget.take((at === -1 ? file.pieces.length : at) / PIECES_PER_STEP);
  return piece === undefined ? -1 : piece.offset + (position - piece.start) * piece.bytesPerCharacter;
}

/** Reads the `Clx`: properties, which are skipped, then the piece table itself, [MS-DOC] § 2.9.38. */
function readPieces(document: DataView, table: DataView): Piece[] {
  let at = document.getUint32(TABLES.pieces, true);
  const end = at + document.getUint32(TABLES.pieces + 4, true);
  while (at + 5 <= end && table.getUint8(at) === 1) at += 3 + table.getUint16(at + 1, true);
  if (at + 5 > end || table.getUint8(at) !== 2) {
    throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The Word document is damaged");
  }
  const count = Math.floor((table.getUint32(at + 1, true) - 4) / 12);
  const positions = at + 5;
  const descriptors = positions + (count + 1) * 4;
  return Array.from({ length: count }, (_, index): Piece => {
    const place = table.getUint32(descriptors + index * 8 + 2, true);
    const is8Bit = (place & IS_8_BIT) !== 0;
    const offset = place & 0x3fffffff;
    return {
      start: table.getUint32(positions + index * 4, true),
      end: table.getUint32(positions + index * 4 + 4, true),
      offset: is8Bit ? offset >> 1 : offset,
      bytesPerCharacter: is8Bit ? 1 : 2,
    };
  });
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
