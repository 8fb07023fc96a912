import { findElements } from "../containers/xml-tree.ts";
import { storeZip, ZipFiles, zipText, zipXml } from "../containers/zip.ts";
import { readRelations } from "../pptx/relations.ts";
import { closing } from "./limit-parts.ts";
import type { RepeatLimit } from "./limit-repeats.ts";
import {
  groupsOf,
  LARGE_CHARACTERS,
  linksOf,
  type RowGroups,
  tableGroups,
  worksheetGroups,
  worksheetWith,
} from "./row-groups.ts";
import { SharedStrings } from "./shared-strings.ts";

const WORKBOOK = "xl/workbook.xml";
const STRINGS = "xl/sharedStrings.xml";
const ODF_CONTENT = "content.xml";
/** Parts of one sheet. */
const OF_ONE_SHEET = /\/(?:worksheets|threadedComments|drawings|tables|pivotTables)\/|\/comments[^/]*\.xml$/i;

interface GroupedSheet extends RowGroups {
  /** The part that has it. */
  path: string;
}

/** A workbook with some rows of one sheet, at their places in the whole sheet, and the position of the sheet in this workbook. */
export interface RowsWorkbook {
  bytes: Uint8Array<ArrayBuffer>;
  at: number;
}

/**
 * The large sheets of a workbook, whose rows are read in groups, each as a workbook of its own: SheetJS makes objects of
 * all cells that it is given, and copies of the text.
 */
export class GroupedSheets {
  /** By the position of a worksheet of Excel, or the name of a table of OpenDocument, as it is in the XML. */
  readonly #sheets = new Map<number | string, GroupedSheet>();
  readonly #repeats: RepeatLimit;
  #strings: SharedStrings | undefined;
  /** The XML in front of the tables of OpenDocument. */
  #before = "";

  /**
   * Takes the rows of large sheets out of the files of a workbook.
   * @param repeats limits the repeated cells of OpenDocument
   */
  constructor(files: ZipFiles, repeats: RepeatLimit) {
    this.#repeats = repeats;
    if ((files.get(ODF_CONTENT)?.length ?? 0) >= LARGE_CHARACTERS.ofAll) this.#takeTables(files);
    if (files.has(WORKBOOK)) this.#takeWorksheets(files);
  }

  /** Characters of the rows that are read in groups. */
  get length(): number {
    return [...this.#sheets.values()].reduce((length, { rows }) => length + rows.length, 0);
  }

  /**
   * Returns a workbook for each group of rows of a sheet; undefined for a sheet whose rows are in the files.
   * @param files those of the whole workbook without these rows, limited
   */
  workbooks(sheet: { at: number; name: string }, files: ZipFiles): Generator<RowsWorkbook> | undefined {
    const worksheet = this.#sheets.get(sheet.at);
    if (worksheet !== undefined) return this.#worksheets(files, worksheet, sheet.at);
    const table = this.#sheets.get(sheet.name);
    return table === undefined ? undefined : this.#tables(files, table);
  }

  #takeWorksheets(files: ZipFiles): void {
    const relations = readRelations(files, WORKBOOK);
    const sheets = findElements(zipXml(files, WORKBOOK), "sheet").map(
      (sheet) => relations.get(sheet.attributes["r:id"] ?? "")?.target ?? "",
    );
    const bytesOf = (path: string): number => files.get(path)?.length ?? 0;
    if (sheets.reduce((bytes, path) => bytes + bytesOf(path), 0) < LARGE_CHARACTERS.ofAll) return;
    for (const [at, path] of sheets.entries()) {
      if (bytesOf(path) < LARGE_CHARACTERS.ofOne) continue;
      const groups = worksheetGroups(zipText(files, path) ?? "");
      if (groups === undefined) continue;
      files.set(path, encode(groups.head + groups.tail));
      this.#sheets.set(at, { ...groups, path });
    }
    const strings = this.#sheets.size === 0 ? undefined : zipText(files, STRINGS);
    if (strings === undefined) return;
    this.#strings = new SharedStrings(strings);
    if (this.#sheets.size === sheets.length) files.set(STRINGS, encode(this.#strings.within("").strings));
  }

  #takeTables(files: ZipFiles): void {
    const { before = "", tables = [] } = tableGroups(zipText(files, ODF_CONTENT) ?? "") ?? {};
    if (tables.every(({ groups }) => groups === undefined)) return;
    const rest = tables.map(({ name, xml, groups }) => {
      if (groups === undefined) return xml;
      this.#sheets.set(name, { ...groups, path: ODF_CONTENT });
      return groups.head + groups.tail;
    });
    this.#before = before;
    files.set(ODF_CONTENT, encode(before + rest.join("") + closing(before)));
  }

  *#worksheets(files: ZipFiles, groups: GroupedSheet, at: number): Generator<RowsWorkbook> {
    const { path, head } = groups;
    const shared = [...files].filter(([name]) => !OF_ONE_SHEET.test(name) && name !== STRINGS);
    const slash = path.lastIndexOf("/");
    const relations = `${path.slice(0, slash)}/_rels${path.slice(slash)}.rels`;
    const targets = zipText(files, relations);
    if (targets !== undefined) shared.push([relations, encode(withLinksAlone(targets))]);
    const links = linksOf((zipText(files, path) ?? "").slice(head.length));
    const around = { head, ends: closing(head), links };
    for (const group of groupsOf(groups)) {
      const { rows, strings } = this.#strings?.within(group) ?? { rows: group, strings: undefined };
      const parts = new ZipFiles(files.budget, [...shared, [path, encode(worksheetWith(rows, around))]]);
      if (strings !== undefined) parts.set(STRINGS, encode(strings));
      yield { bytes: storeZip(parts), at };
    }
  }

  *#tables(files: ZipFiles, groups: GroupedSheet): Generator<RowsWorkbook> {
    const shared = [...files].filter(([name]) => name !== ODF_CONTENT);
    const ends = closing(this.#before);
    let count = 0;
    for (const rows of groupsOf(groups)) {
      const limited = this.#repeats.limit(rows);
      const table = `${groups.head}${count === 0 ? "" : emptyRows(count)}${limited.xml}${groups.tail}`;
      const content = encode(`${this.#before}${table}${ends}`);
      yield { bytes: storeZip(new ZipFiles(files.budget, [...shared, [ODF_CONTENT, content]])), at: 0 };
      count += limited.rows;
    }
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Returns rows without content, in place of those in front of a group. */
function emptyRows(count: number): string {
  return `<table:table-row table:number-rows-repeated="${count}"><table:table-cell/></table:table-row>`;
}

/** Leaves out the relations of a worksheet to its drawings, comments and others. */
function withLinksAlone(relations: string): string {
  return relations.replace(/<(?:\w{1,20}:)?Relationship\s[^<>]*>/g, (tag) => (/\/hyperlink["']/.test(tag) ? tag : ""));
}
