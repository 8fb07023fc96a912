import { unpackText } from "../containers/zip-pieces.ts";
import { MAX_UNPACKED_BYTES, type ZipEntry, type ZipFiles, zipText } from "../containers/zip.ts";
import { MAX_TABLE_CELLS, MAX_TABLE_ROWS } from "../html/markdown-table.ts";
import { closing, kindOf, MAX_SHEET_BYTES } from "./limit-parts.ts";

/** Rows of a sheet that are kept: one more than is shown, so that the reader can see that there are more. */
const MAX_ROWS = MAX_TABLE_ROWS + 1;
/** Characters behind an angle bracket that tell a start of an element, of which a piece may have only some. */
const MAX_NAME_CHARACTERS = 64;
const STRING_CELL = /<(?:\w{1,20}:)?c\s[^<>]*\bt=["']s["'][^<>]*>\s*<(?:\w{1,20}:)?v>(\d{1,9})</g;

/** The elements of a part that come one after another, what has a value in them, and the end of the element that holds them. */
const ELEMENTS = {
  sheet: { start: /<(?:\w{1,20}:)?(?:(row)|v|is)[\s>/]/g, end: /<\/(?:\w{1,20}:)?sheetData\s*>/ },
  strings: { start: /<(?:\w{1,20}:)?(si)[\s>/]/g, end: /<\/(?:\w{1,20}:)?sst\s*>/ },
};

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
    if (kindOf(entry.name) !== "sheet") continue;
    const pieces = unpackText(bytes, entry, { budget, maxBytes: Number.POSITIVE_INFINITY });
    const sheet = await firstElements(pieces, { kind: "sheet", count: MAX_ROWS, room });
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
    for (const [, number] of text.matchAll(STRING_CELL)) count = Math.max(count, Number(number) + 1);
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
  { kind, count, room }: { kind: "sheet" | "strings"; count: number; room: { bytes: number } },
): Promise<{ text: string; end: End }> {
  const { start, end } = ELEMENTS[kind];
  const kept: string[] = [];
  /** Characters of `kept`, and of those in front of the last element. */
  let length = 0;
  let lastStart = 0;
  let elements = 0;
  let cells = 0;
  let head: string | undefined;
  let place: "within" | "beyond" | "behind" = "within";
  let rest = "";
  let isWhole = true;
  for await (const piece of pieces) {
    if (room.bytes <= 0 || length > MAX_SHEET_BYTES) {
      isWhole = false;
      break;
    }
    room.bytes -= piece.length;
    let text = rest + piece;
    rest = "";
    if (place === "within") {
      const last = text.lastIndexOf("<");
      const isOpen = last > text.lastIndexOf(">") && text.length - last < MAX_NAME_CHARACTERS;
      if (isOpen) [text, rest] = [text.slice(0, last), text.slice(last)];
      let to = text.length;
      for (const { 1: isElement, index } of text.matchAll(start)) {
        if (isElement === undefined) {
          cells++;
          continue;
        }
        head ??= kept.join("") + text.slice(0, index);
        lastStart = length + index;
        if (++elements <= count && cells <= MAX_TABLE_CELLS) continue;
        [place, to] = ["beyond", index];
        break;
      }
      kept.push(text.slice(0, to));
      length += to;
      if (place === "beyond") [text, rest] = [text.slice(to) + rest, ""];
    }
    if (place === "beyond") {
      const at = end.exec(text)?.index;
      if (at === undefined) rest = text.slice(-MAX_NAME_CHARACTERS);
      else [place, text] = ["behind", text.slice(at)];
    }
    if (place !== "behind") continue;
    kept.push(text);
    length += text.length;
  }
  if (place === "behind") return { text: kept.join(""), end: "counted" };
  if (place === "beyond") return { text: kept.join("") + closing(head ?? ""), end: "counted" };
  if (isWhole) return { text: kept.join("") + rest, end: "whole" };
  return { text: kept.join("").slice(0, lastStart) + closing(head ?? ""), end: "cut" };
}
