import { decodeXML } from "entities";
import { utils } from "#xlsx";
import type { CellObject, WorkBook, WorkSheet } from "#xlsx";
import type { WorkBudget } from "../../../core/work-budget.ts";
import type { DocumentContent } from "../document-content.ts";
import { boundTable, markdownTable, MAX_TABLE_COLUMNS, MAX_TABLE_ROWS, TableRoom } from "../html/markdown-table.ts";
import { corePropertiesOf, openDocumentPropertiesOf } from "../docx/office-metadata.ts";
import { checkFileCount, limitZipXml, readZip, storeZip, type ZipEntry, ZipFiles, zipText } from "../containers/zip.ts";
import { hiddenSheets } from "./hidden-sheets.ts";
import { type MergedArea, repeatMerged } from "./merged-cells.ts";
import { openWorkbook } from "./open-workbook.ts";
import { GroupedSheets, type RowsWorkbook } from "./grouped-sheets.ts";
import { limitBinaryParts } from "./limit-binary.ts";
import { RepeatLimit } from "./limit-repeats.ts";
import { limitParts } from "./limit-parts.ts";
import { LARGE_BYTES, largeKindOf, unpackLargeParts } from "./large-parts.ts";
import { sheetComments } from "./sheet-comments.ts";
import { sheetDrawings } from "./sheet-drawings.ts";
import { LinkLimit, MAX_LINKED_CELLS } from "./limit-links.ts";
import { escapeAddress } from "../../markdown/inline/escape.ts";

/** Elements of all parts: a cell has one to three. */
const MAX_ELEMENTS = 1_200_000;
/** Maximum steps of reading, by the size of the input: a link over a whole sheet would fill memory with cells. */
const LEAST_STEPS = 300_000;
const STEPS_PER_BYTE = 0.5;
/** Bytes of a workbook with some rows of a sheet that are written in the time of a step: each has the styles of the whole. */
const GROUP_BYTES_PER_STEP = 64;
const ODF_CONTENT = "content.xml";
const ODF_STYLES = "styles.xml";
/** Excel allows 31. */
const MAX_NAME_CHARACTERS = 100;
/** Parts of a workbook that hold no cells; left packed. */
const NO_CELLS =
  /\/(media|drawings|charts|embeddings|printerSettings|theme)\/|\.(png|jpe?g|gif|emf|wmf|bin\.rels|vml)$/i;

/**
 * Reads a workbook: Excel (.xlsx, .xlsm, .xlsb, .xls) or OpenDocument (.ods). Each visible sheet becomes a heading and
 * pipe tables, with values as displayed, those of merged cells in each row and column that they cover; rows separated by an empty
 * one become separate tables. Text boxes, charts and
 * comments of the sheet follow.
 * @throws SCRAPE_DOCUMENT_PREFETCH_FAILED for a damaged file, SCRAPE_UNSUPPORTED_FILE_ERROR for a password or a bomb
 */
export async function readSpreadsheet(bytes: Uint8Array, parent: WorkBudget): Promise<DocumentContent> {
  const unpacked = await unpackWorkbook(bytes, parent);
  const files = unpacked?.files;
  const stored = files === undefined ? bytes : storeZip(files);
  const length = stored.byteLength + (unpacked?.grouped.length ?? 0);
  const budget = parent.within({ steps: LEAST_STEPS + length * STEPS_PER_BYTE });
  const workbook = openWorkbook(stored, budget);
  const visibility = workbook.Workbook?.Sheets ?? [];
  const odf = files && zipText(files, ODF_CONTENT);
  const hiddenNames = hiddenSheets(odf ?? "");
  // SheetJS leaves references to characters in the names of OpenDocument as they are.
  const shown = (name: string): string => (odf === undefined ? name : decodeXML(name)).slice(0, MAX_NAME_CHARACTERS);
  const isVisible = (name: string, at: number): boolean =>
    (visibility[at]?.Hidden ?? 0) === 0 && !hiddenNames.has(name);
  const visible = workbook.SheetNames.map((name, at) => ({ name, at })).filter(({ name, at }) => isVisible(name, at));
  const hidden = workbook.SheetNames.filter((name, at) => !isVisible(name, at));
  const cut: string[] = [];
  let rowCount = 0;
  const room = new TableRoom();
  const drawings = files === undefined ? undefined : sheetDrawings(bytes, parent);
  const sections = visible.map((position) => {
    const { name } = position;
    const sheet = workbook.Sheets[name];
    const areas = [...(sheet?.["!merges"] ?? [])];
    const comments = [sheetComments(sheet, room)];
    const groups = unpacked?.grouped.workbooks(position, unpacked.files);
    const groupSheets = function* (): Generator<WorkSheet> {
      for (const part of openGroups(groups ?? [], { budget, isFirst: rowCount === 0 })) {
        areas.push(...(part["!merges"] ?? []));
        comments.push(sheetComments(part, room));
        yield part;
      }
    };
    const table = sheetRows(cellRows(groups === undefined ? [sheet ?? {}] : groupSheets()), areas, { room, budget });
    const { rows, isCut } = boundTable(table.rows);
    rowCount += rows.length;
    if (isCut || table.isCut) cut.push(`${shown(name)} (${rows.length} rows)`);
    const blocks = [
      `## ${shown(name)}`,
      ...splitAtEmptyRows(rows).map(writeBlock),
      drawings?.get(name) ?? "",
      comments.filter((list) => list !== "").join("\n"),
    ];
    return blocks.filter((block) => block !== "").join("\n\n");
  });
  const isIncomplete = budget.isSpent || (unpacked?.cut.length ?? 0) > 0 || unpacked?.repeats.isCut === true;
  const warnings = [
    ...(isIncomplete
      ? ["The workbook takes more work to read than this service allows; its tables are incomplete."]
      : []),
    ...(unpacked?.hasCutLinks === true ? [`Links of more than ${MAX_LINKED_CELLS} cells were left out.`] : []),
    ...(cut.length > 0 ? [`Sheets were cut: ${cut.join(", ")}.`] : []),
    ...(hidden.length > 0 ? [`Hidden sheets were left out: ${hidden.map(shown).join(", ")}.`] : []),
  ];
  return {
    markdown: sections.join("\n\n"),
    metadata: { ...metadataOf(workbook, files), sheetNames: visible.map(({ name }) => shown(name)) },
    ...(warnings.length > 0 ? { warning: warnings.join(" ") } : {}),
  };
}

