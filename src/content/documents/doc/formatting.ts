import type { RowShape } from "../html/cell-spans.ts";
import type { WordFile } from "./piece-table.ts";
import { TABLES } from "./piece-table.ts";
import { RowShapeReader } from "./row-shape.ts";

const PAGE_BYTES = 512;
/** Runs of paragraphs, and of characters, that are read. */
const MAX_RUNS = 100_000;
/** Names of pages that are examined in one step. */
const PAGES_PER_STEP = 32;
const NO_PROPERTIES: ReadonlyMap<number, number> = new Map<number, number>();

/** The formatting of a run of bytes in the file. */
interface Run {
  start: number;
  end: number;
  /** Style of the paragraph; 0 for runs of characters. */
  style: number;
  /** Values of properties by their code, [MS-DOC] § 2.6. */
  properties: ReadonlyMap<number, number>;
  /** Places of the cells, at the end of a row of a table. */
  row?: RowShape | undefined;
}

export interface Formatting {
  paragraphAt(offset: number): Run | undefined;
  characterAt(offset: number): Run | undefined;
}

/** Codes of the properties that are read. */
export const PROPERTIES = {
  isDeleted: 0x0800,
  bold: 0x0835,
  italic: 0x0836,
  strike: 0x0837,
  isHidden: 0x083c,
  /** 1 for raised text, 2 for lowered text. */
  shift: 0x2a48,
  isInTable: 0x2416,
  isRowEnd: 0x2417,
  isInnerCellEnd: 0x244b,
  isInnerRowEnd: 0x244c,
  tableDepth: 0x6649,
  /** 0–8 for the level of a heading, 9 for other text. */
  outlineLevel: 0x2640,
  listLevel: 0x260a,
  list: 0x460b,
} as const;

/** Reads the formatting of paragraphs and characters from the formatted disk pages, [MS-DOC] § 2.9.112 and § 2.9.33. */
export function readFormatting(file: WordFile): Formatting {
  const paragraphs = readRuns(file, TABLES.paragraphRuns, 13, (page, at) => readParagraph(file, page, at));
  const characters = readRuns(file, TABLES.characterRuns, 1, readCharacters);
  return {
    paragraphAt: (offset) => findRun(paragraphs, offset),
    characterAt: (offset) => findRun(characters, offset),
  };
}

type Reader = (page: DataView, at: number) => Pick<Run, "style" | "properties" | "row">;

function readRuns(file: WordFile, tableEntry: number, entryBytes: number, read: Reader): Run[] {
  const start = file.document.getUint32(tableEntry, true);
  const length = file.document.getUint32(tableEntry + 4, true);
  if (length < 4 || start + length > file.table.byteLength) return [];
  const count = Math.floor((length - 4) / 8);
  const runs: Run[] = [];
  const left = file.budget.within({ steps: MAX_RUNS });
  // A page may be named any number of times.
  const seen = new Set<number>();
  for (let index = 0; index < count && file.budget.take(1 / PAGES_PER_STEP); index++) {
    const pageNumber = file.table.getUint32(start + (count + 1) * 4 + index * 4, true) & 0x3fffff;
    if (seen.has(pageNumber) || (pageNumber + 1) * PAGE_BYTES > file.document.byteLength) continue;
    seen.add(pageNumber);
    const page = new DataView(file.document.buffer, file.document.byteOffset + pageNumber * PAGE_BYTES, PAGE_BYTES);
    if (!left.take(page.getUint8(PAGE_BYTES - 1))) {
      left.cut("the formatting of the document");
      break;
    }
    for (const run of runsOfPage(page, entryBytes, read)) runs.push(run);
  }
  return runs.toSorted((a, b) => a.start - b.start);
}

function runsOfPage(page: DataView, entryBytes: number, read: Reader): Run[] {
  const count = page.getUint8(PAGE_BYTES - 1);
  const entries = (count + 1) * 4;
  if (entries + count * entryBytes > PAGE_BYTES) return [];
  // Runs of a page may have the same properties.
  const known = new Map<number, ReturnType<Reader>>([[0, { style: 0, properties: NO_PROPERTIES }]]);
  return Array.from({ length: count }, (_, index): Run => {
    const at = page.getUint8(entries + index * entryBytes) * 2;
    const found = known.get(at) ?? read(page, at);
    known.set(at, found);
    return { start: page.getUint32(index * 4, true), end: page.getUint32(index * 4 + 4, true), ...found };
  });
}

function readParagraph(file: WordFile, page: DataView, at: number): Pick<Run, "style" | "properties" | "row"> {
  const half = page.getUint8(at);
  const start = half === 0 ? at + 2 : at + 1;
  const end = half === 0 ? start + page.getUint8(at + 1) * 2 : start + half * 2 - 1;
  if (start + 2 > PAGE_BYTES) return { style: 0, properties: NO_PROPERTIES };
  const row = new RowShapeReader(file.budget);
  const own = readProperties(page, start + 2, Math.min(end, PAGE_BYTES), row);
  const large = file.data === undefined ? undefined : largeProperties(file, file.data, own.get(LARGE), row);
  const properties = large === undefined ? own : new Map([...own, ...large]);
  return { style: page.getUint16(start, true), properties, row: row.shape };
}

/** Property whose value is the place of further properties in the data stream, [MS-DOC] § 2.9.181. */
const LARGE = 0x6646;

function largeProperties(
  { budget }: WordFile,
  data: DataView,
  at: number | undefined,
  row: RowShapeReader,
): Map<number, number> | undefined {
  if (at === undefined || at + 2 > data.byteLength) return undefined;
  const bytes = data.getUint16(at, true);
  // Any number of paragraphs may name the same place.
  if (!budget.takeBytes(bytes) || !budget.take(bytes / 2)) return undefined;
  return readProperties(data, at + 2, Math.min(at + 2 + bytes, data.byteLength), row);
}

function readCharacters(page: DataView, at: number): Pick<Run, "style" | "properties"> {
  return { style: 0, properties: readProperties(page, at + 1, Math.min(at + 1 + page.getUint8(at), PAGE_BYTES)) };
}

/** Reads properties; the upper three bits of a property's code give the length of its value. */
export function readProperties(page: DataView, start: number, end: number, row?: RowShapeReader): Map<number, number> {
  const properties = new Map<number, number>();
  for (let at = start; at + 3 <= end;) {
    const code = page.getUint16(at, true);
    const bytes = [1, 1, 2, 4, 2, 2, -1, 3][code >> 13] ?? 1;
    at += 2;
    if (bytes === -1) {
      // Definitions of tables carry a length of two bytes, one too high.
      const length = code === 0xd608 && at + 2 <= end ? page.getUint16(at, true) + 1 : page.getUint8(at) + 1;
      row?.take(code, page, at, Math.min(at + length, end));
      at += length;
      continue;
    }
    if (at + bytes > end) break;
    row?.take(code, page, at, at + bytes);
    properties.set(code, valueAt(page, at, bytes));
    at += bytes;
  }
  return properties;
}

function valueAt(page: DataView, at: number, bytes: number): number {
  if (bytes === 1) return page.getUint8(at);
  return bytes === 4 ? page.getUint32(at, true) : page.getUint16(at, true);
}

function findRun(runs: readonly Run[], offset: number): Run | undefined {
  let low = 0;
  let high = runs.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const run = runs[middle];
    if (run === undefined) return undefined;
    if (offset < run.start) high = middle - 1;
    else if (offset >= run.end) low = middle + 1;
    else return run;
  }
  return undefined;
}
