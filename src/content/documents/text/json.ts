import { decodeBody } from "../../text/charset.ts";
import type { DocumentContent } from "../document-content.ts";
import { fencedBlock } from "../html/fenced-block.ts";

/** Larger texts are kept as they are: parsed and printed anew they would need many times their size. */
const MAX_PRETTY_BYTES = 5_000_000;

const MAX_ADDED_CHARACTERS = 20_000_000;

/** JSON (RFC 8259) as a fenced block, indented when it parses; lines of JSON and broken JSON as they are. */
export function readJson(bytes: Uint8Array, contentType: string | undefined): DocumentContent {
  const { text } = decodeBody(bytes, contentType);
  return { markdown: fencedBlock(bytes.length > MAX_PRETTY_BYTES ? text : indented(text), "json"), metadata: {} };
}

/** What is nested deeply would be mostly indentation. The text is JSON. */
function growsTooMuch(text: string): boolean {
  let depth = 0;
  let added = 0;
  for (let at = 0; at < text.length; at++) {
    const mark = text.charAt(at);
    if (mark === '"') at = endOfString(text, at);
    if (mark === "{" || mark === "[") depth++;
    if (mark === "}" || mark === "]") depth--;
    if ("{}[],".includes(mark)) added += 2 * depth + 1;
    if (added > MAX_ADDED_CHARACTERS) return true;
  }
  return false;
}

/** Where the quote that ends a string is. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

function indented(text: string): string {
  try {
    // Numbers beyond the precision of a double would change on the way.
    if (/\d{16}/.test(text)) return text;
    const value: unknown = JSON.parse(text);
    return growsTooMuch(text) ? text : JSON.stringify(value, undefined, 2);
  } catch {
    return text;
  }
}
