import type { Protocol } from "devtools-protocol";
import { DOWNLOAD, NOT_HTML, type EngineOutcome } from "../../../core/scrape/page.ts";
import { guardDocument } from "./document-policy.ts";
import { failed } from "../page/load-end.ts";

/** Largest HTML that is passed to a page, in bytes; in base64 it stays below the limit of a WebSocket message. */
export const MAX_HTML_BYTES = 20_000_000;

/** Reports whether the browser shows a document of this type as its text, in a page of its own. */
export function isShownAsText(contentType: string | undefined): boolean {
  return contentType !== undefined && !HTML_TYPES.has(mediaType(contentType));
}

/** Status, headers and URL of a document response. */
export interface DocumentResponse {
  url: string;
  statusCode: number;
  /** Header names in lower case; repeated headers are joined with a comma. */
  headers: Record<string, string>;
  contentType: string | undefined;
}

export type DocumentResult = {
  /** True when no body followed the headers. */
  isEmpty: boolean;
  document: DocumentResponse;
} & (
  | { kind: "fulfill"; params: Protocol.Fetch.FulfillRequestRequest }
  | { kind: "empty" }
  | { kind: "unreadable"; outcome: EngineOutcome }
);

type Paused = Protocol.Fetch.RequestPausedEvent;

const HTML_TYPES = new Set(["text/html", "application/xhtml+xml"]);
/** With the types that Chromium displays as text. */
const SHOWN_TYPES = new Set([...HTML_TYPES, "text/plain", "application/json", "application/xml", "text/xml"]);

/** Magic bytes of PDF, PNG, GIF, JPEG and ZIP files, which some servers label as HTML. */
const BINARY_BEGINNINGS = ["%PDF-", "\u0089PNG", "GIF8", "\u00ff\u00d8\u00ff", "PK\u0003\u0004"];
/** Magic bytes of gzip and Zstandard: of a body that is compressed more often than its headers say. */
const COMPRESSED_BEGINNINGS = ["\u001f\u008b\u0008", "\u0028\u00b5\u002f\u00fd"];

/** No bytes, as gzip, deflate, br or zstd, take up to 20 bytes. */
const MAX_PACKED_EMPTY_BYTES = 32;

interface ReadOptions {
  /** Returns undefined for a body that is longer than `MAX_HTML_BYTES`. */
  readBody: () => Promise<Buffer | undefined>;
  /** True for a document of the page that a script or an action leads to. */
  mayBeText: boolean;
}

/**
 * Handles a document response: HTML is passed to the page with our policy added; any other content is left to the fetch
 * engine, which reads it better. A text to which the page leads is passed to it as well.
 */
export async function respondWithDocument(
  paused: Paused,
  { readBody, mayBeText }: ReadOptions,
): Promise<DocumentResult> {
  const document = toDocumentResponse(paused);
  if (document.statusCode === 204 || document.statusCode === 205) return { kind: "empty", document, isEmpty: true };
  const refusal = refuse(document, mayBeText ? SHOWN_TYPES : HTML_TYPES);
  if (refusal !== undefined) return { kind: "unreadable", document, isEmpty: false, outcome: refusal };
  const body = await readBody();
  if (body === undefined) return { kind: "unreadable", document, isEmpty: false, outcome: tooLarge() };
  if (body.byteLength === 0 && isPacked(document)) {
    return { kind: "unreadable", document, isEmpty: false, outcome: notUnpacked(document) };
  }
  const beginning = body.subarray(0, 400).toString("latin1");
  if (COMPRESSED_BEGINNINGS.some((known) => beginning.startsWith(known))) {
    return { kind: "unreadable", document, isEmpty: false, outcome: stillCompressed() };
  }
  if (isBinary(beginning) || (document.contentType === undefined && !looksLikeHtml(beginning))) {
    return { kind: "unreadable", document, isEmpty: false, outcome: notHtml("unknown") };
  }
  const params = {
    requestId: paused.requestId,
    responseCode: document.statusCode,
    // Without an explicit phrase Chromium accepts only the codes that it knows.
    responsePhrase: phraseOf(paused),
    responseHeaders: guardDocument(paused.responseHeaders ?? [], document.url),
    body: body.byteLength === 0 ? EMPTY_PAGE : body.toString("base64"),
  };
  return { kind: "fulfill", document, isEmpty: body.byteLength === 0, params };
}

function phraseOf({ responseStatusText = "" }: Paused): string {
  return /^[\x20-\x7e]{1,100}$/.test(responseStatusText) ? responseStatusText : "Unnamed";
}

/** A line break in base64, which keeps the document empty: without a body Chromium displays its own error page. */
export const EMPTY_PAGE = "Cg==";

function refuse({ contentType, headers }: DocumentResponse, readable: ReadonlySet<string>): EngineOutcome | undefined {
  if (/^\s*attachment\b/i.test(headers["content-disposition"] ?? "")) return { kind: "insufficient", reason: DOWNLOAD };
  if (contentType !== undefined && !readable.has(mediaType(contentType))) return notHtml(mediaType(contentType));
  if (Number(headers["content-length"] ?? 0) > MAX_HTML_BYTES) return tooLarge();
  return undefined;
}

function notHtml(type: string): EngineOutcome {
  return { kind: "insufficient", reason: `${NOT_HTML}${type}` };
}

function tooLarge(): EngineOutcome {
  return failed("SCRAPE_BODY_TOO_LARGE", `The page is larger than ${MAX_HTML_BYTES / 1_000_000} MB`);
}

function stillCompressed(): EngineOutcome {
  return failed("SCRAPE_UNSUPPORTED_FILE_ERROR", "The page is compressed in another way than its headers say");
}

/** Reports whether the headers announce more bytes than an empty page that is packed has. */
function isPacked({ headers }: DocumentResponse): boolean {
  const coding = headers["content-encoding"] ?? "identity";
  return coding !== "identity" && Number(headers["content-length"] ?? 0) > MAX_PACKED_EMPTY_BYTES;
}

function notUnpacked({ headers }: DocumentResponse): EngineOutcome {
  const coding = (headers["content-encoding"] ?? "").slice(0, 100);
  return failed(
    "SCRAPE_SITE_ERROR",
    `The page is damaged: nothing of it could be unpacked (content-encoding: ${coding})`,
  );
}

function toDocumentResponse(paused: Paused): DocumentResponse {
  const headers: Record<string, string> = {};
  for (const { name, value } of paused.responseHeaders ?? []) {
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  const contentType = headers["content-type"];
  return { url: paused.request.url, statusCode: paused.responseStatusCode ?? 0, headers, contentType };
}

function mediaType(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

function isBinary(beginning: string): boolean {
  return BINARY_BEGINNINGS.some((known) => beginning.startsWith(known));
}

function looksLikeHtml(beginning: string): boolean {
  return beginning === "" || /^\s*<(!doctype html|html|head|body|!--)/i.test(beginning);
}
