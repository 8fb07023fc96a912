import { MAX_TABLE_COLUMNS } from "../html/markdown-table.ts";

/** Cells and characters of all repeated cells and rows of a workbook: of a few bytes, a file makes any number of both. */
const MAX_CELLS = 400_000;
const MAX_CHARACTERS = 12_000_000;

const ROW_START = /(?=<[\w-]+:table-row[\s>/])/;
const IS_ROW = /^<[\w-]+:table-row[\s>/]/;
const CELL_START = /(?=<[\w-]+:(?:covered-)?table-cell[\s>/])/;
const REPEATS = /(number-(?:columns|rows)-repeated\s*=\s*)(?:"([^"]*)"|'([^']*)')/g;
/** Spaces that are written as their count, ODF 1.3 part 3 § 6.1.3: one element may stand for gigabytes. */
const SPACES = /(<text:s\s+text:c=")(\d{3,})(?=")/g;
const MAX_SPACES = 100;

/**
 * Limits how often the cells and rows of an OpenDocument workbook are repeated (ODF 1.3 part 3 § 19.675 and 19.679), so
 * that all of them together stay within the size of a table. A count that is no number becomes 1, and spaces in a row become fewer.
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
    const written = withFewSpaces(xml)
      .split(ROW_START)
      .map((row) => {
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
      return withRepeats(cell, times);
    });
    const wanted = repeatsOf(start);
    const times = Math.min(wanted, timesWithin(left, size));
    left.cells -= times * size.cells;
    left.characters -= times * size.characters;
    this.isCut ||= times < wanted && /<text:/.test(row);
    return { xml: withRepeats(start, times) + written.join(""), times };
  }
}

function withFewSpaces(xml: string): string {
  return xml.replace(SPACES, (_, start: string, spaces: string) => `${start}${Math.min(MAX_SPACES, Number(spaces))}`);
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
  let most = 1;
  for (const [, , double, single = ""] of startTag(element).matchAll(REPEATS))
    most = Math.max(most, countOf(double ?? single));
  return most;
}

/** Returns a count, 1 for one that is not written in digits alone: the library reads `1e9` and `+1000000000` too. */
function countOf(value: string): number {
  return /^\s*\d+\s*$/.test(value) ? Math.max(1, Number(value)) : 1;
}

/** Writes a count where another one is, or one that is no number. */
function withRepeats(element: string, times: number): string {
  const tag = startTag(element);
  const written = tag.replace(REPEATS, (whole, name: string, double?: string, single = "") => {
    const value = double ?? single;
    return Number(value.trim() || Number.NaN) === times && /^\s*\d+\s*$/.test(value) ? whole : `${name}"${times}"`;
  });
  return written === tag ? element : written + element.slice(tag.length);
}

/** Returns the start tag of an element; a value in quotes may contain the sign that ends it. */
function startTag(element: string): string {
  for (let at = 0; at < element.length; at++) {
    if (element[at] === ">") return element.slice(0, at + 1);
    const end = element[at] === '"' ? element.indexOf('"', at + 1) : at;
    if (end === -1) break;
    at = end;
  }
  return element.slice(0, element.indexOf(">") + 1) || element;
}
