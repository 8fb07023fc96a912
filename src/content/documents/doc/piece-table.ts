import { AppError } from "../../../core/errors.ts";
import type { WorkBudget } from "../../../core/work-budget.ts";

const WORD_97 = 0xa5ec;
const WORD_6 = 0xa5dc;
const IS_COMPLEX = 0x0004;
const IS_ENCRYPTED = 0x0100;
const USES_TABLE_1 = 0x0200;
const IS_8_BIT = 0x40000000;

/** The parts of a Word 97–2003 file that make up its text, [MS-DOC] § 2.5. */
export interface WordFile {
  document: DataView;
  table: DataView;
  /** Stream with large sets of properties; missing in most files. */
  data?: DataView | undefined;
  pieces: Piece[];
  /** Lengths in characters of the main text and of the footnotes behind it. */
  textLength: number;
  footnoteLength: number;
  /** Set when the formatting has the layout of Word 97; that of Word 6 is not read. */
  hasFormatting: boolean;
  /** True when the piece table is damaged, so that the text is what the file has between its ends. */
  isTextOnly: boolean;
  encoding: string;
  budget: WorkBudget;
  /** Bytes of pieces that may still be read. */
  textLeft: WorkBudget;
}

/** A stretch of characters that is contiguous in the file. */
export interface Piece {
  start: number;
  end: number;
  offset: number;
  bytesPerCharacter: 1 | 2;
}

/** The text is behind the first part of the file information block. */
const TEXT_LEAST = 0x100;
/** Place of the piece table's entry in a file of Word 6. */
const WORD_6_PIECES = 0x160;
/** Code pages by the primary language ([MS-LCID]) of a document of Word 6, where they are not that of Western Europe. */
const CODE_PAGES: Record<number, string> = {
  0x01: "windows-1256",
  0x02: "windows-1251",
  0x04: "gbk",
  0x05: "windows-1250",
  0x08: "windows-1253",
  0x0d: "windows-1255",
  0x0e: "windows-1250",
  0x11: "shift_jis",
  0x12: "euc-kr",
  0x15: "windows-1250",
  0x18: "windows-1250",
  0x19: "windows-1251",
  0x1f: "windows-1254",
  0x22: "windows-1251",
};

/** Pieces that are examined in one step. */
const PIECES_PER_STEP = 32;
/** Bytes of all pieces, as a multiple of the stream that has them: the pieces of a sound file have none in common. */
const MAX_TEXT_SHARE = 4;

/**
 * Names of the tables that are used, with the position of their entry in the file information block, [MS-DOC] § 2.5.6.
 */
export const TABLES = { characterRuns: 0xfa, paragraphRuns: 0x102, pieces: 0x1a2 } as const;

/**
 * Reads the file information block and the piece table of a file of Word 97 or later, or of Word 6 and 95.
 * @throws SCRAPE_UNSUPPORTED_FILE_ERROR for a password or a version before Word 6
 */
export function openWordFile(stream: (name: string) => Uint8Array | undefined, budget: WorkBudget): WordFile {
  const main = stream("WordDocument");
  if (main === undefined || main.length < 0x1aa)
    throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The Word document is damaged");
  const document = viewOf(main);
  const flags = document.getUint16(0x0a, true);
  const isWord97 = document.getUint16(0, true) === WORD_97 && document.getUint16(2, true) >= 0xc0;
  if (!isWord97 && document.getUint16(0, true) !== WORD_6) {
    throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", "Word documents of versions before Word 6 cannot be read");
  }
  if ((flags & IS_ENCRYPTED) !== 0) {
    throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", "The Word document is protected by a password");
  }
  if (!isWord97) return openWord6(document, flags, budget);
  const table = viewOf(stream((flags & USES_TABLE_1) === 0 ? "0Table" : "1Table") ?? new Uint8Array());
  const pieces = readPieces({ document, table, budget }, TABLES.pieces);
  const data = stream("Data");
  return {
    document,
    table,
    data: data && viewOf(data),
    pieces: pieces ?? [wholeText(document, 2)],
    textLength: pieces === undefined ? Infinity : document.getUint32(0x4c, true),
    footnoteLength: pieces === undefined ? 0 : document.getUint32(0x50, true),
    hasFormatting: pieces !== undefined,
    isTextOnly: pieces === undefined,
    encoding: "windows-1252",
    budget,
    textLeft: textLeft(document, budget),
  };
}

