import { MAX_TABLE_COLUMNS } from "../html/markdown-table.ts";

/** Cells and characters of all repeated cells and rows of a workbook: of a few bytes, a file makes any number of both. */
const MAX_CELLS = 400_000;
const MAX_CHARACTERS = 12_000_000;

/** Names of elements as SheetJS reads them: with any prefix or none, with any ending behind `_`, and those of UOF. */
const named = (names: string): string => String.raw`<(?:[^\s?><!/:"]*:)?(?:${names})[\s>/_]`;
const ROW_START = new RegExp(`(?=${named("table-row|行")})`);
const IS_ROW = new RegExp(`^${named("table-row|行")}`);
const CELL_START = new RegExp(`(?=${named("(?:covered-)?table-cell|数据")})`);
/** A start tag, whose values may contain its end. */
const START_TAG = /^<[^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*)*>/;
/** Bounded: a name may hold further ones of its kind. */
const REPEATS = /(number-(?:columns|rows)-repeated[^\s=<>"']{0,50}\s{0,50}=\s{0,50})("[^"]*"|'[^']*')/gi;

/**
 * Limits how often the cells and rows of an OpenDocument workbook are repeated (ODF 1.3 part 3 § 19.675 and 19.679), so
 * that all of them together stay within the size of a table. A count that is no number becomes 1.
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

interface Size {
  cells: number;
  characters: number;
}

/** Returns how often something of a size fits, at least once. */
function timesWithin(left: Size, { cells, characters }: Size): number {
  const times = Math.min(left.cells / Math.max(1, cells), left.characters / Math.max(1, characters));
  return Math.max(1, Math.floor(times));
}

/** Returns the highest number of repetitions in a start tag. */
function repeatsOf(element: string): number {
  let most = 1;
  for (const [, , quoted = ""] of startTag(element).matchAll(REPEATS)) most = Math.max(most, countOf(quoted) ?? 1);
  return most;
}

/** Returns the count in quotes; undefined for one that is not written in digits alone: the library reads `1e9` and `0x9` too. */
function countOf(quoted: string): number | undefined {
  const value = quoted.slice(1, -1);
  return /^\s*\d+\s*$/.test(value) ? Math.max(1, Number(value)) : undefined;
}

/** Writes a count where another one is, or one that is no number. */
function withRepeats(element: string, times: number): string {
  const tag = startTag(element);
  const written = tag.replace(REPEATS, (whole, name: string, quoted: string) => {
    const quote = quoted.charAt(0);
    return countOf(quoted) === times ? whole : `${name}${quote}${times}${quote}`;
  });
  return written === tag ? element : written + element.slice(tag.length);
}

/** Returns the start tag of an element; a value in quotes may contain the sign that ends it. */
function startTag(element: string): string {
  const tag = START_TAG.exec(element)?.[0];
  if (tag !== undefined) return tag;
  const end = element.indexOf(">");
  return end === -1 ? element : element.slice(0, end + 1);
}
