import { ERRORS, type AppError } from "../../core/errors.ts";

/** Bytes in which header fields are looked for. */
const HEAD_BYTES = 16_384;
const HEAD_END = "\r\n\r\n";
/** The scheme and the token (RFC 9110 § 11.6.2). The service reads them in the same way (`http/account/auth.ts`). */
const AUTHORIZATION = /\r\nauthorization:[ \t]*\S+[ \t]+(\S{1,512})/i;
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})/;
/** Only requests of a caller whose key was accepted are counted (`http/account/rate-limit.ts`). */
const COUNTED = /\r\nx-ratelimit-limit:/i;

export interface ResponseHead {
  status: number;
  isCounted: boolean;
}

/** @param bytes the first bytes of a request. */
export function readToken(bytes: Buffer): string | undefined {
  return AUTHORIZATION.exec(headOf(bytes))?.[1];
}

/** @param bytes the first bytes of a response; undefined when they are none. */
export function readResponse(bytes: Buffer): ResponseHead | undefined {
  const head = headOf(bytes);
  const status = STATUS_LINE.exec(head)?.[1];
  return status === undefined ? undefined : { status: Number(status), isCounted: COUNTED.test(head) };
}

function headOf(bytes: Buffer): string {
  const text = bytes.toString("latin1", 0, HEAD_BYTES);
  const end = text.indexOf(HEAD_END);
  return end < 0 ? text : text.slice(0, end);
}

/** Returns the bytes of a response with an error, after which the connection ends. */
export function refusal(error: AppError): string {
  const spec = ERRORS[error.code];
  const code = "hiddenCode" in spec ? {} : { code: error.code };
  const body = JSON.stringify({ success: false, error: error.message, ...code });
  const head = [
    // The reason phrase is optional (RFC 9112 § 4).
    `HTTP/1.1 ${spec.status} `,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    ...(error.retryAfterSeconds === undefined ? [] : [`Retry-After: ${error.retryAfterSeconds}`]),
  ];
  return `${head.join("\r\n")}${HEAD_END}${body}`;
}
