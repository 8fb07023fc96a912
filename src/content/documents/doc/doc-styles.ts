import type { WordFile } from "./piece-table.ts";

/** Place of the style sheet in the file information block, [MS-DOC] § 2.5.6. */
const STYLES = 0xa2;
const MAX_STYLES = 4_096;
/** A style is based on at most this many others. */
const MAX_DEPTH = 20;
const PARAGRAPH = 1;
/** Numbers of built-in styles, which are the same in all languages, [MS-DOC] § 2.9.271. */
const TITLE = 62;
const HEADINGS = 9;

interface DocStyle {
  builtIn: number;
  basedOn: number;
  properties: ReadonlyMap<number, number>;
}

/** Styles of paragraphs of a Word 97–2003 document. */
export interface DocStyles {
  /** Returns 1–6 for a style of a heading, or based on one; undefined for others. */
  headingLevel(style: number): number | undefined;
  /** Returns the value of a property of a style, or of those that it is based on. */
  property(style: number, code: number): number | undefined;
}

/**
 * Reads the style sheet, [MS-DOC] § 2.9.271 and § 2.9.260. A damaged or missing one has no styles but the headings, which have the
 * same places in every document.
 */
export function readDocStyles(
  file: WordFile,
  readProperties: (view: DataView, start: number, end: number) => Map<number, number>,
): DocStyles {
  const styles = readStyles(file, readProperties);
  const chain = function* (style: number): Generator<DocStyle> {
    let at = styles[style];
    for (let depth = 0; depth < MAX_DEPTH && at !== undefined; depth++) {
      yield at;
      at = styles[at.basedOn];
    }
  };
  return {
    headingLevel(style) {
      if (style >= 1 && style <= HEADINGS) return Math.min(6, style);
      for (const { builtIn } of chain(style)) {
        if (builtIn === TITLE) return 1;
        if (builtIn >= 1 && builtIn <= HEADINGS) return Math.min(6, builtIn);
      }
      return undefined;
    },
    property(style, code) {
      for (const { properties } of chain(style)) {
        const value = properties.get(code);
        if (value !== undefined) return value;
      }
      return undefined;
    },
  };
}

function readStyles(
  { document, table, budget }: WordFile,
  readProperties: (view: DataView, start: number, end: number) => Map<number, number>,
): (DocStyle | undefined)[] {
  const start = document.getUint32(STYLES, true);
  const end = Math.min(start + document.getUint32(STYLES + 4, true), table.byteLength);
  if (start + 6 > end) return [];
  const count = Math.min(MAX_STYLES, table.getUint16(start + 2, true));
  const baseBytes = table.getUint16(start + 4, true);
  const styles: (DocStyle | undefined)[] = [];
  let at = start + 2 + table.getUint16(start, true);
  for (let index = 0; index < count && at + 2 <= end && budget.take(); index++) {
    const bytes = table.getUint16(at, true);
    const [from, to] = [at + 2, Math.min(at + 2 + bytes, end)];
    styles.push(bytes < 10 ? undefined : readStyle(table, { from, to, baseBytes }, readProperties));
    at = from + bytes + (bytes % 2);
  }
  return styles;
}

function readStyle(
  table: DataView,
  { from, to, baseBytes }: { from: number; to: number; baseBytes: number },
  readProperties: (view: DataView, start: number, end: number) => Map<number, number>,
): DocStyle | undefined {
  if (from + 10 > to) return undefined;
  const kind = table.getUint16(from + 2, true);
  if ((kind & 0xf) !== PARAGRAPH) return undefined;
  const style = {
    builtIn: table.getUint16(from, true) & 0xfff,
    basedOn: kind >> 4,
    properties: new Map<number, number>(),
  };
  const name = from + baseBytes;
  if (name + 2 > to) return style;
  // Behind the name and its end are the properties, which begin with the style's own number.
  const properties = name + 2 + table.getUint16(name, true) * 2 + 2;
  const first = properties + ((properties - from) % 2);
  if (first + 4 > to) return style;
  const last = Math.min(to, first + 2 + table.getUint16(first, true));
  return { ...style, properties: readProperties(table, first + 4, last) };
}
