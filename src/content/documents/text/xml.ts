import { decodeBody } from "../../text/charset.ts";
import type { DocumentContent } from "../document-content.ts";
import { fencedBlock } from "../html/fenced-block.ts";

/** Returns XML of no known vocabulary as a fenced block, unchanged. */
export function readXml(bytes: Uint8Array, contentType: string | undefined): DocumentContent {
  return { markdown: fencedBlock(decodeBody(bytes, contentType).text.trim(), "xml"), metadata: {} };
}
