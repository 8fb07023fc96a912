import { AppError, ERRORS } from "../../core/errors.ts";

const TOO_MANY = "Too many requests of this caller are waiting at once. Wait for their answers before sending more.";
const IS_AWAY = "The service is busy, or is being started again; try again in a moment";

export function tooMany(): AppError {
  return new AppError("RATE_LIMITED", TOO_MANY, { retryAfterSeconds: 1 });
}

export function isAway(): AppError {
  return new AppError("SERVICE_UNAVAILABLE", IS_AWAY, { retryAfterSeconds: 5 });
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
    // The text says nothing of a caller; without these headers a script of another origin sees a network error.
    "Access-Control-Allow-Origin: *",
    "Access-Control-Expose-Headers: Retry-After",
    ...(error.retryAfterSeconds === undefined ? [] : [`Retry-After: ${error.retryAfterSeconds}`]),
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
