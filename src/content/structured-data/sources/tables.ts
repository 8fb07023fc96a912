import type { ElementNode } from "../../html/tree/tree.ts";
import { isCodeCell, isCodeTable } from "../../markdown/code.ts";
import type { Fact, FactGroup, FactRecord } from "../facts.ts";
import { isLabel, pushFact, trimLabel } from "./labelled-text.ts";
import { childElements, descendants, factOf, isSilent, linksIn, readableText } from "../readable-text.ts";

/**
 * The contents of a table: facts of the page's subject when its rows are labels and values, records when it has a head.
 */
export interface ReadTable {
  facts: Fact[];
  group: FactGroup | undefined;
}

const MAX_ROWS = 2_000;

/** Reads a table by its shape. Layout tables, of one column or with tables inside, have no facts. */
export function readTable(table: ElementNode, { baseUrl, heading }: { baseUrl: string; heading: string }): ReadTable {
  const nothing: ReadTable = { facts: [], group: undefined };
  if (descendants(table, ({ tag }) => tag === "table").length > 0) return nothing;
  const rows = rowsOf(table);
  const width = Math.max(0, ...rows.map(({ length }) => length));
  if (width < 2) return nothing;
  const head = headOf(rows);
  if (width === 2 && head === undefined) return { facts: pairsOf(rows, baseUrl), group: undefined };
  if (head !== undefined && rows.length >= 2) {
    const captions = childElements(table)
      .filter(({ tag }) => tag === "caption")
      .map((caption) => readableText(caption));
    const records = rows.slice(1).flatMap((row) => recordOf(row, { head, baseUrl }) ?? []);
    const labels = [...captions, heading, table.attributes["class"] ?? "", table.attributes["id"] ?? ""].filter(
      (label) => label !== "",
    );
    // Two columns may be a list of things as well as facts about one; the schema decides which.
    return { facts: width === 2 ? pairsOf(rows, baseUrl) : [], group: { labels, records } };
  }
  return { facts: rows.every(({ length }) => length % 2 === 0) ? fourColumns(rows, baseUrl) : [], group: undefined };
}

/** Reports whether a table shows nothing but code, such as a listing with the numbers of its lines. */
export function showsCode(table: ElementNode): boolean {
  // Apart from the search for code, which does not look into the cells that it finds.
  if (descendants(table, ({ tag }) => tag === "table").length > 0) return false;
  const parts = descendants(table, (part) => part.tag === "pre" || isCodeCell(part));
  if (parts.length === 0) return false;
  return isCodeTable(table) || rowsOf(table).every((row) => row.every(isPartOfListing));
}

/** True for a cell with a number, with one `pre` alone, or without text. */
function isPartOfListing(cell: ElementNode): boolean {
  const text = readableText(cell);
  if (/^\d*$/.test(text)) return true;
  const [pre, ...others] = descendants(cell, ({ tag }) => tag === "pre");
  return pre !== undefined && others.length === 0 && readableText(pre) === text;
}

/** Links side by side, as in the head of a page. */
const PARTED_LINKS = /\s[|·•]\s/;

function isNavigation(cell: ElementNode): boolean {
  return linksIn(cell) > 1 && PARTED_LINKS.test(readableText(cell));
}

function rowsOf(table: ElementNode): ElementNode[][] {
  const rows = descendants(table, ({ tag }) => tag === "tr").filter((row) => !isSilent(row));
  return rows
    .slice(0, MAX_ROWS)
    .map((row) =>
      childElements(row)
        .filter(({ tag }) => tag === "td" || tag === "th")
        .flatMap(spread),
    )
    .filter((row) => row.length > 0);
}

/** Repeats a cell for each of the columns that it spans. */
function spread(cell: ElementNode): ElementNode[] {
  const columns = Math.min(20, Math.max(1, Number(cell.attributes["colspan"] ?? 1) || 1));
  return Array.from({ length: columns }, () => cell);
}

/** Returns the labels of the columns: a first row of headings, or the one row in bold. */
function headOf(rows: ElementNode[][]): string[] | undefined {
  const [first, second] = rows;
  if (first === undefined || second === undefined) return undefined;
  const isHead = (cell: ElementNode): boolean => cell.tag === "th" || cell.parent?.parent?.tag === "thead";
  const isBold = (cell: ElementNode): boolean =>
    childElements(cell).length === 1 && ["b", "strong"].includes(childElements(cell)[0]?.tag ?? "");
  const holdsAll = first.every((cell) => isHead(cell) || readableText(cell) === "") || first.every(isBold);
  if (!holdsAll || second.every(({ tag }) => tag === "th")) return undefined;
  const labels = first.map((cell) => trimLabel(readableText(cell)));
  return labels.filter((label) => label !== "").length >= 2 ||
    (first.length >= 2 && labels.some((label) => label !== ""))
    ? labels
    : undefined;
}

function pairsOf(rows: ElementNode[][], baseUrl: string): Fact[] {
  const facts: Fact[] = [];
  for (const [label, value] of rows) {
    if (label === undefined || value === undefined || label === value || value.tag === "th" || isNavigation(label))
      continue;
    pushFact(facts, { label: trimLabel(readableText(label)), element: value, source: "table", baseUrl });
  }
  return facts;
}

/** Reads two pairs side by side in each row. */
function fourColumns(rows: ElementNode[][], baseUrl: string): Fact[] {
  const areLabels = rows.every((row) => row.every((cell, index) => index % 2 === 1 || cell.tag === "th"));
  if (!areLabels) return [];
  return rows.flatMap((row) => pairsOf(chunks(row), baseUrl));
}

function chunks(row: ElementNode[]): ElementNode[][] {
  return Array.from({ length: row.length / 2 }, (_, index) => row.slice(index * 2, index * 2 + 2));
}

function recordOf(row: ElementNode[], { head, baseUrl }: { head: string[]; baseUrl: string }): FactRecord | undefined {
  if (row.length < 2 || new Set(row).size < 2) return undefined;
  const facts: Fact[] = [];
  for (const [index, cell] of row.entries()) {
    const label = head[index] ?? "";
    const value = factOf(cell, baseUrl);
    if (value.text === "" && value.href === undefined) continue;
    if (isLabel(label)) facts.push({ label, value, source: "table" });
    if (index === 0 && value.href !== undefined)
      facts.push({ label: "url", value: { ...value, text: value.href }, source: "table" });
  }
  if (facts.length < 2) return undefined;
  // The first column names the row, whatever its label.
  const first = facts[0];
  if (first !== undefined) facts.push({ label: "name", value: first.value, source: "text" });
  return { kind: "record", source: "table", types: [], facts };
}
