import { unpackText } from "../containers/zip-pieces.ts";
import { MAX_UNPACKED_BYTES, type ZipEntry, type ZipFiles, zipText } from "../containers/zip.ts";
import { MAX_TABLE_CELLS, MAX_TABLE_ROWS } from "../html/markdown-table.ts";
import { closing, kindOf, MAX_SHEET_BYTES } from "./limit-parts.ts";

/** Bytes of a part from which on it is unpacked by `unpackLargeParts`. */
export const LARGE_BYTES = 262_144;
/** Rows of a sheet that are kept: one more than is shown, so that the reader can see that there are more. */
const MAX_ROWS = MAX_TABLE_ROWS + 1;
/** Characters behind an angle bracket that tell a start of an element, of which a piece may have only some. */
const MAX_NAME_CHARACTERS = 64;
/** A cell and its value. The attribute that tells a shared string is looked for by itself: both in one pattern take quadratic time. */
const CELL = /<(?:\w{1,20}:)?c\s([^<>]*)>\s*<(?:\w{1,20}:)?v>(\d{1,9})</g;
const IS_STRING = /\bt=["']s["']/;

type Kind = "sheet" | "strings" | "content";

/**
 * The elements of a part that come one after another, what has a value in them, and the end of the element that holds them;
 * an OpenDocument workbook has several of these in one part.
 */
const ELEMENTS = {
  sheet: { start: /<(?:\w{1,20}:)?(?:(row)|v|is)[\s>/]/g, end: /<\/(?:\w{1,20}:)?sheetData\s*>/ },
  strings: { start: /<(?:\w{1,20}:)?(si)[\s>/]/g, end: /<\/(?:\w{1,20}:)?sst\s*>/ },
  content: { start: /<(?:\w{1,20}:)?(?:(table-row)|p|(table))[\s>/]/g, end: /<\/(?:\w{1,20}:)?table\s*>/ },
};

/** Returns what a part holds that may have many elements. */
export function largeKindOf(name: string): Kind | undefined {
  return kindOf(name) ?? (name === "content.xml" ? "content" : undefined);
}

/**
 * Unpacks large worksheets up to the rows that are shown, and what follows the rows, such as merged cells, and then the shared
 * strings up to the last one that these rows have. Adds them to the files in the order of the archive.
 * @returns names of the parts that ended before that, by their size
 */
export async function unpackLargeParts(
  bytes: Uint8Array,
  entries: readonly ZipEntry[],
  files: ZipFiles,
): Promise<string[]> {
  const { budget } = files;
  const cut: string[] = [];
  const room = { bytes: MAX_UNPACKED_BYTES };
  const texts = new Map<string, string>();
  let isCut = false;
  for (const entry of entries) {
    const kind = largeKindOf(entry.name);
    if (kind !== "sheet" && kind !== "content") continue;
    const pieces = unpackText(bytes, entry, { budget, maxBytes: Number.POSITIVE_INFINITY });
    const sheet = await firstElements(pieces, { kind, count: MAX_ROWS, room });
    isCut ||= sheet.end !== "whole";
    if (sheet.end === "cut") cut.push(entry.name);
    texts.set(entry.name, sheet.text);
  }
  const strings = entries.filter(({ name }) => kindOf(name) === "strings");
  const count = isCut && strings.length > 0 ? stringsOf(files, texts) : Number.POSITIVE_INFINITY;
  for (const entry of strings) {
    const pieces = unpackText(bytes, entry, { budget, maxBytes: Number.POSITIVE_INFINITY });
    const part = await firstElements(pieces, { kind: "strings", count, room });
    if (part.end === "cut") cut.push(entry.name);
    texts.set(entry.name, part.text);
  }
  for (const { name } of entries) files.set(name, new TextEncoder().encode(texts.get(name)));
  return cut;
}

/** Returns the number of shared strings up to the last one that a cell of the worksheets has. */
function stringsOf(files: ZipFiles, texts: ReadonlyMap<string, string>): number {
  const small = [...files.keys()].filter((name) => kindOf(name) === "sheet").map((name) => zipText(files, name) ?? "");
  let count = 0;
  for (const text of [...texts.values(), ...small])
    for (const [, attributes = "", number] of text.matchAll(CELL))
      if (IS_STRING.test(attributes)) count = Math.max(count, Number(number) + 1);
  return count;
}

/** How a part ended: to its end, to its last element that is wanted, or before that, by its size. */
type End = "whole" | "counted" | "cut";

/**
 * Returns the text of a part with its first elements, and what comes behind the last one of all, as far as `room` goes, which
 * counts down.
 */
async function firstElements(
  pieces: AsyncIterable<string>,
  { kind, count, room }: { kind: Kind; count: number; room: { bytes: number } },
): Promise<{ text: string; end: End }> {
  const part = new FirstElements(kind, count);
  let isWhole = true;
  for await (const piece of pieces) {
    if (room.bytes <= 0 || part.length > MAX_SHEET_BYTES) {
      isWhole = false;
      break;
    }
    room.bytes -= piece.length;
    part.add(piece);
  }
  return part.end(isWhole);
}

/** Takes a part piece by piece, and keeps its first elements. */
class FirstElements {
  /** Characters that are kept. */
  length = 0;
  readonly #kind: Kind;
  readonly #count: number;
  readonly #kept: string[] = [];
  /** Characters in front of the first element, and of the last one. */
  #head = 0;
  #last = 0;
  #elements = 0;
  #cells = 0;
  #place: "within" | "beyond" | "behind" = "within";
  #isCounted = false;
  /** The end of a piece, of which the next one tells what it is. */
  #rest = "";

  constructor(kind: Kind, count: number) {
    this.#kind = kind;
    this.#count = count;
  }

  add(piece: string): void {
    let text = this.#rest + piece;
    this.#rest = "";
    while (text !== "") {
      if (this.#place === "beyond") text = this.#skip(text);
      else if (this.#place === "within") text = this.#take(text);
      else text = this.#keep(text);
    }
  }

  end(isWhole: boolean): { text: string; end: End } {
    const text = this.#kept.join("");
    const closed = (to: number): string => text.slice(0, to) + closing(text.slice(0, this.#head));
    if (this.#place === "beyond") return { text: closed(text.length), end: "counted" };
    if (!isWhole && this.#place === "within") return { text: closed(this.#last), end: "cut" };
    return { text: text + this.#rest, end: this.#isCounted ? "counted" : "whole" };
  }

  #keep(text: string): string {
    this.#kept.push(text);
    this.length += text.length;
    return "";
  }

  /** Keeps a text up to the first element beyond the count. @returns the rest */
  #take(text: string): string {
    const open = text.lastIndexOf("<");
    const isCut = open > text.lastIndexOf(">") && text.length - open < MAX_NAME_CHARACTERS;
    const whole = isCut ? text.slice(0, open) : text;
    for (const { 1: isElement, 2: isTable, index } of whole.matchAll(ELEMENTS[this.#kind].start)) {
      if (isTable !== undefined) this.#elements = 0;
      if (isElement === undefined) {
        this.#cells++;
        continue;
      }
      this.#last = this.length + index;
      if (this.#elements === 0) this.#head = this.#last;
      if (++this.#elements <= this.#count && this.#cells <= MAX_TABLE_CELLS) continue;
      [this.#place, this.#isCounted] = ["beyond", true];
      this.#keep(whole.slice(0, index));
      return text.slice(index);
    }
    this.#keep(whole);
    this.#rest = text.slice(whole.length);
    return "";
  }

  /** Passes over the elements beyond the count. @returns the text from their end on */
  #skip(text: string): string {
    const at = ELEMENTS[this.#kind].end.exec(text)?.index;
    if (at === undefined) {
      this.#rest = text.slice(-MAX_NAME_CHARACTERS);
      return "";
    }
    this.#place = this.#kind === "content" ? "within" : "behind";
    return text.slice(at);
  }
}
