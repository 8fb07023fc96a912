import { decodeBody } from "../charset.ts";
import type { DocumentContent } from "./document-content.ts";
import { fencedBlock } from "./fenced-block.ts";

/** Larger texts are kept as they are: parsed and printed anew they would need many times their size. */
const MAX_PRETTY_BYTES = 5_000_000;

/** JSON (RFC 8259) as a fenced block, indented when it parses; lines of JSON and broken JSON as they are. */
export function readJson(bytes: Uint8Array, contentType: string | undefined): DocumentContent {
  const { text } = decodeBody(bytes, contentType);
  return { markdown: fencedBlock(bytes.length > MAX_PRETTY_BYTES ? text : indented(text), "json"), metadata: {} };
}

function indented(text: string): string {
  try {
    // Numbers beyond the precision of a double would change on the way.
    const holdsLongNumber = /\d{16,}/.test(text);
    return holdsLongNumber ? text : JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
