import { AppError } from "../../core/errors.ts";
import { ChunkedBody, ENDLESS_BODY, SizedBody, type MessageBody } from "./message-body.ts";
import { sessionOf } from "./session-path.ts";

/** The scheme and the token (RFC 9110 § 11.6.2). The service reads them in the same way (`http/account/auth.ts`). */
const AUTHORIZATION = /^\S+[ \t]+(\S{1,512})/;
const REQUEST_LINE = /^(\S+) (\S+) HTTP\/1\.[01]$/;
/** A target that is a whole URL, as proxies get it. */
const WHOLE_URL = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i;
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})/;
/** Without space before the colon: two readers of one head may disagree about it (RFC 9112 § 5.1). */
const FIELD_NAME = /^([!#$%&'*+\-.^_`|~\da-z]+):/i;
/** The service puts this header in front of the target: with one of these characters, it would read another path. */
const NO_HOST = /[/?#\\@]/;
const WEBSOCKET = /websocket/i;
/** The first one. Clients of a job's WebSocket that cannot set headers send their key so. */
const SUB_PROTOCOL = /^[^,]{1,512}/;
/** Ends a line for some readers. */
const FORBIDDEN = /[\0\r]/;
const SIZE = /^\d{1,15}$/;
const IS_CHUNKED = /(?:^|,)[ \t]*chunked$/i;
/** Only requests of a caller whose key was accepted are counted (`http/account/rate-limit.ts`). */
const COUNTED = "x-ratelimit-limit";

/** Extensions that a WebSocket client offers, of which only compression exists. */
const EXTENSIONS = /\r?\nsec-websocket-extensions:[^\n]*/gi;

export interface RequestHead {
  /** Tells the caller from others. */
  token: string | undefined;
  /** True for a token of a session, in the target, without which the service opens no WebSocket there. */
  isSessionToken: boolean;
  /** The session that the target names. */
  session: string | undefined;
  /** True for a session's path that is not that of its live view. */
  isDevTools: boolean;
  /** True for a client that offers extensions of WebSocket. */
  offersExtensions: boolean;
  /** True for a method whose responses have no body. */
  isHead: boolean;
  body: MessageBody;
}

export interface ResponseHead {
  status: number;
  isCounted: boolean;
  body: MessageBody;
}

/**
 * @param text the lines of a head, without the empty one after them.
 * @throws Error when two readers may disagree about where the request ends.
 */
export function readRequest(text: string): RequestHead {
  const [first = "", ...lines] = text.split(/\r?\n/);
  const [, method, target = ""] = REQUEST_LINE.exec(first) ?? [];
  if (method === undefined) throw new Error("The first line is not that of an HTTP/1.1 request");
  if (method === "CONNECT") throw new Error("CONNECT is not supported, since the service is no proxy");
  const fields = readFields(lines);
  const named = WHOLE_URL.exec(target)?.[1];
  if (named !== undefined && named.toLowerCase() !== fields.get("host")?.[0]?.toLowerCase()) {
    throw new Error("The URL of the first line names another host than the Host header");
  }
  if (fields.get("host")?.some((host) => NO_HOST.test(host))) throw new AppError("HOST_NOT_ALLOWED");
  const offersExtensions = fields.has("sec-websocket-extensions");
  const isUpgrade = fields.get("upgrade")?.some((name) => WEBSOCKET.test(name)) ?? false;
  const body = bodyOf(fields) ?? new SizedBody(0);
  if ((offersExtensions || isUpgrade) && !body.isComplete) throw new Error("A request for a WebSocket has no body");
  return {
    ...callerOf(fields, target, isUpgrade),
    offersExtensions,
    isHead: method === "HEAD",
    body,
  };
}

function callerOf(
  fields: ReadonlyMap<string, string[]>,
  target: string,
  isUpgrade: boolean,
): Pick<RequestHead, "token" | "isSessionToken" | "session" | "isDevTools"> {
  const key = AUTHORIZATION.exec(fields.get("authorization")?.[0] ?? "")?.[1];
  const session = sessionOf(target);
  const place = { session: session?.id, isDevTools: session?.isDevTools ?? false };
  if (key !== undefined) return { token: key, isSessionToken: false, ...place };
  if (session !== undefined) return { token: session.token, isSessionToken: session.token !== undefined, ...place };
  const protocol = isUpgrade ? SUB_PROTOCOL.exec(fields.get("sec-websocket-protocol")?.[0] ?? "")?.[0] : undefined;
  return { token: protocol?.trim(), isSessionToken: false, ...place };
}

/**
 * Returns the bytes of a request without a body, without extensions of WebSocket. A compressed message of 30 kB may have 30 MB,
 * which take the service a second to decode, so that compression is not negotiated.
 */
export function withoutExtensions(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("latin1").replace(EXTENSIONS, ""), "latin1");
}

/**
 * @param text the lines of a head, without the empty one after them.
 * @param request what it answers.
 * @throws Error when it is none.
 */
export function readResponse(text: string, request: Pick<RequestHead, "isHead">): ResponseHead {
  const [first = "", ...lines] = text.split(/\r?\n/);
  const status = Number(STATUS_LINE.exec(first)?.[1]);
  if (Number.isNaN(status)) throw new Error("The first line is not that of an HTTP/1.1 response");
  const fields = readFields(lines);
  const isWithoutBody = request.isHead || status < 200 || status === 204 || status === 304;
  return {
    status,
    isCounted: fields.has(COUNTED),
    body: isWithoutBody ? new SizedBody(0) : (bodyOf(fields) ?? ENDLESS_BODY),
  };
}

/** Returns the values of each field by its name in small letters. */
function readFields(lines: readonly string[]): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const line of lines) {
    const name = FIELD_NAME.exec(line)?.[1];
    if (name === undefined || FORBIDDEN.test(line))
      throw new Error("A line of the head is not a name, a colon and a value");
    const [key, value] = [name.toLowerCase(), line.slice(name.length + 1).trim()];
    const values = fields.get(key);
    if (values === undefined) fields.set(key, [value]);
    else values.push(value);
  }
  return fields;
}

/** Returns undefined when the fields name none. */
function bodyOf(fields: ReadonlyMap<string, string[]>): MessageBody | undefined {
  const [codings, sizes] = [fields.get("transfer-encoding"), new Set(fields.get("content-length"))];
  if (codings !== undefined) {
    const isClear = codings.length === 1 && sizes.size === 0 && IS_CHUNKED.test(codings[0] ?? "");
    if (!isClear) throw new Error("Transfer-Encoding must end in chunked, and come once, without Content-Length");
    return new ChunkedBody();
  }
  const [size] = sizes;
  if (size === undefined) return undefined;
  if (sizes.size > 1 || !SIZE.test(size)) throw new Error("Content-Length must be one number of bytes");
  return new SizedBody(Number(size));
}
