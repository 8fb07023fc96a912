import { AppError } from "../../core/errors.ts";
import { statusText } from "../../core/text/status-text.ts";

/** An archived response. */
export interface ArchivedResponse {
  /** URL after redirects. */
  url: string;
  atMs: number;
  statusCode: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Uint8Array;
}

const CRLF = "\r\n";
/** The body is stored as it was decoded. Cookies may be those of a login. */
const LEFT_OUT = new Set([
  "set-cookie",
  "content-encoding",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "trailer",
]);

/**
 * Returns a `response` record of WARC 1.1 (ISO 28500). Headers about the transfer are left out, since the body is stored
 * without its content coding, and so are cookies.
 */
export async function toWarcRecord(response: ArchivedResponse, recordId: string): Promise<Uint8Array> {
  const { url, atMs, statusCode, headers, body } = response;
  const kept = Object.entries(headers).filter(([name]) => !LEFT_OUT.has(name));
  const fields = kept.flatMap(([name, value]) => value.split("\n").map((line) => `${name}: ${line.trim()}`));
  const http = [`HTTP/1.1 ${statusCode} ${statusText(statusCode)}`, ...fields, `content-length: ${body.byteLength}`];
  const block = join([encode(`${http.join(CRLF)}${CRLF}${CRLF}`), body]);
  const head = [
    "WARC/1.1",
    "WARC-Type: response",
    `WARC-Record-ID: <urn:uuid:${recordId}>`,
    `WARC-Date: ${new Date(atMs).toISOString()}`,
    `WARC-Target-URI: ${url}`,
    `WARC-Payload-Digest: ${await digestOf(body)}`,
    "Content-Type: application/http; msgtype=response",
    `Content-Length: ${block.byteLength}`,
  ];
  return join([encode(`${head.join(CRLF)}${CRLF}${CRLF}`), block, encode(`${CRLF}${CRLF}`)]);
}

/** Reads a record that `toWarcRecord` has written. @throws AppError `STORED_STATE_UNREADABLE` for anything else */
export function fromWarcRecord(record: Uint8Array): ArchivedResponse {
  const warc = headOf(record);
  const url = warc.fields["warc-target-uri"];
  const block = record.subarray(warc.end, warc.end + Number(warc.fields["content-length"]));
  const http = headOf(block);
  const statusCode = Number(/^HTTP\/1\.1 (\d{3})/.exec(http.firstLine)?.[1]);
  if (url === undefined || !Number.isInteger(statusCode)) throw unreadable();
  const atMs = Date.parse(warc.fields["warc-date"] ?? "");
  return { url, atMs, statusCode, headers: http.fields, body: block.subarray(http.end) };
}

interface Head {
  firstLine: string;
  fields: Record<string, string>;
  /** Offset behind the blank line. */
  end: number;
}

function headOf(bytes: Uint8Array): Head {
  const end = endOfHead(bytes);
  const [firstLine = "", ...lines] = new TextDecoder().decode(bytes.subarray(0, end - 4)).split(CRLF);
  const fields: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    fields[name] = fields[name] === undefined ? value : `${fields[name]}\n${value}`;
  }
  return { firstLine, fields, end };
}

function endOfHead(bytes: Uint8Array): number {
  for (let at = 3; at < bytes.length; at++) {
    if (bytes[at] === 10 && bytes[at - 1] === 13 && bytes[at - 2] === 10 && bytes[at - 3] === 13) return at + 1;
  }
  throw unreadable();
}

function unreadable(): AppError {
  return new AppError("STORED_STATE_UNREADABLE", "An archived response cannot be read");
}

/** SHA-256 of a body, as WARC and CDXJ write it. */
export async function digestOf(body: Uint8Array): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", body as BufferSource));
  return `sha256:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** A line of the index of an archive. */
export interface IndexLine {
  url: string;
  atMs: number;
  statusCode: number;
  mime: string;
  digest: string;
  /** Place of the compressed record. */
  offset: number;
  length: number;
}

/** Returns an index in CDXJ: sorted lines of key, time and JSON. */
export function toCdxj(lines: readonly IndexLine[], filename: string): string {
  const written = lines.map(({ url, atMs, statusCode, mime, digest, offset, length }) => {
    const fields = {
      url,
      mime,
      status: String(statusCode),
      digest,
      length: String(length),
      offset: String(offset),
      filename,
    };
    return `${sortKeyOf(url)} ${timestampOf(atMs)} ${JSON.stringify(fields)}\n`;
  });
  return written.toSorted().join("");
}

/** Returns the time in digits, to the second. */
function timestampOf(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\D/g, "").slice(0, 14);
}

/** Returns the URL with its host from right to left, as `com,example)/path` (SURT). */
function sortKeyOf(url: string): string {
  const { hostname, port, pathname, search } = new URL(url);
  const host = hostname
    .replace(/^www\./, "")
    .split(".")
    .toReversed()
    .join(",");
  return `${host}${port === "" ? "" : `:${port}`})${pathname}${search}`.toLowerCase();
}

export function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
