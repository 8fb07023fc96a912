import { validateHeaderName, validateHeaderValue } from "node:http";
import { EGRESS_FAILURE_HEADER } from "../../core/egress-failure.ts";

/** Between two neighbours only (RFC 9110 § 7.6.1), or between client and proxy. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Header lines that are passed on, in their order and spelling, as a flat list of names and values. Those between
 * neighbours, those that `Connection` names, and those that cannot be written are left out.
 * @param raw names and values in turn, as `IncomingMessage.rawHeaders`
 */
export function copyHeaders(raw: readonly string[], leftOut: readonly string[] = []): string[] {
  const dropped = new Set([...HOP_BY_HOP, EGRESS_FAILURE_HEADER, ...leftOut, ...namedByConnection(raw)]);
  const copied: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at], raw[at + 1]];
    if (!dropped.has(name.toLowerCase()) && isWritable(name, value)) copied.push(name, value);
  }
  return copied;
}

/** `Content-Length` says how long a message is, and must never be dropped by what another header names. */
function namedByConnection(raw: readonly string[]): string[] {
  const names: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() === "connection") names.push(...(raw[at + 1] ?? "").toLowerCase().split(","));
  }
  return names.map((name) => name.trim()).filter((name) => name !== "content-length" && name !== "host");
}

function isWritable(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
