import { countElements } from "../xml-limit.ts";

/** Documents and tables with more elements than this are read so many elements at a time. */
export const MANY_ELEMENTS = 4_000;
/** Marks around the number of a table that is put in after the rest has been read. */
const OPEN = "\uE002";
const CLOSE = "\uE003";
const PLACES = /<p>\uE002(\d{1,6})\uE003<\/p>/g;
const TAGS = /<(\/?)w:(tbl|tr)(?=[ >/])[^<>]*>/g;
/** A cell that goes on from the row above. */
const CONTINUED = /<w:vMerge(?:\/>| w:val="continue"\/>|\s*>)/;

/** A Word document without its large tables, which are documents of their own, part by part. */
export interface SplitDocument {
  main: string;
  /** For each table, documents with some of its rows. */
  tables: string[][];
}

/**
 * Takes large tables out of the XML of a Word document: mammoth creates some 3,000 bytes of objects for each element, and an
 * isolate has 128 MB. Rows whose cells go on from row to row stay together. In linear time.
 */
export function splitLargeTables(document: string): SplitDocument {
  const body = document.indexOf("<w:body>");
  const whole = { main: document, tables: [] };
  if (body === -1 || countElements(document) <= MANY_ELEMENTS) return whole;
  const head = document.slice(0, body);
  const tables: string[][] = [];
  const kept: string[] = [];
  let from = 0;
  for (const { start, end, rows } of topTables(document, body)) {
    const xml = document.slice(start, end);
    const first = rows[0];
    if (first === undefined || countElements(xml) <= MANY_ELEMENTS) continue;
    const opening = document.slice(start, first.start);
    const parts = groupsOf(rows.map((row) => document.slice(row.start, row.end)));
    kept.push(document.slice(from, start), `<w:p><w:r><w:t>${OPEN}${tables.length}${CLOSE}</w:t></w:r></w:p>`);
    tables.push(parts.map((part) => `${head}<w:body>${opening}${part}</w:tbl></w:body></w:document>`));
    from = end;
  }
  return tables.length === 0 ? whole : { main: kept.join("") + document.slice(from), tables };
}

/**
 * Puts tables into the HTML of the rest of a document, each from the HTML of its parts, and each once: the document's own
 * text may contain the marks.
 */
export function joinTables(html: string, tables: readonly (readonly string[])[]): string {
  const placed = new Set<number>();
  return html.replace(PLACES, (place, written: string) => {
    const number = Number(written);
    if (placed.has(number)) return place;
    placed.add(number);
    const rows = tables[number]?.map((part) => part.replace(/^<table>|<\/table>$/g, ""));
    return rows === undefined ? place : `<table>${rows.join("")}</table>`;
  });
}

interface Range {
  start: number;
  end: number;
}

/** Returns the tables that are in no other, with their own rows. */
function topTables(document: string, from: number): (Range & { rows: Range[] })[] {
  const tables: (Range & { rows: Range[] })[] = [];
  TAGS.lastIndex = from;
  let depth = 0;
  for (let tag = TAGS.exec(document); tag !== null; tag = TAGS.exec(document)) {
    const [whole, slash, name] = tag;
    const table = tables.at(-1);
    const isEmpty = whole.endsWith("/>");
    if (name === "tbl" && slash === "" && !isEmpty) {
      if (++depth === 1) tables.push({ start: tag.index, end: 0, rows: [] });
    } else if (name === "tbl" && slash === "/") {
      if (--depth === 0 && table !== undefined) table.end = TAGS.lastIndex;
    } else if (depth === 1 && slash === "" && !isEmpty) table?.rows.push({ start: tag.index, end: 0 });
    else if (depth === 1 && slash === "/") {
      const row = table?.rows.at(-1);
      if (row !== undefined) row.end = TAGS.lastIndex;
    }
  }
  return tables.filter(({ end, rows }) => end > 0 && rows.every((row) => row.end > 0));
}

function groupsOf(rows: readonly string[]): string[] {
  const groups: string[][] = [];
  let elements = 0;
  for (const row of rows) {
    const own = countElements(row);
    const group = groups.at(-1);
    if (group === undefined || (elements + own > MANY_ELEMENTS && !CONTINUED.test(row))) {
      groups.push([row]);
      elements = own;
    } else {
      group.push(row);
      elements += own;
    }
  }
  return groups.map((group) => group.join(""));
}

const STYLE_END = "</w:style>";
const USED = /<w:(?:p|r|tbl)Style\s[^<>]*?w:val="([^"<>]*)"/g;

/** Removes the styles that no text has. */
export function withoutUnusedStyles(styles: string, texts: readonly string[]): string {
  const used = new Set(texts.flatMap((text) => Array.from(text.matchAll(USED), ([, id]) => id)));
  const pieces = styles.split(STYLE_END);
  return pieces
    .map((piece, at) => {
      if (at === pieces.length - 1) return piece;
      const start = piece.lastIndexOf("<w:style ");
      const [tag = ""] = /^[^>]*/.exec(piece.slice(Math.max(0, start))) ?? [];
      const id = /w:styleId="([^"<>]*)"/.exec(tag)?.[1];
      const isKept = start === -1 || id === undefined || used.has(id) || tag.includes('w:default="1"');
      return isKept ? piece + STYLE_END : piece.slice(0, start);
    })
    .join("");
}
