import { WorkBudget } from "../../../core/work-budget.ts";
import { decodeBody } from "../../text/charset.ts";
import type { DocumentContent } from "../document-content.ts";
import { fencedBlock } from "../html/fenced-block.ts";
import { printJson } from "./print-json.ts";

/** Larger texts are returned unchanged: parsed and printed anew they would need many times their size. */
const MAX_PRETTY_BYTES = 5_000_000;
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

function indented(text: string): string {
  try {
    JSON.parse(text);
    return printJson(text) ?? text;
  } catch {
    return text;
  }
}