interface UnpackedWorkbook {
  files: ZipFiles;
  /** Names of the parts that were cut. */
  cut: string[];
  hasCutLinks: boolean;
  grouped: GroupedSheets;
  repeats: RepeatLimit;
}

/**
 * Unpacks a workbook under a limit, so that the library receives no zip bomb; undefined for .xls, which is no archive.
 */
async function unpackWorkbook(bytes: Uint8Array, budget: WorkBudget): Promise<UnpackedWorkbook | undefined> {
  const isArchive = bytes[0] === 0x50 && bytes[1] === 0x4b;
  if (!isArchive) return undefined;
  const large: ZipEntry[] = [];
  const isWanted = (name: string, entry?: ZipEntry): boolean => {
    if (NO_CELLS.test(name)) return false;
    const isLarge = entry !== undefined && entry.declaredBytes >= LARGE_BYTES && largeKindOf(name) !== undefined;
    if (isLarge) large.push(entry);
    return !isLarge;
  };
  const files = readZip(bytes, isWanted, budget);
  checkFileCount(files.size + large.length);
  const ended = await unpackLargeParts(bytes, large, files);
  // The parts that name the sheets come before the contents of the sheets.
  const isSmall = (name: string): boolean => !/\/worksheets\/|sharedStrings/i.test(name);
  const sorted = [...files].toSorted(([a], [b]) => Number(isSmall(b)) - Number(isSmall(a)));
  const parts = new ZipFiles(budget, sorted);
  const cutParts = [...ended, ...limitParts(parts), ...limitBinaryParts(parts)];
  const repeats = new RepeatLimit();
  const grouped = new GroupedSheets(parts, repeats);
  limitSheetRepeats(parts, repeats);
  const { files: limited, cut } = limitZipXml(parts, MAX_ELEMENTS);
  const hasCutLinks = limitLinks(limited);
  return { files: limited, cut: [...cutParts, ...cut], hasCutLinks, grouped, repeats };
}

/** Limits the repeated cells and rows of an OpenDocument workbook. */
function limitSheetRepeats(files: ZipFiles, repeats: RepeatLimit): void {
  const whole = zipText(files, ODF_CONTENT);
  if (whole === undefined) return;
  // SheetJS asks for the styles, which a workbook need not have.
  if (!files.has(ODF_STYLES)) files.set(ODF_STYLES, new TextEncoder().encode("<office:document-styles/>"));
  const { xml } = repeats.limit(whole);
  if (xml !== whole) files.set(ODF_CONTENT, new TextEncoder().encode(xml));
}

/** Removes links beyond the limit from the worksheets. @returns true when there were any */
function limitLinks(files: ZipFiles): boolean {
  const links = new LinkLimit();
  for (const name of files.keys()) {
    if (!/\/worksheets\/[^/]*\.xml$/i.test(name)) continue;
    const whole = zipText(files, name) ?? "";
    const text = links.limit(whole);
    if (text !== whole) files.set(name, new TextEncoder().encode(text));
  }
  return links.hasCut;
}

/** Yields sheets with some rows of a large one. When the budget is spent, the rows so far stand, if there are any. */
function* openGroups(
  groups: Iterable<RowsWorkbook>,
  { budget, isFirst }: { budget: WorkBudget; isFirst: boolean },
): Generator<WorkSheet> {
  let isEmpty = isFirst;
  for (const { bytes, at } of groups) {
    try {
      budget.spend(bytes.byteLength / GROUP_BYTES_PER_STEP);
      const { Sheets, SheetNames } = openWorkbook(bytes, budget, at);
      const part = Sheets[SheetNames[at] ?? ""];
      if (part !== undefined) yield part;
      isEmpty = false;
    } catch (error) {
      if (isEmpty || !budget.isSpent) throw error;
      return;
    }
  }
}

