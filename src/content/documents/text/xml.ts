import { WorkBudget } from "../../../core/work-budget.ts";
import { decodeBody } from "../../text/charset.ts";
import type { DocumentContent } from "../document-content.ts";
import { fencedBlock } from "../html/fenced-block.ts";

/** Characters that decoding and printing take for a step. */
const CHARACTERS_PER_STEP = 16;

/** Returns XML of no known vocabulary as a fenced block, unchanged. */
export function readXml(
  bytes: Uint8Array,
  contentType: string | undefined,
  budget: WorkBudget = new WorkBudget(),
): DocumentContent {
  const { text } = decodeBody(bytes, contentType);
  budget.take(Math.ceil(text.length / CHARACTERS_PER_STEP));
  return { markdown: fencedBlock(text.trim(), "xml"), metadata: {} };
}
