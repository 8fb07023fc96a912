import { hrefOf } from "../../routes.ts";
import { isValues } from "./body.ts";
import type { Values } from "./body.ts";
import type { PlaygroundRequest } from "./request.ts";

/**
 * Links that open the playground with a request filled in. Nothing is sent until Run is pressed.
 *
 *     #/playground?op=<operation>&request=<request>
 *
 * - `op`: method and path of the OpenAPI document, such as `post /v2/scrape`.
 * - `request`: JSON `{"body": {…}, "parameters": {…}}`, both optional, as UTF-8 in base64url without padding (RFC 4648).
 *   `parameters` are the path and query parameters by name.
 *
 * The request is in the URL's fragment, which browsers do not send to the service.
 */
export function requestLink(request: Pick<PlaygroundRequest, "operation"> & Partial<PlaygroundRequest>): string {
  const body = Object.fromEntries(Object.entries(request.body ?? {}).filter(([, value]) => !(value instanceof Blob)));
  const content = { body, ...(hasAny(request.parameters) ? { parameters: request.parameters } : {}) };
  return hrefOf("playground", undefined, { op: request.operation, request: toBase64Url(JSON.stringify(content)) });
}

/** Returns the operation that a request belongs to, with its path parameters. */
export function operationOf({
  method,
  path,
}: {
  method: string;
  path: string;
}): Pick<PlaygroundRequest, "operation"> & Partial<PlaygroundRequest> {
  const id = /^\/v2\/crawl\/([^/]+)\/reextract$/.exec(path)?.[1];
  if (id === undefined) return { operation: `${method.toLowerCase()} ${path}` };
  return { operation: "post /v2/crawl/{id}/reextract", parameters: { id } };
}

/** Returns the request of a link; undefined if the link has none or it cannot be read. */
export function requestIn(query: URLSearchParams): PlaygroundRequest | undefined {
  const operation = query.get("op");
  const encoded = query.get("request");
  if (operation === null || encoded === null) return undefined;
  try {
    const content: unknown = JSON.parse(fromBase64Url(encoded));
    if (!isValues(content)) return undefined;
    const { body, parameters } = content;
    return { operation, body: isValues(body) ? body : {}, parameters: toTexts(isValues(parameters) ? parameters : {}) };
  } catch {
    return undefined;
  }
}

function toTexts(parameters: Values): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
}

function hasAny(parameters: Record<string, string> | undefined): boolean {
  return Object.values(parameters ?? {}).some((value) => value !== "");
}

function toBase64Url(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (const byte of bytes) binary += String.fromCodePoint(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(text: string): string {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
    Uint8Array.from(binary, (char) => char.codePointAt(0) ?? 0),
  );
}
