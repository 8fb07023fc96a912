import type { WordFile } from "./piece-table.ts";

/** Places of tables in the file information block, [MS-DOC] § 2.5.6, with the bytes of their entries. */
const TABLES = {
  footnotes: { marks: 0xaa, texts: 0xb2, bytes: 2 },
  comments: { marks: 0xba, texts: 0xc2, bytes: 30 },
  endnotes: { marks: 0x20a, texts: 0x212, bytes: 2 },
} as const;
const BOX_TEXTS = { at: 0x25a, bytes: 22, shape: 14 };
const SHAPES = { at: 0x1da, bytes: 26 };
/** Lengths in characters of the parts of the text, in their order, [MS-DOC] § 2.5.4. */
const LENGTHS = [0x4c, 0x50, 0x54, 0x58, 0x5c, 0x60, 0x64] as const;
const MAX_ENTRIES = 50_000;

/** Text that stands beside the document: characters from a position to another one, and the place that it belongs to. */
export interface SideText {
  kind: "note" | "comment" | "box";
  from: number;
  to: number;
  /** Position in the main text; undefined for a box whose place is not known. */
  mark: number | undefined;
}

/**
 * Reads where the footnotes, comments, endnotes and text boxes of a Word 97–2003 document are, [MS-DOC] § 2.8. Entries outside of
 * their part of the text, or with a mark outside of the main text, are left out.
 */
export function readSideTexts(file: WordFile): SideText[] {
  const [main = 0, ...others] = LENGTHS.map((at) => file.document.getUint32(at, true));
  const starts = others.map((_, at) => main + others.slice(0, at).reduce((sum, length) => sum + length, 0));
  const [footnotes = 0, , , comments = 0, endnotes = 0, boxes = 0] = starts;
  const [footnoteLength = 0, , , commentLength = 0, endnoteLength = 0, boxLength = 0] = others;
  return [
    ...marked(file, "note", TABLES.footnotes, { start: footnotes, length: footnoteLength }),
    ...marked(file, "note", TABLES.endnotes, { start: endnotes, length: endnoteLength }),
    ...marked(file, "comment", TABLES.comments, { start: comments, length: commentLength }),
    ...boxesOf(file, { start: boxes, length: boxLength }),
  ].filter(({ mark }) => mark === undefined || mark < main);
}

interface Part {
  start: number;
  length: number;
}

function marked(
  file: WordFile,
  kind: SideText["kind"],
  { marks, texts, bytes }: { marks: number; texts: number; bytes: number },
  part: Part,
): SideText[] {
  const ranges = rangesOf(readPlc(file, texts, 0).positions, part);
  const places = readPlc(file, marks, bytes).positions.slice(0, -1);
  return places.flatMap((mark, at) => (ranges[at] === undefined ? [] : [{ kind, mark, ...ranges[at] }]));
}

function boxesOf(file: WordFile, part: Part): SideText[] {
  const shapes = readPlc(file, SHAPES.at, SHAPES.bytes);
  const places = new Map(
    shapes.entries.map((entry, at) => [file.table.getUint32(entry, true), shapes.positions[at]] as const),
  );
  const boxes = readPlc(file, BOX_TEXTS.at, BOX_TEXTS.bytes);
  const ranges = rangesOf(boxes.positions, part);
  return boxes.entries.flatMap((entry, at): SideText[] => {
    const mark = places.get(file.table.getUint32(entry + BOX_TEXTS.shape, true));
    return ranges[at] === undefined ? [] : [{ kind: "box", mark, ...ranges[at] }];
  });
}

/**
 * Returns the texts between positions; undefined for one that is empty, reaches out of its part or back into an earlier one, so that
 * no text is read twice.
 */
function rangesOf(positions: readonly number[], part: Part): ({ from: number; to: number } | undefined)[] {
  let last = 0;
  return positions.slice(0, -1).map((from, at) => {
    const to = positions[at + 1] ?? 0;
    if (from < last || from >= to || to > part.length) return undefined;
    last = to;
    return { from: part.start + from, to: part.start + to };
  });
}

/** Reads a table of positions, one more than its entries, [MS-DOC] § 2.2.2, with the offsets of the entries. */
function readPlc(
  { document, table, budget }: WordFile,
  at: number,
  bytes: number,
): { positions: number[]; entries: number[] } {
  const none = { positions: [], entries: [] };
  if (at + 8 > document.byteLength) return none;
  const start = document.getUint32(at, true);
  const length = document.getUint32(at + 4, true);
  if (length < 4 || start + length > table.byteLength) return none;
  const count = Math.min(MAX_ENTRIES, Math.floor((length - 4) / (4 + bytes)));
  if (!budget.take(count)) return none;
  const whole = Math.floor((length - 4) / (4 + bytes));
  return {
    positions: Array.from({ length: count + 1 }, (_, index) => table.getUint32(start + index * 4, true)),
    entries: bytes === 0 ? [] : Array.from({ length: count }, (_, index) => start + (whole + 1) * 4 + index * bytes),
  };
}