function textLeft(document: DataView, budget: WorkBudget): WorkBudget {
  return budget.within({ bytes: document.byteLength * MAX_TEXT_SHARE });
}

/** Reads a file of Word 6 or 95: one stream with text in the code page of its language. */
function openWord6(document: DataView, flags: number, budget: WorkBudget): WordFile {
  const isComplex = (flags & IS_COMPLEX) !== 0;
  const pieces = isComplex ? readPieces({ document, table: document, budget }, WORD_6_PIECES) : undefined;
  return {
    document,
    table: document,
    pieces: pieces?.map((piece) => ({ ...piece, bytesPerCharacter: 1 })) ?? [wholeText(document, 1)],
    textLength: document.getUint32(0x34, true),
    footnoteLength: document.getUint32(0x38, true),
    hasFormatting: false,
    isTextOnly: isComplex && pieces === undefined,
    encoding: CODE_PAGES[document.getUint16(0x06, true) & 0x3ff] ?? "windows-1252",
    budget,
    textLeft: textLeft(document, budget),
  };
}

/**
 * Returns the text between `fcMin` and `fcMac`, [MS-DOC] § 2.5.2, as one piece.
 * @throws SCRAPE_DOCUMENT_PREFETCH_FAILED when there is none
 */
function wholeText(document: DataView, wide: 1 | 2): Piece {
  const start = document.getUint32(0x18, true);
  if (start < TEXT_LEAST || start >= document.byteLength) {
    throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The Word document is damaged");
  }
  const last = document.getUint32(0x1c, true);
  const end = last > start ? Math.min(last, document.byteLength) : document.byteLength;
  const bytesPerCharacter = wide === 2 && isWide(document, start, end) ? 2 : 1;
  return { start: 0, end: Math.floor((end - start) / bytesPerCharacter), offset: start, bytesPerCharacter };
}

/** True when the start of a text has spaces or line ends of two bytes. */
function isWide(document: DataView, start: number, end: number): boolean {
  let zeros = 0;
  const last = Math.min(end, start + 2_000);
  for (let at = start + 1; at < last; at += 2) if (document.getUint8(at) === 0) zeros++;
  return zeros * 20 > last - start;
}

/** Returns the characters from one position to another; 8-bit pieces are Windows-1252. */
export function textBetween(file: WordFile, from: number, to: number): string {
  if (!file.budget.take(file.pieces.length / PIECES_PER_STEP)) return "";
  return file.pieces
    .filter((piece) => Math.max(from, piece.start) < Math.min(to, piece.end))
    .map((piece) => {
      const start = Math.max(from, piece.start);
      const length = (Math.min(to, piece.end) - start) * piece.bytesPerCharacter;
      const offset = piece.offset + (start - piece.start) * piece.bytesPerCharacter;
      const available = Math.max(0, Math.min(length, file.document.byteLength - offset));
      // Pieces may refer to the same characters repeatedly.
      if (!file.textLeft.takeBytes(available)) {
        file.budget.cut("the text of the document");
        return "";
      }
      const bytes = new Uint8Array(
        file.document.buffer,
        file.document.byteOffset + Math.min(offset, file.document.byteLength),
        available,
      );
      return new TextDecoder(piece.bytesPerCharacter === 1 ? file.encoding : "utf-16le", {
        fatal: false,
        ignoreBOM: true,
      }).decode(bytes);
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

/**
 * Reads the `Clx`: properties, which are skipped, then the piece table itself, [MS-DOC] § 2.9.38. Pieces whose
 * descriptor is outside of the table are left out.
 * @returns undefined when there is no piece table where the file says
 */
function readPieces(
  { document, table, budget }: Pick<WordFile, "document" | "table" | "budget">,
  entry: number,
): Piece[] | undefined {
  let at = document.getUint32(entry, true);
  const end = Math.min(at + document.getUint32(entry + 4, true), table.byteLength);
  while (at + 5 <= end && table.getUint8(at) === 1) at += 3 + table.getUint16(at + 1, true);
  if (at + 5 > end || table.getUint8(at) !== 2) return undefined;
  const count = Math.floor((table.getUint32(at + 1, true) - 4) / 12);
  const positions = at + 5;
  const descriptors = positions + (count + 1) * 4;
  const available = Math.min(count, Math.floor((table.byteLength - descriptors) / 8));
  if (available < 1) return undefined;
  if (available < count) budget.cut("the text of the document");
  return Array.from({ length: available }, (_, index): Piece => {
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
