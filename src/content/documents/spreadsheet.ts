import { read, utils } from "@e965/xlsx";
import type { CellObject, WorkBook, WorkSheet } from "@e965/xlsx";
import { AppError } from "../../core/errors.ts";
import type { DocumentContent } from "./document-content.ts";
import { boundTable, markdownTable, MAX_TABLE_ROWS } from "./markdown-table.ts";
import { corePropertiesOf, openDocumentPropertiesOf } from "./office-metadata.ts";
import type { ZipFiles } from "./zip.ts";
import { readZip, storeZip } from "./zip.ts";

/** Parts of a workbook that hold no cells; left packed. */
const NO_CELLS =
  /\/(media|drawings|charts|embeddings|printerSettings|theme)\/|\.(png|jpe?g|gif|emf|wmf|bin\.rels|vml)$/i;

/**
 * Reads a workbook: Excel (.xlsx, .xlsm, .xlsb, .xls) or OpenDocument (.ods). Each visible sheet becomes a heading and
 * pipe tables, with values as they are shown; rows parted by an empty one become tables of their own.
 * @throws SCRAPE_DOCUMENT_PREFETCH_FAILED for a damaged file, SCRAPE_UNSUPPORTED_FILE_ERROR for a password or a bomb
 */
export function readSpreadsheet(bytes: Uint8Array): DocumentContent {
  const files = unpackWorkbook(bytes);
  const workbook = openWorkbook(files === undefined ? bytes : storeZip(files));
  const visibility = workbook.Workbook?.Sheets ?? [];
  const isVisible = (_: string, at: number): boolean => (visibility[at]?.Hidden ?? 0) === 0;
  const visible = workbook.SheetNames.filter(isVisible);
  const hidden = workbook.SheetNames.filter((name, at) => !isVisible(name, at));
  const cut: string[] = [];
  const sections = visible.map((name) => {
    const { rows, isCut } = boundTable(sheetRows(workbook.Sheets[name]));
    if (isCut) cut.push(`${name} (${rows.length} rows)`);
    return [`## ${name}`, ...splitAtEmptyRows(rows).map(writeBlock)].join("\n\n");
  });
  const warnings = [
    ...(cut.length > 0 ? [`Sheets were cut: ${cut.join(", ")}.`] : []),
    ...(hidden.length > 0 ? [`Hidden sheets were left out: ${hidden.join(", ")}.`] : []),
  ];
  return {
    markdown: sections.join("\n\n"),
    metadata: { ...metadataOf(workbook, files), sheetNames: visible },
    ...(warnings.length > 0 ? { warning: warnings.join(" ") } : {}),
  };
}

/** What is handed on was unpacked under a limit, so that the library meets no bomb; .xls is no archive. */
function unpackWorkbook(bytes: Uint8Array): ZipFiles | undefined {
  const isArchive = bytes[0] === 0x50 && bytes[1] === 0x4b;
  return isArchive ? readZip(bytes, (name) => !NO_CELLS.test(name)) : undefined;
}

function openWorkbook(bytes: Uint8Array): WorkBook {
  try {
    return read(bytes, {
      type: "array",
      dense: true,
      cellFormula: false,
      cellHTML: false,
      cellStyles: false,
      dateNF: "yyyy-mm-dd",
      sheetRows: MAX_TABLE_ROWS + 1,
    });
  } catch (error) {
    if (error instanceof Error && /password|encrypt/i.test(error.message)) {
      throw new AppError("SCRAPE_UNSUPPORTED_FILE_ERROR", "The workbook is protected by a password", { cause: error });
    }
    throw new AppError("SCRAPE_DOCUMENT_PREFETCH_FAILED", "The workbook is damaged", { cause: error });
  }
}

function sheetRows(sheet: WorkSheet | undefined): string[][] {
  // Rows and cells without a value are holes, which `map` would pass over.
  const cells: readonly ((CellObject | undefined)[] | undefined)[] = sheet?.["!data"] ?? [];
  return Array.from(cells, (row) => Array.from(row ?? [], cellText));
}

function cellText(cell: CellObject | undefined): string {
  if (cell === undefined || cell.t === "z") return "";
  const text = (cell.w ?? utils.format_cell(cell)).trim();
  const target = cell.l?.Target;
  const isLink = target !== undefined && /^(https?|mailto):/i.test(target) && text !== "";
  return isLink ? `[${text.replace(/[[\]]/g, "\\$&")}](${target.replaceAll(" ", "%20").replaceAll(")", "%29")})` : text;
}

/** Empty rows part tables; empty columns at the left are dropped. */
function splitAtEmptyRows(rows: string[][]): string[][][] {
  const blocks: string[][][] = [];
  let isOpen = false;
  for (const row of rows) {
    const isEmpty = row.every((cell) => cell === "");
    if (!isEmpty && isOpen) blocks.at(-1)?.push(row);
    else if (!isEmpty) blocks.push([row]);
    isOpen = !isEmpty;
  }
  return blocks.map(trimColumns);
}

function trimColumns(rows: string[][]): string[][] {
  const first = Math.min(...rows.map((row) => row.findIndex((cell) => cell !== "")));
  const last = Math.max(...rows.map((row) => row.findLastIndex((cell) => cell !== "")));
  return rows.map((row) => row.slice(first, last + 1));
}

/** A line of text between tables is a paragraph. */
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