type Cells = readonly (CellObject | undefined)[];

/** Yields the rows of a sheet from the first one on, also of one in parts, each of which has the rows that follow at their places. */
function* cellRows(sheets: Iterable<WorkSheet>): Generator<Cells> {
  let at = 0;
  for (const sheet of sheets) {
    // Rows and cells without a value are holes, which `map` would pass over.
    const rows: readonly (Cells | undefined)[] = sheet["!data"] ?? [];
    for (; at < Math.min(rows.length, MAX_TABLE_ROWS + 1); at++) yield rows[at] ?? [];
  }
}

/** Returns one row and one column more than is shown, so that the caller can see that there are more. */
function sheetRows(
  cells: Iterable<Cells>,
  areas: readonly MergedArea[],
  { room, budget }: { room: TableRoom; budget: WorkBudget },
): { rows: string[][]; isCut: boolean } {
  const rows: string[][] = [];
  for (const each of cells) {
    const row = Array.from(each.slice(0, MAX_TABLE_COLUMNS + 1), cellText);
    if (!row.every((text) => text === "" || room.take(text))) return { rows, isCut: true };
    rows.push(row);
  }
  if (areas.length === 0) return { rows, isCut: false };
  return { rows: repeatMerged(rows, areas, { budget, take: (text) => room.take(text) }), isCut: false };
}

function cellText(cell: CellObject | undefined): string {
  if (cell === undefined || cell.t === "z") return "";
  const text = (cell.w ?? utils.format_cell(cell)).trim();
  const target = cell.l?.Target;
  const isLink = target !== undefined && /^(https?|mailto):/i.test(target) && text !== "";
  return isLink ? `[${text.replace(/[[\]]/g, "\\$&")}](${escapeAddress(target)})` : text;
}

/** Splits rows into tables at empty rows; empty columns at the left are dropped. */
function splitAtEmptyRows(rows: string[][]): string[][][] {
  const blocks: string[][][] = [];
  let isOpen = false;
  for (const row of rows) {
    const isEmpty = row.every((cell) => cell === "");
    if (!isEmpty && isOpen) blocks.at(-1)?.push(row);
    else if (!isEmpty) blocks.push([row]);
    isOpen = !isEmpty;
  }
  return blocks.flatMap(splitAtColumns).map(trimColumns);
}

/** Rows of two cells that each of two tables below each other has. */
const MIN_TABLE_ROWS = 2;

/** Columns of a row or of several rows: the first and the last with text, and the rows with more than one cell. */
interface Extent {
  first: number;
  last: number;
  wide: number;
}

const NOTHING: Extent = { first: Number.POSITIVE_INFINITY, last: -1, wide: 0 };

/** Splits rows where two tables have no column in common, though no empty row is between them. */
function splitAtColumns(rows: string[][]): string[][][] {
  const extents = rows.map((row): Extent => ({
    first: row.findIndex((cell) => cell !== ""),
    last: row.findLastIndex((cell) => cell !== ""),
    wide: Number(row.filter((cell) => cell !== "").length > 1),
  }));
  let rest = NOTHING;
  const below = extents.toReversed().map((extent) => (rest = together(rest, extent)));
  const tables: string[][][] = [[]];
  let above = NOTHING;
  for (const [at, row] of rows.entries()) {
    const { first, last, wide } = below[rows.length - 1 - at] ?? NOTHING;
    const areApart = first > above.last || last < above.first;
    if (areApart && above.wide >= MIN_TABLE_ROWS && wide >= MIN_TABLE_ROWS) {
      tables.push([]);
      above = NOTHING;
    }
    tables.at(-1)?.push(row);
    above = together(above, extents[at] ?? NOTHING);
  }
  return tables;
}

function together(one: Extent, other: Extent): Extent {
  return {
    first: Math.min(one.first, other.first),
    last: Math.max(one.last, other.last),
    wide: one.wide + other.wide,
  };
}

function trimColumns(rows: string[][]): string[][] {
  const first = Math.min(...rows.map((row) => row.findIndex((cell) => cell !== "")));
  const last = Math.max(...rows.map((row) => row.findLastIndex((cell) => cell !== "")));
  return rows.map((row) => row.slice(first, last + 1));
}

/** Writes a table; a line of text between tables is a paragraph. */
function writeBlock(rows: string[][]): string {
  const [only, ...others] = rows;
  return others.length === 0 && only?.length === 1 ? (only[0] ?? "") : markdownTable(rows);
}

function metadataOf(workbook: WorkBook, files: ZipFiles | undefined): Record<string, string> {
  if (files !== undefined) return { ...openDocumentPropertiesOf(files), ...corePropertiesOf(files) };
  const { Title: title, Author: author, Subject: subject, Keywords: keywords } = workbook.Props ?? {};
  const named = Object.entries({ title, author, subject, keywords });
  return Object.fromEntries(
    named.filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== ""),
  );
}
