import type { WorkBudget } from "../../../core/work-budget.ts";
import { toBinaryString } from "../../text/charset-detection.ts";
import type { RichContent } from "../document-content.ts";
import { joinMarks } from "../html/html-text.ts";
import { RtfReader } from "./rtf-reader.ts";
import { rtfTokens } from "./rtf-tokens.ts";

/** Reads rich text (RTF 1.9.1): headings, lists, tables, links, notes and emphasis, in any code page. */
export function readRtf(bytes: Uint8Array, budget: WorkBudget): RichContent {
  const reader = new RtfReader(budget);
  const html = joinMarks(reader.read(rtfTokens(toBinaryString(bytes))));
  const metadata = [...reader.metadata].map(([name, value]): [string, string] => [
    name === "subject" ? "description" : name,
    value.trim(),
  ]);
  return { html, metadata: Object.fromEntries(metadata.filter(([, value]) => value !== "")) };
}
