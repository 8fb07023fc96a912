import { ERRORS, type AppError } from "../../core/errors.ts";

/** Bytes in which the header fields of a request are looked for. */
const HEAD_BYTES = 16_384;
const HEAD_END = "\r\n\r\n";
/** Field value of RFC 9110 § 11.6.2, at the length of any key. */
const AUTHORIZATION = /\r\nauthorization:[ \t]*([^\r\n]{1,512})/i;
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})/;

/** @param bytes the first bytes of a request. */
export function readCredential(bytes: Buffer): string | undefined {
  const text = bytes.toString("latin1", 0, HEAD_BYTES);
  const end = text.indexOf(HEAD_END);
  return AUTHORIZATION.exec(end < 0 ? text : text.slice(0, end))?.[1]?.trimEnd();
}

/** @param bytes the first bytes of a response. */
export function readStatus(bytes: Buffer): number | undefined {
  const status = STATUS_LINE.exec(bytes.toString("latin1", 0, 16))?.[1];
  return status === undefined ? undefined : Number(status);
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
