import type { Protocol } from "devtools-protocol";
import type { EngineOutcome } from "../../core/page.ts";
import { guardDocument } from "./document-policy.ts";
import { failed } from "./load-end.ts";

/** Largest HTML that is handed to a page, in bytes; with base64 around it stays below a WebSocket message's limit. */
export const MAX_HTML_BYTES = 20_000_000;

/** What a server said about a document. */
export interface DocumentResponse {
  url: string;
  statusCode: number;
  /** Header names in lower case; repeated headers are joined with a comma. */
  headers: Record<string, string>;
  contentType: string | undefined;
}

export type DocumentAnswer =
  | { kind: "fulfill"; document: DocumentResponse; params: Protocol.Fetch.FulfillRequestRequest }
  | { kind: "empty"; document: DocumentResponse }
  | { kind: "unreadable"; document: DocumentResponse; outcome: EngineOutcome };

type Paused = Protocol.Fetch.RequestPausedEvent;

const HTML_TYPES = new Set(["text/html", "application/xhtml+xml"]);

/**
 * Decides what becomes of a document: HTML is handed to the page with our policy added; everything else is no page for
 * a browser, and the plain engine reads it better.
 */
export async function answerDocument(
  paused: Paused,
  readBody: () => Promise<Protocol.Fetch.GetResponseBodyResponse>,
): Promise<DocumentAnswer> {
  const document = toDocumentResponse(paused);
  if (document.statusCode === 204 || document.statusCode === 205) return { kind: "empty", document };
  const refusal = refuse(document);
  if (refusal !== undefined) return { kind: "unreadable", document, outcome: refusal };
  const { body, base64Encoded } = await readBody();
  const encoded = base64Encoded ? body : toBase64(body);
  if (encoded.length > (MAX_HTML_BYTES * 4) / 3) return { kind: "unreadable", document, outcome: tooLarge() };
  if (document.contentType === undefined && !looksLikeHtml(encoded)) {
    return { kind: "unreadable", document, outcome: notHtml("unknown") };
  }
  const params = {
    requestId: paused.requestId,
    responseCode: document.statusCode,
    responseHeaders: guardDocument(paused.responseHeaders ?? [], document.url),
    body: encoded === "" ? EMPTY_PAGE : encoded,
  };
  return { kind: "fulfill", document, params };
}

/** Chromium shows a page of its own for an error status without a body. A line break keeps the document empty. */
const EMPTY_PAGE = "Cg==";

function refuse({ contentType, headers }: DocumentResponse): EngineOutcome | undefined {
  if (/^\s*attachment\b/i.test(headers["content-disposition"] ?? ""))
    return { kind: "insufficient", reason: "download" };
  if (contentType !== undefined && !HTML_TYPES.has(mediaType(contentType))) return notHtml(mediaType(contentType));
  if (Number(headers["content-length"] ?? 0) > MAX_HTML_BYTES) return tooLarge();
  return undefined;
}

function notHtml(type: string): EngineOutcome {
  return { kind: "insufficient", reason: `not_html:${type}` };
}

function tooLarge(): EngineOutcome {
  return failed("SCRAPE_BODY_TOO_LARGE", `The page is larger than ${MAX_HTML_BYTES / 1_000_000} MB`);
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

function looksLikeHtml(encoded: string): boolean {
  return encoded === "" || /^\s*<(!doctype html|html|head|body|!--)/i.test(atob(encoded.slice(0, 400)));
}

/** Bodies that come as text are re-encoded as UTF-8, the protocol's own encoding. */
function toBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
