import type { ZipFiles } from "../containers/zip.ts";

/** Bytes of all shared strings: a table shows no more characters than that. SheetJS takes some five times as much. */
const MAX_STRING_BYTES = 8_000_000;
/** Bytes of all worksheets. */
export const MAX_SHEET_BYTES = 24_000_000;
/** Characters that are kept of a part whose first element does not end within the limit; Excel allows 32,767 in a cell. */
const MAX_FIRST_CHARACTERS = 32_767;
/** Ends of the elements between which a part is cut. */
const ENDS = { strings: "si>", sheet: "row>" };
const END_TAG_START = /<\/(?:\w{1,20}:)?$/;

/**
 * Cuts the shared strings and the worksheets of an Excel workbook to sizes that SheetJS reads within an isolate.
 * @returns names of the parts that were cut
 */
export function limitParts(files: ZipFiles): string[] {
  const cut: string[] = [];
  const left = { strings: MAX_STRING_BYTES, sheet: MAX_SHEET_BYTES };
  for (const [name, content] of files) {
    const kind = kindOf(name);
    if (kind === undefined) continue;
    if (content.length > left[kind]) {
      files.set(name, cutPart(content, kind, left[kind]));
      cut.push(name);
    }
    left[kind] = Math.max(0, left[kind] - content.length);
  }
  return cut;
}

/** Returns what a part of an Excel workbook holds, where it may be large. */
export function kindOf(name: string): "strings" | "sheet" | undefined {
  if (/(^|\/)sharedStrings\.xml$/i.test(name)) return "strings";
  return /\/worksheets\/[^/]*\.xml$/i.test(name) ? "sheet" : undefined;
}

function cutPart(content: Uint8Array, kind: "strings" | "sheet", maxBytes: number): Uint8Array {
  const isUtf16 = content[0] === 0xff || content[0] === 0xfe;
  const encoding = !isUtf16 ? "utf-8" : content[0] === 0xff ? "utf-16le" : "utf-16be";
  const text = new TextDecoder(encoding).decode(content.subarray(0, maxBytes));
  const end = lastEnd(text, ENDS[kind]);
  const kept = end === -1 ? startOf(text) : text.slice(0, end);
  return new TextEncoder().encode(kept + closing(kept));
}

/** Returns the position behind the last end tag with this name, with any prefix; -1 when there is none. */
function lastEnd(text: string, name: string): number {
  for (let at = text.lastIndexOf(name); at > 0; at = text.lastIndexOf(name, at - 1)) {
    if (END_TAG_START.test(text.slice(Math.max(0, at - 24), at))) return at + name.length;
  }
  return -1;
}

/** Returns the start of a text without the tag or the reference at its end. */
function startOf(text: string): string {
  const start = text.slice(0, MAX_FIRST_CHARACTERS);
  const mark = Math.max(start.lastIndexOf("<"), start.lastIndexOf("&"));
  return /[>;]/.test(start.slice(mark)) ? start : start.slice(0, mark);
}

/** Returns the end tags of the elements that are open at the end of the text. */
export function closing(text: string): string {
  const open: string[] = [];
  for (const [tag, slash, name = "", empty] of text.matchAll(/<(\/?)([\w.:-]{1,80})(?![\w.:-])[^<>]*?(\/?)>/g)) {
    if (tag.startsWith("<?") || empty === "/") continue;
    if (slash === "/") open.pop();
    else open.push(name);
  }
  return open
    .toReversed()
    .map((name) => `</${name}>`)
    .join("");
}
