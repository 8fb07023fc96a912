/** Characters of rows that are read at once, at least: SheetJS takes some ten times as much memory for their cells. */
const GROUP_CHARACTERS = 250_000;
/** Characters of all sheets from which on they are not read together, and of a sheet that is read by itself then. */
export const LARGE_CHARACTERS = { ofAll: 2_000_000, ofOne: 500_000 };

const WORKSHEET_ROW = /<(?:\w{1,20}:)?row(?=[\s>/])[^<>]*>/g;
const ROW_NUMBER = /\sr\s*=\s*["'](\d{1,7})["']/;
const ROWS_END = /<\/(?:\w{1,20}:)?sheetData\s*>/;
const LINK = /<(?:\w{1,20}:)?hyperlink\s[^<>]*>/g;
const LINKED_ROWS = /\bref\s*=\s*["']\$?[A-Z]{1,3}\$?(\d{1,7})(?::\$?[A-Z]{1,3}\$?(\d{1,7}))?["']/;
const ODF_TABLE = /<table:table(?=[\s>])[^<>]*>/g;
const ODF_NAME = /\stable:name\s*=\s*(?:"([^"]*)"|'([^']*)')/;
const ODF_TABLE_END = "</table:table>";
const ODF_ROW = "<table:table-row";
const ODF_ROW_END = "</table:table-row>";

/** A sheet whose rows are read in groups. */
export interface RowGroups {
  /** The XML of all rows, from the first to the end of the last one. */
  rows: string;
  /** The XML before the rows, and that behind them. */
  head: string;
  tail: string;
  /** Positions in `rows` at which a group begins, the first one at 0. */
  starts: readonly number[];
}

/**
 * Divides a worksheet (ECMA-376 part 1 § 18.3.1.80) into groups of rows. Undefined where rows are not
 * numbered in order: each of them takes its number from the one before.
 */
export function worksheetGroups(xml: string): RowGroups | undefined {
  const end = ROWS_END.exec(xml)?.index;
  if (end === undefined) return undefined;
  let first: number | undefined;
  let last = 0;
  const starts: number[] = [];
  for (const { index, 0: tag } of xml.matchAll(WORKSHEET_ROW)) {
    if (index > end) break;
    const number = rowNumber(tag);
    if (number <= last) return undefined;
    last = number;
    first ??= index;
    addStart(starts, index - first);
  }
  if (first === undefined) return undefined;
  return { rows: xml.slice(first, end), head: xml.slice(0, first), tail: xml.slice(end), starts };
}

/** Returns the number of a row by its start tag, counted from 1; 0 for a row without one. */
function rowNumber(tag: string): number {
  return Number(ROW_NUMBER.exec(tag)?.[1] ?? 0);
}

/** A table of an OpenDocument workbook. */
export interface OdfTable {
  /** As it is in the XML; empty for a table without one. */
  name: string;
  xml: string;
  /** Undefined for a small table, and for one without rows or a name. */
  groups: RowGroups | undefined;
}

/**
 * Divides the tables of an OpenDocument workbook (ODF 1.3 part 3 § 9.1.2) that have content into groups of rows. `before` is what
 * comes before the first table. Undefined without tables, and where tables are within tables.
 */
export function tableGroups(content: string): { before: string; tables: OdfTable[] } | undefined {
  const tables: OdfTable[] = [];
  let before: string | undefined;
  let last = 0;
  for (const { index, 0: tag } of content.matchAll(ODF_TABLE)) {
    before ??= content.slice(0, index);
    if (tag.endsWith("/>")) continue;
    const end = content.indexOf(ODF_TABLE_END, index);
    if (index < last || end === -1) return undefined;
    last = end + ODF_TABLE_END.length;
    const xml = content.slice(index, last);
    const [, double, single] = ODF_NAME.exec(tag) ?? [];
    const name = double ?? single ?? "";
    // The rows of a table are found again by its name.
    const groups = name === "" || xml.length < LARGE_CHARACTERS.ofOne ? undefined : rowsOfTable(xml);
    tables.push({ name, xml, groups });
  }
  return before === undefined ? undefined : { before, tables };
}

function rowsOfTable(table: string): RowGroups | undefined {
  const first = table.indexOf(ODF_ROW);
  const end = table.lastIndexOf(ODF_ROW_END);
  if (first === -1 || end < first) return undefined;
  const rows = table.slice(first, end + ODF_ROW_END.length);
  const starts: number[] = [];
  for (let at = 0; at !== -1; at = rows.indexOf(ODF_ROW, at + 1))
    if (/[\s>/]/.test(rows.charAt(at + ODF_ROW.length))) addStart(starts, at);
  return { rows, head: table.slice(0, first), tail: table.slice(end + ODF_ROW_END.length), starts };
}

function addStart(starts: number[], at: number): void {
  if (starts.length === 0 || at - (starts.at(-1) ?? 0) >= GROUP_CHARACTERS) starts.push(at);
}

/** Yields the rows of each group. */
export function* groupsOf({ rows, starts }: RowGroups): Generator<string> {
  for (const [at, start] of starts.entries()) yield rows.slice(start, starts[at + 1]);
}

/** A link on cells of a worksheet, with its first and its last row, counted from 1. */
export interface RowLink {
  tag: string;
  first: number;
  last: number;
}

/** Returns the links (ECMA-376 part 1 § 18.3.1.47) behind the rows of a worksheet. */
export function linksOf(tail: string): RowLink[] {
  return [...tail.matchAll(LINK)].map(([tag]) => {
    const [, first = 0, last = first] = LINKED_ROWS.exec(tag) ?? [];
    return { tag, first: Number(first), last: Number(last) };
  });
}

/** Returns a worksheet with some rows, and with the links on them. `ends` closes the elements that are open behind the head. */
export function worksheetWith(
  rows: string,
  { head, ends, links }: { head: string; ends: string; links: readonly RowLink[] },
): string {
  let [first, last] = [0, 0];
  for (const [tag] of rows.matchAll(WORKSHEET_ROW)) {
    last = rowNumber(tag);
    first ||= last;
  }
  const own = links.filter((link) => link.first <= last && link.last >= first).map(({ tag }) => tag);
  const end = ends.indexOf(">") + 1;
  return head + rows + ends.slice(0, end) + own.join("") + ends.slice(end);
}
