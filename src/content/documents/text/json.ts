import { WorkBudget } from "../../../core/work-budget.ts";
import { decodeBody } from "../../text/charset.ts";
import type { DocumentContent } from "../document-content.ts";
import { fencedBlock } from "../html/fenced-block.ts";

/** Larger texts are returned unchanged: parsed and printed anew they would need many times their size. */
const MAX_PRETTY_BYTES = 5_000_000;

const MAX_ADDED_CHARACTERS = 20_000_000;
/** Characters that parsing and printing take for a step. */
const CHARACTERS_PER_STEP = 2;

/**
 * Returns JSON (RFC 8259) as a fenced block, indented when it parses and the budget allows it; lines of JSON and broken
 * JSON unchanged.
 */
export function readJson(
  bytes: Uint8Array,
  contentType: string | undefined,
  budget: WorkBudget = new WorkBudget(),
): DocumentContent {
  const { text } = decodeBody(bytes, contentType);
  const isIndented = bytes.length <= MAX_PRETTY_BYTES && budget.take(Math.ceil(text.length / CHARACTERS_PER_STEP));
  return { markdown: fencedBlock(isIndented ? indented(text) : text, "json"), metadata: {} };
}

/** Reports whether indentation would exceed the content, as in deeply nested JSON. The text is JSON. */
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

/** Returns the position of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

function indented(text: string): string {
  try {
    // Numbers beyond the precision of a double would change when parsed.
    if (/\d{16}/.test(text)) return text;
    const value: unknown = JSON.parse(text);
    return growsTooMuch(text) ? text : JSON.stringify(value, undefined, 2);
  } catch {
    return text;
  }
}
