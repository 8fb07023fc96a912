import type { ErrorCode } from "../../../src/core/errors.ts";
import type { Http, OutboundRequest } from "../../../src/ports/outbound/http.ts";

/** What one request is answered. */
export type Reply =
  | { status?: number; headers?: Record<string, string>; body?: string }
  | { failed: ErrorCode; message?: string };

/** Answers requests one after the other, the last reply again and again; `seen` shows what was asked. */
export function replyingHttp(replies: readonly Reply[]): Http & { seen: OutboundRequest[] } {
  const seen: OutboundRequest[] = [];
  return {
    seen,
    async request(request) {
      const reply = replies[Math.min(seen.length, replies.length - 1)] ?? { status: 404 };
      seen.push(request);
      if ("failed" in reply) return { kind: "failed", code: reply.failed, message: reply.message ?? reply.failed };
      const { status = 200, headers = {}, body = "" } = reply;
      return {
        kind: "response",
        response: { url: request.url, statusCode: status, headers, body: new TextEncoder().encode(body), redirects: 0 },
      };
    },
  };
}
