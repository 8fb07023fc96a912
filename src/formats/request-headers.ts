import { z } from "zod";
import { ofRequests } from "../core/schema/list-limits.ts";

const MAX_HEADERS = 100;
const MAX_VALUE_CHARS = 16_384;
/** A token (RFC 9110 § 5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible characters, spaces, tabs and Latin-1 (RFC 9110 § 5.5). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/**
 * Headers that frame the message or name the server, which the service sets (RFC 9110 § 7.6.1, RFC 9112 § 6), and those
 * that the platform removes from requests.
 */
const RESERVED = new Set([
  "cf-connecting-ip",
  "cf-worker",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers that a caller adds to the requests for a page, or to webhook deliveries. The length of their values is checked here. */
export const RequestHeaders = z.record(z.string(), ofRequests(z.string(), Infinity)).superRefine((headers, context) => {
  const names = Object.keys(headers);
  if (names.length > MAX_HEADERS) {
    context.addIssue({ code: "custom", message: `headers: at most ${MAX_HEADERS} headers can be sent` });
    return;
  }
  for (const name of names) {
    const problem = problemOf(name, headers[name] ?? "");
    if (problem !== undefined) context.addIssue({ code: "custom", path: [name], message: `headers: ${problem}` });
  }
});

function problemOf(name: string, value: string): string | undefined {
  const shown = JSON.stringify(name.slice(0, 100));
  if (!NAME.test(name)) return `${shown} is not a valid header name; use letters, digits and hyphens`;
  if (RESERVED.has(name.toLowerCase())) return `${shown} is set by the service and cannot be sent`;
  if (!VALUE.test(value)) return `the value of ${shown} has characters that a header cannot hold`;
  if (value.length > MAX_VALUE_CHARS) return `the value of ${shown} is longer than ${MAX_VALUE_CHARS} characters`;
  return undefined;
}
