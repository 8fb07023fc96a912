import type { WordFile } from "./piece-table.ts";

/** Places of the tables of lists in the file information block, [MS-DOC] § 2.5.6. */
const PLACES = { lists: 0x2e2, overrides: 0x2ea };
const LIST_BYTES = 28;
const OVERRIDE_BYTES = 16;
const LEVEL_BYTES = 28;
const MAX_LISTS = 4_000;
/** Codes of number formats that are no numbers: bullets, and none, [MS-OSHARED] § 2.2.1.3. */
const UNNUMBERED = new Set([23, 255]);

/** Returns true for a level of a list that has numbers; lists are named by their place among the overrides, from 1 on. */
export type NumberedLevels = (list: number, level: number) => boolean;

/**
 * Reads which levels of the lists of a Word 97–2003 document have numbers, [MS-DOC] § 2.9.131, § 2.9.150 and § 2.9.147. A
 * damaged or missing table has none.
 */
export function readNumberedLevels(file: WordFile): NumberedLevels {
  const formats = readFormats(file);
  const ids = readOverrides(file);
  return (list, level) => {
    const format = formats.get(ids[list - 1] ?? Number.NaN)?.[level];
    return format !== undefined && !UNNUMBERED.has(format);
  };
}

/** Returns the number format of each level, by the id of the list; a simple list has one level. */
function readFormats({ document, table, budget }: WordFile): Map<number, number[]> {
  const formats = new Map<number, number[]>();
  const start = placeOf(document, PLACES.lists);
  if (start === undefined || start + 2 > table.byteLength) return formats;
  const count = Math.min(MAX_LISTS, table.getUint16(start, true));
  // The levels of all lists are behind the lists.
  let at = start + 2 + count * LIST_BYTES;
  for (let list = 0; list < count; list++) {
    const entry = start + 2 + list * LIST_BYTES;
    if (entry + LIST_BYTES > table.byteLength) break;
    const isSimple = (table.getUint8(entry + 26) & 1) === 1;
    const levels: number[] = [];
    for (let level = 0; level < (isSimple ? 1 : 9); level++) {
      if (at + LEVEL_BYTES > table.byteLength || !budget.take()) return formats;
      levels.push(table.getUint8(at + 4));
      at += LEVEL_BYTES + table.getUint8(at + 24) + table.getUint8(at + 25);
      if (at + 2 > table.byteLength) return formats;
      at += 2 + table.getUint16(at, true) * 2;
    }
    formats.set(table.getUint32(entry, true), levels);
  }
  return formats;
}

/** Returns the ids of the lists that paragraphs refer to. */
function readOverrides({ document, table }: WordFile): number[] {
  const start = placeOf(document, PLACES.overrides);
  if (start === undefined || start + 4 > table.byteLength) return [];
  const fitting = Math.floor((table.byteLength - start - 4) / OVERRIDE_BYTES);
  const count = Math.min(MAX_LISTS, fitting, table.getUint32(start, true));
  return Array.from({ length: count }, (_, at) => table.getUint32(start + 4 + at * OVERRIDE_BYTES, true));
}

function placeOf(document: DataView, at: number): number | undefined {
  if (at + 8 > document.byteLength || document.getUint32(at + 4, true) === 0) return undefined;
  return document.getUint32(at, true);
}
