import { MAX_TABLE_COLUMNS } from "../html/markdown-table.ts";

/** Cells and characters of all repeated cells and rows of a workbook: of a few bytes, a file makes any number of both. */
const MAX_CELLS = 400_000;
const MAX_CHARACTERS = 12_000_000;

const ROW_START = /(?=<[\w-]+:table-row[\s>/])/;
const IS_ROW = /^<[\w-]+:table-row[\s>/]/;
const CELL_START = /(?=<[\w-]+:(?:covered-)?table-cell[\s>/])/;
const REPEATS = /(number-(?:columns|rows)-repeated\s*=\s*["']\s*)(\d+)/;

/**
 * Limits how often the cells and rows of an OpenDocument workbook are repeated (ODF 1.3 part 3 § 19.675 and 19.679), so
 * that all of them together stay within the size of a table.
 */
export class RepeatLimit {
  readonly #left = { cells: MAX_CELLS, characters: MAX_CHARACTERS };

  /** Set when cells with content are missing by lower numbers. */
  isCut = false;

  /**
   * @param xml `content.xml` of the workbook, or some of its rows
   * @returns the text with lower numbers, and the number of rows in it
   */
  limit(xml: string): { xml: string; rows: number } {
    let rows = 0;
    const written = xml.split(ROW_START).map((row) => {
      if (!IS_ROW.test(row)) return row;
      const limited = this.#limitRow(row);
      rows += limited.times;
      return limited.xml;
    });
    return { xml: written.join(""), rows };
  }

  #limitRow(row: string): { xml: string; times: number } {
    const left = this.#left;
    const [start = "", ...cells] = row.split(CELL_START);
    const size = { cells: 0, characters: 0 };
    const written = cells.map((cell) => {
      const wanted = repeatsOf(cell);
      const times = Math.min(wanted, MAX_TABLE_COLUMNS + 1, timesWithin(left, { cells: 1, characters: cell.length }));
      size.cells += times;
      size.characters += times * cell.length;
      return times === wanted ? cell : withRepeats(cell, times);
    });
    const wanted = repeatsOf(start);
    const times = Math.min(wanted, timesWithin(left, size));
    left.cells -= times * size.cells;
    left.characters -= times * size.characters;
    this.isCut ||= times < wanted && /<text:/.test(row);
    return { xml: (times === wanted ? start : withRepeats(start, times)) + written.join(""), times };
  }
}

interface Size {
  cells: number;
  characters: number;
}

/** Returns how often something of a size fits, at least once. */
function timesWithin(left: Size, { cells, characters }: Size): number {
  const times = Math.min(left.cells / Math.max(1, cells), left.characters / Math.max(1, characters));
  return Math.max(1, Math.floor(times));
}

function repeatsOf(element: string): number {
  return Number(REPEATS.exec(startTag(element))?.[2] ?? 1);
}

function withRepeats(element: string, times: number): string {
  const tag = startTag(element);
  return tag.replace(REPEATS, `$1${times}`) + element.slice(tag.length);
}

function startTag(element: string): string {
  const end = element.indexOf(">");
  return end === -1 ? element : element.slice(0, end + 1);
}
