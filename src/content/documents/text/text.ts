import { decodeBody } from "../../text/charset.ts";
import type { DocumentContent } from "../document-content.ts";

/** Returns plain text unchanged. */
export function readText(bytes: Uint8Array, contentType: string | undefined): DocumentContent {
  return { markdown: decodeBody(bytes, contentType).text, metadata: {} };
}
