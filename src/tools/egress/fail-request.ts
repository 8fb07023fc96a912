import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { EGRESS_FAILURE_HEADER, type EgressFailure } from "../../core/egress-failure.ts";
import { EgressError } from "./egress-policy.ts";

/** RFC 9110: 403 for what is refused, 502 for a server that cannot be reached, 504 for one that is too slow. */
const STATUS: Record<EgressFailure, number> = {
  refused: 403,
  not_found: 502,
  unresolved: 502,
  connect: 502,
  reset: 502,
  malformed: 502,
  tls: 502,
  proxy: 502,
  proxy_denied: 502,
  timeout: 504,
};

/** Failures of OpenSSL and of the check of certificates, by Node's codes. */
const TLS_CODE =
  /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|EPROTO|INVALID_CA|PATH_LENGTH)/;

/** The meaning of a connection error for the caller. */
export function toEgressError(error: unknown): EgressError {
  if (error instanceof EgressError) return error;
  const code = String((error as NodeJS.ErrnoException).code ?? "");
  if (TLS_CODE.test(code))
    return new EgressError("tls", `The TLS certificate or connection was not accepted (${code})`);
  if (code === "ETIMEDOUT") return new EgressError("timeout", "The site did not answer in time");
  if (code === "ECONNRESET" || code === "EPIPE") {
    return new EgressError("reset", "The site did not answer: the connection was reset or lost");
  }
  // Codes of Node's parser.
  if (code === "HPE_HEADER_OVERFLOW")
    return new EgressError("malformed", "The headers of the site's response are too long");
  if (code.startsWith("HPE_")) return new EgressError("malformed", `The site's response is not valid HTTP (${code})`);
  return new EgressError("connect", "The site did not answer: the connection was refused");
}

/** Answers a request that was not handed on. An answer that has begun is broken off, so that nobody takes it for whole. */
export function failResponse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { failure, message } = toEgressError(error);
  const body = Buffer.from(message);
  response.writeHead(STATUS[failure], {
    "content-type": "text/plain; charset=utf-8",
    "content-length": body.byteLength,
    "cache-control": "no-store",
    [EGRESS_FAILURE_HEADER]: failure,
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}

/** The same for a connection that is to become a tunnel. */
export function failTunnel(socket: Duplex, error: unknown): void {
  const { failure } = toEgressError(error);
  refuseSocket(socket, STATUS[failure], [`${EGRESS_FAILURE_HEADER}: ${failure}`]);
}

/** Answers a connection with a status alone and ends it. */
export function refuseSocket(socket: Duplex, status: number, headers: readonly string[] = []): void {
  if (socket.destroyed) return;
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    ...headers,
    "content-length: 0",
    "connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n`);
}
